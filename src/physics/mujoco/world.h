#pragma once

#include <array>
#include <memory>

#include "lockstep/world.h"
#include "physics/mujoco/dynamics.h"
#include "physics/mujoco/forces.h"
#include "physics/mujoco/instance.h"
#include "physics/mujoco/step_start.h"
#include "physics/mujoco/step_tracker.h"
#include "physics/mujoco/stepper.h"
#include "physics/mujoco/work_meter.h"

namespace lockstep {

/// World simulated by MuJoCo; physics/mujoco/instance.h lists its components.
class MujocoWorld final : public World {
 public:
  /// Throws UserError if MuJoCo rejects the model.
  explicit MujocoWorld(std::shared_ptr<const Model> model);

  Pose body_pose(BodyId body) const override;
  Twist body_velocity(BodyId body) const override { return calc_body_velocity(instance_, body); }
  BodyAcceleration body_acceleration(BodyId body) const override { return tracker_.acceleration(body); }
  std::span<const double> joint_position(JointId joint) const override {
    return instance_.joints[index(joint)].position;
  }
  std::span<const double> joint_velocity(JointId joint) const override {
    return instance_.joints[index(joint)].velocity;
  }
  std::span<const double> joint_force(JointId joint) const override { return forces_.last_of(joint); }
  JointReaction joint_reaction(JointId joint) const override { return tracker_.reaction(joint); }
  bool is_attached(JointId joint) const override;

  std::span<const ContactPoint> contacts() const override { return tracker_.contacts(); }
  WorldReport report(const ReportParts& parts) const override;
  std::optional<RayHit> cast_ray(const Vec3& origin, const Vec3& direction, double range,
                                 std::span<const BodyId> ignored) const override;

  void add_joint_force(JointId joint, std::span<const double> force) override;
  void add_axis_force(const Axis& axis, const AxisForce& force) override;
  void add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench) override {
    forces_.add_to_body(body, point_W, wrench);
    meter_.add_body_force(body, point_W, wrench);
  }
  void drive_joint(JointId joint, const JointMotion& end) override {
    forces_.add_motion(joint, end);
    meter_.add_drive(joint);
  }
  void attribute_forces(std::size_t source) override { meter_.set_source(source); }
  void set_attached(JointId joint, bool attached) override;
  void set_joint_position(JointId joint, double position) override;
  void track(Tracking tracking) override { tracker_.track(tracking); }

  Status step() override;

  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  void add_implicit_damping(const Axis& axis, const AxisForce& force);
  void take_step(Status& status);
  void fail(Status& status);
  /// Gives the solver a larger capacity, and sets the state to `start`; false if it has the largest one.
  bool grow(const StepStart& start);

  MujocoInstance instance_;
  Dynamics dynamics_;
  AppliedForces forces_;
  StepTracker tracker_;
  WorkMeter meter_;
  Stepper stepper_;
  double start_energy_ = 0.0;            // J
  bool is_moved_ = false;                // a joint position was set since the last step
  std::array<StepStart, 2> starts_;      // the two below, swapped in every step
  StepStart* start_ = &starts_[0];       // of the current step
  StepStart* last_start_ = &starts_[1];  // of the last step; valid after the first step
};

}  // namespace lockstep
