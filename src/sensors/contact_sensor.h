#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/reading.h"

/// Contact sensors: a bumper (touch), contact between two sets of shapes, and the contact force on a body. All
/// read the contacts of the last physics step; before the first step there are none.
namespace lockstep {

/// A subset of the shapes of a model.
class ShapeSet {
 public:
  ShapeSet(std::size_t shapes, bool all) : is_in_(shapes, all ? 1 : 0) {}
  void add(ShapeId shape) { is_in_[index(shape)] = 1; }
  bool contains(ShapeId shape) const { return is_in_[index(shape)] != 0; }
  bool empty() const { return std::find(is_in_.begin(), is_in_.end(), 1) == is_in_.end(); }

 private:
  std::vector<std::uint8_t> is_in_;
};

struct TouchSensorConfig {
  std::string body;
  std::string shape;
  double threshold = 0.0;
};

template <class V>
void describe(V& v, TouchSensorConfig& c) {
  v.text("body", c.body, {.doc = "Link or object to sense with all of its shapes. Give this or 'shape'."});
  v.text("shape", c.shape,
         {.doc = "One shape to sense with, such as 'chassis/bumper': the name of the link, '/' and the name or "
                 "number of the shape."});
  v.number("threshold", c.threshold,
           {.unit = "N", .min = 0.0, .doc = "Reads 1 if the sum of the normal forces is above this."});
}

struct ContactSensorConfig {
  std::string a;
  std::string b;
  std::string material_a;
  std::string material_b;
  double threshold = 0.0;
};

template <class V>
void describe(V& v, ContactSensorConfig& c) {
  v.text("a", c.a, {.doc = "A link, object, shape, ground or whole robot. Give this or 'material_a'."});
  v.text("b", c.b, {.doc = "The other side, likewise; anything if this and 'material_b' are omitted."});
  v.text("material_a", c.material_a, {.doc = "All shapes of a material instead of 'a'."});
  v.text("material_b", c.material_b, {.doc = "All shapes of a material instead of 'b'."});
  v.number("threshold", c.threshold,
           {.unit = "N", .min = 0.0, .doc = "'touch' is 1 if the sum of the normal forces is above this."});
}

/// Contact between two sets of shapes: whether they touch (0 or 1), the sum of the normal forces (N), and the
/// number of contact points. A bumper (<touch>) has only the first.
///
///     touch = 1 if sum of f_n > threshold, else 0
class ContactSensor final : public Sensor {
 public:
  struct Slots {
    Slot touches{};
    std::optional<Slot> force;
    std::optional<Slot> points;
  };

  ContactSensor(ShapeSet a, ShapeSet b, double threshold, const Slots& slots)
      : a_(std::move(a)), b_(std::move(b)), threshold_(threshold), slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override;
  Tracking needs() const override { return {.contact_forces = true}; }

 private:
  ShapeSet a_;
  ShapeSet b_;
  double threshold_;
  Slots slots_;
};

struct ContactForceSensorConfig {
  std::string body;
  Axes axes = Axes::kWorld;
};

template <class V>
void describe(V& v, ContactForceSensorConfig& c) {
  v.text("body", c.body, {.doc = "Link or object to measure.", .required = true});
  v.choice("axes", c.axes, kAxes, {.doc = "Axes of the readings: those of the world, or of the body."});
}

/// Sum of all contact forces on a body, N, in world or body axes. A body at rest on the ground reads m g
/// upwards.
class ContactForceSensor final : public Sensor {
 public:
  ContactForceSensor(BodyId body, Axes axes, const Slots3& slots) : body_(body), axes_(axes), slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override;
  Tracking needs() const override { return {.contact_forces = true}; }

 private:
  BodyId body_;
  Axes axes_;
  Slots3 slots_;
};

std::unique_ptr<Sensor> make_touch_sensor(const TouchSensorConfig& config, BuildContext& context);
std::unique_ptr<Sensor> make_contact_sensor(const ContactSensorConfig& config, BuildContext& context);
std::unique_ptr<Sensor> make_contact_force_sensor(const ContactForceSensorConfig& config,
                                                  BuildContext& context);

}  // namespace lockstep
