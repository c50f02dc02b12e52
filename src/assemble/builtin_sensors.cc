#include <array>

#include "assemble/builtin_internal.h"
#include "model/kinematics.h"
#include "sensors/accelerometer.h"
#include "sensors/closure_sensor.h"
#include "sensors/contact_sensor.h"
#include "sensors/distance_sensor.h"
#include "sensors/force_sensor.h"
#include "sensors/gyro.h"
#include "sensors/joint_sensor.h"
#include "sensors/pose_sensor.h"
#include "sensors/velocity_sensor.h"

namespace lockstep {
namespace {

/// Whether one of two attributes is given, and only one.
bool require_one(const std::string& a, const char* name_a, const std::string& b, const char* name_b,
                 BuildContext& context) {
  if (a.empty() != b.empty()) return true;
  if (a.empty()) {
    context.error_at("", "needs a '{}' or a '{}'", name_a, name_b);
  } else {
    context.error_at("", "has both '{}' and '{}'; expected one of them", name_a, name_b);
  }
  return false;
}

std::optional<Mount> find_mount(const MountConfig& config, BuildContext& context) {
  if (!require_one(config.site, "site", config.body, "body", context)) return std::nullopt;
  if (!config.site.empty()) {
    const auto site = context.find_site(config.site);
    if (!site) return std::nullopt;
    return Mount{context.model.site(*site).body, context.model.site(*site).X_BS};
  }
  const auto body = context.find_body(config.body);
  if (!body) return std::nullopt;
  return Mount{*body, {}};
}

template <std::size_t kCount>
std::optional<std::array<Slot, kCount>> add_measurements(const std::array<const char*, kCount>& quantities,
                                                         std::string_view unit, BuildContext& context) {
  std::array<Slot, kCount> slots{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto slot = context.add_signal(quantities[i], unit, SignalRole::kMeasurement);
    if (!slot) return std::nullopt;
    slots[i] = *slot;
  }
  return slots;
}

constexpr std::array<const char*, 3> kXyz = {"x", "y", "z"};

std::unique_ptr<Sensor> make_joint_sensor(const JointSensorConfig& config, BuildContext& context) {
  const auto joint = context.find_axis_joint(config.joint);
  if (!joint) return nullptr;
  const AxisWords& words = words_for(context.model, *joint);
  const auto position = context.add_signal(words.position, words.position_unit, SignalRole::kMeasurement);
  const auto speed = context.add_signal("speed", words.speed_unit, SignalRole::kMeasurement);
  // Not 'torque': an actuator of the same name may have that.
  const auto effort = context.add_signal("effort", words.effort_unit, SignalRole::kMeasurement);
  if (!position || !speed || !effort) return nullptr;
  return std::make_unique<JointSensor>(*joint, JointSensor::Slots{*position, *speed, *effort});
}

std::unique_ptr<Sensor> make_pose_sensor(const PoseSensorConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto position = add_measurements(kXyz, "m", context);
  const auto orientation = add_measurements(std::array{"qw", "qx", "qy", "qz"}, "", context);
  if (!position || !orientation) return nullptr;
  return std::make_unique<PoseSensor>(*mount, *position, *orientation);
}

std::unique_ptr<Sensor> make_velocity_sensor(const VelocitySensorConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto linear = add_measurements(std::array{"vx", "vy", "vz"}, "m/s", context);
  const auto angular = add_measurements(std::array{"wx", "wy", "wz"}, "rad/s", context);
  if (!linear || !angular) return nullptr;
  return std::make_unique<VelocitySensor>(*mount, config.axes, *linear, *angular);
}

std::unique_ptr<Sensor> make_accelerometer(const AccelerometerConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto slots = add_measurements(kXyz, "m/s^2", context);
  if (!slots) return nullptr;
  return std::make_unique<Accelerometer>(*mount, *slots);
}

std::unique_ptr<Sensor> make_gyro(const GyroConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto slots = add_measurements(kXyz, "rad/s", context);
  if (!slots) return nullptr;
  return std::make_unique<Gyro>(*mount, *slots);
}

/// The body that stands for all those of a robot that are fixed to each other.
BodyId rigid_root(const Model& model, BodyId id) {
  while (model.body(id).parent != kWorldBody && is_welded(model, model.body(id))) id = model.body(id).parent;
  return id;
}

/// "arm" of "arm/forearm"; an object stands for itself.
std::string_view robot_of(const Model& model, BodyId id) {
  const std::string_view name = model.body(id).name;
  return name.substr(0, name.find('/'));
}

std::vector<BodyId> find_ignored(Ignored ignored, const Model& model, BodyId own) {
  std::vector<BodyId> bodies;
  if (ignored == Ignored::kNothing || own == kWorldBody) return bodies;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyId other{static_cast<int>(i)};
    if (ignored == Ignored::kOwnRobot ? robot_of(model, other) == robot_of(model, own)
                                      : rigid_root(model, other) == rigid_root(model, own)) {
      bodies.push_back(other);
    }
  }
  return bodies;
}

std::unique_ptr<Sensor> make_distance_sensor(const DistanceSensorConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount) return nullptr;
  const auto distance = context.add_signal("distance", "m", SignalRole::kMeasurement);
  if (!distance) return nullptr;
  DistanceSensor::Slots slots{*distance, {}};
  if (config.bearing) {
    const auto bearing = add_measurements(std::array{"azimuth", "elevation"}, "rad", context);
    if (!bearing) return nullptr;
    slots.bearing = *bearing;
  }
  const DistanceSensor::Settings settings{.range = config.range,
                                          .minimum = config.minimum,
                                          .nothing = config.nothing.value_or(config.range),
                                          .angle = config.angle,
                                          .rays = config.rays};
  return std::make_unique<DistanceSensor>(*mount, slots,
                                          find_ignored(config.ignore, context.model, mount->body), settings);
}

