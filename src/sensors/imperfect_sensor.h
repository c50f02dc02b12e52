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

/// How the readings of a sensor differ from the truth.
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
         {.doc = "Quantities it holds for, such as 'angle' or 'x y z'; all of the sensor if omitted."});
  v.number("bias", c.bias, {.unit = kAnyUnit, .doc = "Added to every reading; in the unit of the signal."});
  v.number("noise", c.noise,
           {.unit = kAnyUnit, .min = 0.0, .doc = "Standard deviation of normal noise, new in every reading."});
  v.number("lower", c.lower, {.unit = kAnyUnit, .doc = "Smaller readings become this; none if omitted."});
  v.number("upper", c.upper, {.unit = kAnyUnit, .doc = "Larger readings become this; none if omitted."});
  v.number("resolution", c.resolution,
           {.unit = kAnyUnit,
            .min = 0.0,
            .above_min = true,
            .doc = "Readings are rounded to the nearest multiple of this; not rounded if omitted."});
  v.time("delay", c.delay,
         {.min = 0.0, .doc = "Readings come so much later, a multiple of the period; until then the first."});
  v.check(!c.lower || !c.upper || *c.lower <= *c.upper, "lower", "lower is above upper; expected at most that");
}

/// Wraps a sensor and makes its readings as bad as those of a real one:
///
///     reading = delayed(rounded(clamped(truth + bias + noise)))
///
/// The noise of a signal has a generator of its own, seeded by the scenario's seed and the signal's full name.
class ImperfectSensor final : public Sensor {
 public:
  /// What is wrong with one signal.
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
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  struct Channel {
    Imperfection imperfection;
    std::vector<double> late;  // readings on their way, in a ring
    std::size_t next = 0;      // the oldest of them
  };
  static double spoil(double truth, Imperfection& imperfection);

  std::unique_ptr<Sensor> sensor_;
  std::vector<Channel> channels_;
  bool has_read_ = false;
};

/// The <error> children of a sensor of any kind.
struct SensorErrors {
  std::vector<SensorErrorConfig> errors;

  /// Wraps a sensor so that its readings have these errors; its signals are those that were added since the
  /// table had `first_signal` of them. Nothing, with the reasons written, if they do not fit. A sensor without
  /// errors is returned as it is.
  std::unique_ptr<Sensor> complete(std::unique_ptr<Sensor> sensor, std::size_t first_signal,
                                   BuildContext& context) const;
};

template <class V>
void describe(V& v, SensorErrors& c) {
  v.children("error", c.errors,
             {.doc = "How readings differ from the truth: bias and noise are added, then limits hold, then the "
                     "resolution, then the delay."});
}

}  // namespace lockstep
