#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "signals/fault.h"

namespace lockstep {

/// Wraps a sensor and injects faults into its readings: stick, bias or cut (signals/fault.h). Faults act one
/// after the other, after the sensor errors (ImperfectSensor).
class FaultySensor final : public Sensor {
 public:
  FaultySensor(std::unique_ptr<Sensor> sensor, std::vector<SignalFault> faults)
      : sensor_(std::move(sensor)), faults_(std::move(faults)) {}

  void sense(const World& world, const Instant& now, Row row) override {
    sensor_->sense(world, now, row);
    for (SignalFault& fault : faults_) fault.apply(row);
  }
  Tracking needs() const override { return sensor_->needs(); }
  void list_rays(const World& world, std::vector<SensorRay>& rays) const override {
    sensor_->list_rays(world, rays);
  }
  std::optional<SensorImage> image() const override { return sensor_->image(); }

  void save(StateWriter& writer) const override {
    sensor_->save(writer);
    for (const SignalFault& fault : faults_) fault.save(writer);
  }
  void restore(StateReader& reader) override {
    sensor_->restore(reader);
    for (SignalFault& fault : faults_) fault.restore(reader);
  }

 private:
  std::unique_ptr<Sensor> sensor_;
  std::vector<SignalFault> faults_;
};

}  // namespace lockstep
