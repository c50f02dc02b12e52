#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "lockstep/device.h"
#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/state.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

/// Errors of one or more signals of a sensor; values in the unit of the signal.
struct SensorErrorConfig {
  std::string signal;
  double bias = 0.0;
  double noise = 0.0;
  std::optional<double> lower;
  std::optional<double> upper;
  std::optional<double> resolution;
  Duration delay{0};
};

template <class V>
void describe(V& v, SensorErrorConfig& c) {
  v.text("signal", c.signal,
         {.doc = "Quantities it applies to, such as 'angle' or 'x y z'; all of the sensor if omitted."});
  v.number("bias", c.bias, {.unit = kAnyUnit, .doc = "Added to every reading; in the unit of the signal."});
  v.number("noise", c.noise,
           {.unit = kAnyUnit, .min = 0.0, .doc = "Standard deviation of Gaussian white noise."});
  v.number("lower", c.lower, {.unit = kAnyUnit, .doc = "Lower limit of the reading; none if omitted."});
  v.number("upper", c.upper, {.unit = kAnyUnit, .doc = "Upper limit of the reading; none if omitted."});
  v.number("resolution", c.resolution,
           {.unit = kAnyUnit,
            .min = 0.0,
            .above_min = true,
            .doc = "Readings are rounded to the nearest multiple of this; not rounded if omitted."});
  v.time("delay", c.delay,
         {.min = 0.0, .doc = "Delay of the reading, a multiple of the period; reads the first until then."});
  v.check(!c.lower || !c.upper || *c.lower <= *c.upper, "lower", "lower is above upper; expected at most that");
}

/// Wraps an ideal sensor and adds the errors of a real one:
///
///     reading = delayed(rounded(clamped(truth + bias + noise)))
///
/// Each noisy signal has its own random generator, seeded by the scenario's seed and the signal's full name.
class ImperfectSensor final : public Sensor {
 public:
  /// The errors of one signal, in its unit.
  struct Imperfection {
    Slot slot{};
    Random random;
    double bias = 0.0;
    double noise = 0.0;  ///< standard deviation
    std::optional<double> lower;
    std::optional<double> upper;
    std::optional<double> resolution;
    std::size_t delay = 0;  ///< in readings
  };

  ImperfectSensor(std::unique_ptr<Sensor> sensor, std::vector<Imperfection> imperfections);

  void sense(const World& world, const Instant& now, Row row) override;
  Tracking needs() const override { return sensor_->needs(); }
  void list_rays(const World& world, std::vector<SensorRay>& rays) const override {
    sensor_->list_rays(world, rays);
  }
  std::optional<SensorImage> image() const override { return sensor_->image(); }
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  struct Channel {
    Imperfection imperfection;
    std::vector<double> late;  // delayed readings, a ring buffer
    std::size_t next = 0;      // index of the oldest
  };
  static double distort(double truth, Imperfection& imperfection);

  std::unique_ptr<Sensor> sensor_;
  std::vector<Channel> channels_;
  bool has_read_ = false;
};

/// The <error> children of a sensor of any kind.
struct SensorErrors {
  std::vector<SensorErrorConfig> errors;

  /// Wraps a sensor so that its readings have these errors. Its signals are those in the table from index
  /// `first_signal` on. Null, with the errors in the diagnostics, if they do not fit. A sensor without errors
  /// is returned unchanged.
  std::unique_ptr<Sensor> complete(std::unique_ptr<Sensor> sensor, std::size_t first_signal,
                                   BuildContext& context) const;
};

template <class V>
void describe(V& v, SensorErrors& c) {
  v.children("error", c.errors,
             {.doc = "Measurement error: bias and noise are added, then limits, resolution and delay are "
                     "applied, in this order."});
}

}  // namespace lockstep
