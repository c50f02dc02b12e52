#pragma once

#include <memory>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct EnergySensorConfig {};

template <class V>
void describe(V&, EnergySensorConfig&) {}

/// Energy of all bodies, and the work done on them since the start, J (Energy, Work).
class EnergySensor final : public Sensor {
 public:
  struct Slots {
    Slot kinetic{};
    Slot potential{};
    Slot work{};  ///< of all forces of devices and events
    Slot damping{};
    Slot friction{};
    Slot contacts{};
    Slot unexplained{};
  };

  explicit EnergySensor(const Slots& slots) : slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  Slots slots_;
};

std::unique_ptr<Sensor> make_energy_sensor(const EnergySensorConfig&, BuildContext& context);

struct WorkSensorConfig {
  std::string actuator;
};

template <class V>
void describe(V& v, WorkSensorConfig& c) {
  v.text("actuator", c.actuator, {.doc = "Actuator whose work to measure.", .required = true});
}

/// Work that an actuator has done since the start, J: positive if it drives, negative if it brakes.
class WorkSensor final : public Sensor {
 public:
  WorkSensor(std::size_t source, Slot work) : source_(source), work_(work) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  std::size_t source_;
  Slot work_;
};

std::unique_ptr<Sensor> make_work_sensor(const WorkSensorConfig& config, BuildContext& context);

}  // namespace lockstep
