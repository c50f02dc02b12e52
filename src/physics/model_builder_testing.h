#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "lockstep/model.h"

/// Small models for the tests of engines, built in C++.
namespace lockstep {

/// Adds elements to a Model one by one and returns their ids.
class SmallModel {
 public:
  explicit SmallModel(Duration step = std::chrono::milliseconds(1)) {
    model.step = step;
    model.gravity = {0.0, 0.0, -9.81};
    model.bodies.emplace_back().name = "world";
    add_material("default");
  }

  /// A material with the same contact parameters against every other, until contact() changes them.
  MaterialId add_material(std::string name, const ContactModel& contact_model = {}) {
    Material& material = model.materials.emplace_back();
    material.name = std::move(name);
    material.friction = contact_model.friction;
    material.torsional_friction = contact_model.torsional_friction;
    material.rolling_friction = contact_model.rolling_friction;
    material.restitution = contact_model.restitution;
    material.stiffness = contact_model.stiffness;
    const std::size_t count = model.materials.size();
    std::vector<ContactModel> contacts(count * count, contact_model);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      for (std::size_t j = 0; j + 1 < count; ++j) contacts[i * count + j] = model.contacts[i * (count - 1) + j];
    }
    model.contacts = std::move(contacts);
    return MaterialId{static_cast<int>(count) - 1};
  }

  ContactModel& contact(MaterialId a, MaterialId b) {
    return model.contacts[index(a) * model.materials.size() + index(b)];
  }
  /// Changes the contact parameters of two materials, in both orders.
  void set_contact(MaterialId a, MaterialId b, const ContactModel& contact_model) {
    contact(a, b) = contact(b, a) = contact_model;
  }

  /// A body without shapes, welded to its parent.
  BodyId add_body(std::string name, BodyId parent, const Pose& X_PB, double mass = 0.0,
                  const Vec3& inertia = Vec3::Zero(), const Vec3& center = Vec3::Zero()) {
    model.bodies.push_back({.name = std::move(name),
                            .parent = parent,
                            .X_PB = X_PB,
                            .joint = {},
                            .mass = {mass, center, inertia.asDiagonal()},
                            .place = {}});
    return BodyId{static_cast<int>(model.bodies.size()) - 1};
  }

  /// Adds a joint to the body, at zero and at rest; change the returned joint before the next is added.
  JointModel& add_joint(BodyId body, JointType type, const Vec3& axis = Vec3::UnitZ(),
                        const Vec3& position = Vec3::Zero()) {
    JointModel joint;
    joint.name = model.body(body).name + "/joint";
    joint.type = type;
    joint.body = body;
    joint.position = position;
    joint.axis = axis;
    joint.initial_position.assign(position_count(type), 0.0);
    joint.initial_velocity.assign(velocity_count(type), 0.0);
    if (type == JointType::kBall) joint.initial_position[0] = 1.0;
    if (type == JointType::kFree) {
      const Pose& X = model.body(body).X_PB;
      joint.initial_position = {X.p.x(), X.p.y(), X.p.z(), X.q.w(), X.q.x(), X.q.y(), X.q.z()};
    }
    model.bodies[index(body)].joint = JointId{static_cast<int>(model.joints.size())};
    model.joints.push_back(joint);
    return model.joints.back();
  }

  ShapeId add_shape(BodyId body, ShapeGeometry geometry, MaterialId material = {}, const Pose& X_BS = {}) {
    ShapeModel shape;
    shape.name = model.body(body).name + "/shape";
    shape.body = body;
    shape.X_BS = X_BS;
    shape.geometry = std::move(geometry);
    shape.material = material;
    model.shapes.push_back(shape);
    return ShapeId{static_cast<int>(model.shapes.size()) - 1};
  }

  ShapeId add_ground(MaterialId material = {}) { return add_shape(kWorldBody, PlaneGeometry{}, material); }

  /// A ball that flies freely.
  BodyId add_ball(std::string name, const Vec3& position, double radius, double mass,
                  MaterialId material = {}) {
    const BodyId body = add_body(std::move(name), kWorldBody, {position, Quat::Identity()}, mass,
                                 Vec3::Constant(0.4 * mass * radius * radius));
    add_joint(body, JointType::kFree);
    add_shape(body, Sphere{radius}, material);
    return body;
  }

  /// A box that flies freely.
  BodyId add_box(std::string name, const Pose& X_WB, const Vec3& size, double mass, MaterialId material = {}) {
    const Vec3 s = size.cwiseAbs2();
    const Vec3 inertia = mass / 12.0 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
    const BodyId body = add_body(std::move(name), kWorldBody, X_WB, mass, inertia);
    add_joint(body, JointType::kFree);
    add_shape(body, Box{size}, material);
    return body;
  }

  SiteId add_site(BodyId body, const Pose& X_BS) {
    model.sites.push_back({fmt::format("site{}", model.sites.size()), body, X_BS});
    return SiteId{static_cast<int>(model.sites.size()) - 1};
  }

  std::shared_ptr<const Model> share() const { return std::make_shared<const Model>(model); }

  Model model;
};

}  // namespace lockstep
