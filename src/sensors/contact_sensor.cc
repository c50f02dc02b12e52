#include "sensors/contact_sensor.h"

#include <cmath>

#include "device/context.h"

namespace lockstep {
namespace {

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

}  // namespace

void ContactSensor::sense(const World& world, const Instant&, Row row) {
  double force = 0.0;
  double points = 0.0;
  for (const ContactPoint& contact : world.contacts()) {
    const bool is_between = (a_.contains(contact.a) && b_.contains(contact.b)) ||
                            (a_.contains(contact.b) && b_.contains(contact.a));
    if (!is_between) continue;
    force += std::abs(contact.force.dot(contact.normal));
    points += 1.0;
  }
  row[slots_.touches] = force > threshold_ ? 1.0 : 0.0;
  if (slots_.force) row[*slots_.force] = force;
  if (slots_.points) row[*slots_.points] = points;
}

void ContactForceSensor::sense(const World& world, const Instant&, Row row) {
  const std::vector<ShapeModel>& shapes = world.model().shapes;
  Vec3 sum_W = Vec3::Zero();
  for (const ContactPoint& contact : world.contacts()) {
    if (shapes[index(contact.b)].body == body_) sum_W += contact.force;
    if (shapes[index(contact.a)].body == body_) sum_W -= contact.force;
  }
  write(row, slots_, in_axes(axes_, world.body_pose(body_).q, sum_W));
}

std::unique_ptr<Sensor> make_touch_sensor(const TouchSensorConfig& config, BuildContext& context) {
  if (!context.require_one(config.body, "body", config.shape, "shape")) return nullptr;
  auto feels = find_shape_set(config.body.empty() ? config.shape : config.body, context);
  const auto touch = context.add_signal("touch", "", SignalRole::kMeasurement);
  if (!feels || !touch) return nullptr;
  return std::make_unique<ContactSensor>(std::move(*feels), ShapeSet(context.model.shapes.size(), true),
                                         config.threshold, ContactSensor::Slots{*touch, {}, {}});
}

std::unique_ptr<Sensor> make_contact_sensor(const ContactSensorConfig& config, BuildContext& context) {
  if (!context.require_one(config.a, "a", config.material_a, "material_a")) return nullptr;
  const bool meets_anything = config.b.empty() && config.material_b.empty();
  if (!meets_anything && !context.require_one(config.b, "b", config.material_b, "material_b")) return nullptr;
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

}  // namespace lockstep
