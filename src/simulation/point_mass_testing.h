#pragma once

#include <memory>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "simulation/pacing.h"
#include "simulation/simulation.h"

/// For tests: a minimal world, a mass of 1 kg that slides along x, with a drive and a sensor.
namespace lockstep {

class PointMassWorld final : public World {
 public:
  static std::shared_ptr<const Model> make_model(Duration step = std::chrono::milliseconds(1)) {
    Model model;
    model.name = "point";
    model.step = step;
    model.materials.resize(1);
    model.contacts.resize(1);
    BodyModel world;
    world.name = "world";
    BodyModel cart;
    cart.name = "cart";
    cart.joint = JointId{0};
    cart.mass.mass = 1.0;
    JointModel rail;
    rail.name = "rail";
    rail.type = JointType::kSlide;
    rail.axis = Vec3::UnitX();
    rail.body = BodyId{1};
    rail.detachable = true;
    rail.initial_position = {0.0};
    rail.initial_velocity = {0.0};
    model.bodies = {world, cart};
    model.joints = {rail};
    return std::make_shared<const Model>(std::move(model));
  }

  explicit PointMassWorld(std::shared_ptr<const Model> model) : World(std::move(model)) {}

  Pose body_pose(BodyId) const override { return {Vec3(position_, 0, 0), Quat::Identity()}; }
  Twist body_velocity(BodyId) const override { return {Vec3(velocity_, 0, 0), Vec3::Zero()}; }
  BodyAcceleration body_acceleration(BodyId) const override { return {}; }
  std::span<const double> joint_position(JointId) const override { return {&position_, 1}; }
  std::span<const double> joint_velocity(JointId) const override { return {&velocity_, 1}; }
  std::span<const double> joint_force(JointId) const override { return {&last_force_, 1}; }
  JointReaction joint_reaction(JointId) const override { return {}; }
  bool is_attached(JointId) const override { return attached_; }
  std::span<const ContactPoint> contacts() const override { return {}; }
  WorldReport report(const ReportParts&) const override {
    return {.energy = {0.5 * velocity_ * velocity_, 0.0},
            .momentum = {Vec3(velocity_, 0, 0), Vec3::Zero()},
            .solver = {}};
  }
  std::optional<RayHit> cast_ray(const Vec3&, const Vec3&, double, std::span<const BodyId>) const override {
    return {};
  }
  void add_joint_force(JointId, std::span<const double> force) override { force_ += force[0]; }
  void add_axis_force(const Axis&, const AxisForce& force) override { force_ += force.force; }
  void add_body_force(BodyId, const Vec3&, const Wrench& wrench) override { force_ += wrench.force.x(); }
  void drive_joint(JointId, const JointMotion&) override {}
  void attribute_forces(std::size_t) override {}
  void set_attached(JointId, bool attached) override { attached_ = attached; }
  void set_joint_position(JointId, double position) override {
    position_ = position;
    velocity_ = 0.0;
  }
  void track(Tracking) override {}

  Status step() override {
    if (!std::isfinite(force_))
      return {Outcome::kInvalidInput, step_count_, "rail", "the force is not a number"};
    const double dt = to_seconds(model_->step);
    velocity_ += force_ * dt;
    position_ += velocity_ * dt;
    last_force_ = force_;
    force_ = 0.0;
    ++step_count_;
    return {};
  }

  void save(StateWriter& writer) const override {
    writer.write(step_count_);
    for (const double value : {position_, velocity_, last_force_, force_}) writer.write(value);
    writer.write(attached_);
  }
  void restore(StateReader& reader) override {
    step_count_ = reader.read<std::int64_t>();
    for (double* value : {&position_, &velocity_, &last_force_, &force_}) *value = reader.read<double>();
    attached_ = reader.read<bool>();
  }

 private:
  double position_ = 0.0;
  double velocity_ = 0.0;
  double force_ = 0.0;
  double last_force_ = 0.0;
  bool attached_ = true;
};

/// Drives the cart with a command signal.
class Push1D final : public Actuator {
 public:
  explicit Push1D(Slot command) : command_(command) {}
  void actuate(const Instant&, Row row, World& world) override {
    const double force = row[command_];
    world.add_joint_force(JointId{0}, {&force, 1});
  }

 private:
  Slot command_;
};

/// Measures the position of the cart.
class CartSensor final : public Sensor {
 public:
  explicit CartSensor(Slot position) : position_(position) {}
  void sense(const World& world, const Instant&, Row row) override {
    row[position_] = world.joint_position(JointId{0})[0];
  }

 private:
  Slot position_;
};

/// The mass alone, without devices.
inline Simulation make_point_mass() {
  SimulationSetup setup;
  setup.model = PointMassWorld::make_model();
  setup.world = std::make_unique<PointMassWorld>(setup.model);
  return Simulation(std::move(setup));
}

/// A clock that the test advances.
class FakeClock final : public WallClock {
 public:
  Time now() override { return now_; }
  void wait_until(Time deadline) override { now_ = std::max(now_, deadline) + wake_late_; }
  void pass(Duration time) { now_ += time; }
  void wake_late_by(Duration late) { wake_late_ = late; }

 private:
  Time now_{};
  Duration wake_late_{0};
};

}  // namespace lockstep