std::unique_ptr<Sensor> make_force_sensor(const ForceSensorConfig& config, BuildContext& context) {
  const auto joint = context.find_joint(config.joint);
  if (!joint) return nullptr;
  if (context.model.joint(*joint).type == JointType::kFree) {
    context.error_at("joint", "joint '{}' is free and hands over no force; expected one of another type",
                     context.model.joint(*joint).name);
    return nullptr;
  }
  const auto force = add_measurements(std::array{"force_x", "force_y", "force_z"}, "N", context);
  const auto torque = add_measurements(std::array{"torque_x", "torque_y", "torque_z"}, "N*m", context);
  if (!force || !torque) return nullptr;
  return std::make_unique<ForceSensor>(*joint, context.model.joint(*joint).body, config.axes, *force, *torque);
}

std::optional<ShapeSet> find_shape_set(const std::string& given, BuildContext& context) {
  const auto shapes = context.find_shapes(given);
  if (!shapes) return std::nullopt;
  ShapeSet set(context.model.shapes.size(), false);
  for (const ShapeId shape : *shapes) set.add(shape);
  return set;
}

std::optional<ShapeSet> find_material_set(const std::string& given, BuildContext& context) {
  const auto material = context.find_material(given);
  if (!material) return std::nullopt;
  ShapeSet set(context.model.shapes.size(), false);
  for (std::size_t i = 0; i < context.model.shapes.size(); ++i) {
    if (context.model.shapes[i].material == *material) set.add(ShapeId{static_cast<int>(i)});
  }
  return set;
}

std::unique_ptr<Sensor> make_touch_sensor(const TouchSensorConfig& config, BuildContext& context) {
  if (!require_one(config.body, "body", config.shape, "shape", context)) return nullptr;
  auto feels = find_shape_set(config.body.empty() ? config.shape : config.body, context);
  const auto touch = context.add_signal("touch", "", SignalRole::kMeasurement);
  if (!feels || !touch) return nullptr;
  return std::make_unique<ContactSensor>(std::move(*feels), ShapeSet(context.model.shapes.size(), true),
                                         config.threshold, ContactSensor::Slots{*touch, {}, {}});
}

