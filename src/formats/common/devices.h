#pragma once

#include <optional>
#include <string>
#include <variant>

#include "actuators/position_servo.h"
#include "actuators/speed_servo.h"
#include "actuators/thruster.h"
#include "actuators/torque_actuator.h"
#include "lockstep/fields.h"
#include "sensors/accelerometer.h"
#include "sensors/contact_sensor.h"
#include "sensors/distance_sensor.h"
#include "sensors/force_sensor.h"
#include "sensors/gyro.h"
#include "sensors/joint_sensor.h"
#include "sensors/pose_sensor.h"
#include "sensors/velocity_sensor.h"

/// Elements of the devices that other file formats also have: <torque name="elbow" joint="elbow"/>. Defaults
/// are omitted.
namespace lockstep {

Element make_device(const std::string& name, const TorqueActuatorConfig& config);
Element make_device(const std::string& name, const PositionServoConfig& config);
Element make_device(const std::string& name, const SpeedServoConfig& config);
Element make_device(const std::string& name, const ThrusterConfig& config);
Element make_device(const std::string& name, const JointSensorConfig& config);
Element make_device(const std::string& name, const PoseSensorConfig& config);
Element make_device(const std::string& name, const VelocitySensorConfig& config);
Element make_device(const std::string& name, const AccelerometerConfig& config);
Element make_device(const std::string& name, const GyroConfig& config);
Element make_device(const std::string& name, const DistanceSensorConfig& config);
Element make_device(const std::string& name, const ForceSensorConfig& config);
Element make_device(const std::string& name, const TouchSensorConfig& config);
Element make_device(const std::string& name, const ContactSensorConfig& config);

/// Reads an actuator of a joint; empty if it is of another kind or invalid.
using Drive = std::variant<TorqueActuatorConfig, PositionServoConfig, SpeedServoConfig>;
std::optional<Drive> read_drive(const Element& device);

}  // namespace lockstep
