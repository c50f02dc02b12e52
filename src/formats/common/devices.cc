#include "formats/common/devices.h"

#include "device/kinds.h"
#include "sensors/imperfect_sensor.h"

namespace lockstep {
namespace {

template <typename Category, typename Config>
Element write_device(std::string_view kind, const std::string& name, const Config& config) {
  DeviceConfig<Category, Config> device;
  device.name = name;
  device.own = config;
  return write_fields(kind, device, Defaults::kOmit);
}

template <typename Config>
std::optional<Drive> read_actuator(const Element& device) {
  Diagnostics diagnostics;
  const auto read = read_fields<DeviceConfig<Actuator, Config>>(device, diagnostics);
  if (diagnostics.error_count() > 0) return std::nullopt;
  return read.own;
}

}  // namespace

Element make_device(const std::string& name, const TorqueActuatorConfig& config) {
  return write_device<Actuator>("torque", name, config);
}
Element make_device(const std::string& name, const PositionServoConfig& config) {
  return write_device<Actuator>("servo", name, config);
}
Element make_device(const std::string& name, const SpeedServoConfig& config) {
  return write_device<Actuator>("speed_servo", name, config);
}
Element make_device(const std::string& name, const ThrusterConfig& config) {
  return write_device<Actuator>("thruster", name, config);
}
Element make_device(const std::string& name, const JointSensorConfig& config) {
  return write_device<Sensor>("joint_state", name, config);
}
Element make_device(const std::string& name, const PoseSensorConfig& config) {
  return write_device<Sensor>("pose", name, config);
}
Element make_device(const std::string& name, const VelocitySensorConfig& config) {
  return write_device<Sensor>("velocity", name, config);
}
Element make_device(const std::string& name, const AccelerometerConfig& config) {
  return write_device<Sensor>("accelerometer", name, config);
}
Element make_device(const std::string& name, const GyroConfig& config) {
  return write_device<Sensor>("gyro", name, config);
}
Element make_device(const std::string& name, const DistanceSensorConfig& config) {
  return write_device<Sensor>("distance", name, config);
}
Element make_device(const std::string& name, const ForceSensorConfig& config) {
  return write_device<Sensor>("force", name, config);
}
Element make_device(const std::string& name, const TouchSensorConfig& config) {
  return write_device<Sensor>("touch", name, config);
}
Element make_device(const std::string& name, const ContactSensorConfig& config) {
  return write_device<Sensor>("contact", name, config);
}

std::optional<Drive> read_drive(const Element& device) {
  if (device.name == "torque") return read_actuator<TorqueActuatorConfig>(device);
  if (device.name == "servo") return read_actuator<PositionServoConfig>(device);
  if (device.name == "speed_servo") return read_actuator<SpeedServoConfig>(device);
  return std::nullopt;
}

}  // namespace lockstep