std::unique_ptr<Sensor> make_contact_sensor(const ContactSensorConfig& config, BuildContext& context) {
  if (!require_one(config.a, "a", config.material_a, "material_a", context)) return nullptr;
  const bool meets_anything = config.b.empty() && config.material_b.empty();
  if (!meets_anything && !require_one(config.b, "b", config.material_b, "material_b", context)) return nullptr;
  auto a = config.a.empty() ? find_material_set(config.material_a, context) : find_shape_set(config.a, context);
  auto b = meets_anything     ? ShapeSet(context.model.shapes.size(), true)
           : config.b.empty() ? find_material_set(config.material_b, context)
                              : find_shape_set(config.b, context);
  const auto touch = context.add_signal("touch", "", SignalRole::kMeasurement);
  const auto force = context.add_signal("force", "N", SignalRole::kMeasurement);
  const auto points = context.add_signal("points", "", SignalRole::kMeasurement);
  if (!a || !b || !touch || !force || !points) return nullptr;
  return std::make_unique<ContactSensor>(std::move(*a), std::move(*b), config.threshold,
                                         ContactSensor::Slots{*touch, force, points});
}

std::unique_ptr<Sensor> make_contact_force_sensor(const ContactForceSensorConfig& config,
                                                  BuildContext& context) {
  const auto body = context.find_body(config.body);
  if (!body) return nullptr;
  const auto slots = add_measurements(kXyz, "N", context);
  if (!slots) return nullptr;
  return std::make_unique<ContactForceSensor>(*body, config.axes, *slots);
}

std::unique_ptr<Sensor> make_closure_sensor(const ClosureSensorConfig&, BuildContext& context) {
  const std::string prefix = context.scope.empty() ? "" : context.scope + "/";
  std::vector<std::pair<SiteId, SiteId>> loops;
  for (const LoopModel& loop : context.model.loops) {
    if (loop.name.starts_with(prefix)) loops.emplace_back(loop.a, loop.b);
  }
  if (loops.empty()) {
    context.error_at("", "there is no <loop> in the {}; expected at least one",
                     context.scope.empty() ? "scenario" : "robot");
    return nullptr;
  }
  const auto gap = context.add_signal("gap", "m", SignalRole::kMeasurement);
  if (!gap) return nullptr;
  return std::make_unique<ClosureSensor>(std::move(loops), *gap);
}

}  // namespace

void add_builtin_sensors(Registry& registry) {
  Kinds<Sensor>& sensors = registry.sensors;
  sensors.add<JointSensorConfig>(
      "joint", "Position and speed of a hinge or slide joint, and the effort of its actuators.",
      make_joint_sensor);
  sensors.add<PoseSensorConfig>("pose", "Position and orientation of a site or body in the world.",
                                make_pose_sensor);
  sensors.add<VelocitySensorConfig>("velocity", "Linear and angular velocity of a site or body.",
                                    make_velocity_sensor);
  sensors.add<AccelerometerConfig>(
      "accelerometer", "Proper acceleration in the sensor's axes: +9.81 m/s^2 upwards at rest, 0 in free fall.",
      make_accelerometer);
  sensors.add<GyroConfig>("gyro", "Angular velocity in the sensor's axes.", make_gyro);
  sensors.add<DistanceSensorConfig>(
      "distance", "Distance along +x of a site or body to the nearest shape, by a ray or a cone of rays.",
      make_distance_sensor);
  sensors.add<ForceSensorConfig>(
      "force", "Force and torque that a parent hands to its link through a joint or lock.", make_force_sensor);
  sensors.add<TouchSensorConfig>("touch", "Bumper: 1 while a body or shape touches something, else 0.",
                                 make_touch_sensor);
  sensors.add<ContactSensorConfig>(
      "contact", "Whether two things or two materials touch, their normal force and their contact points.",
      make_contact_sensor);
  sensors.add<ContactForceSensorConfig>("contact_force", "Sum of all contact forces on a body.",
                                        make_contact_force_sensor);
  sensors.add<ClosureSensorConfig>(
      "closure",
      "Largest distance between the two sites of a loop, of all loops of the robot or of the scenario.",
      make_closure_sensor);
}

}  // namespace lockstep
