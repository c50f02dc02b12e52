#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "lockstep/state.h"
#include "physics/mujoco/instance.h"

namespace lockstep {

/// Forces applied in the next step. They add up in MuJoCo's qfrc_applied and xfrc_applied. The forces on joints
/// are also kept separately, because MuJoCo stores those of detachable joints as forces on bodies.
class AppliedForces {
 public:
  /// All forces, as a value.
  struct Values {
    bool any = false;               ///< else the rest is meaningless
    bool any_on_bodies = false;     ///< else on_bodies is meaningless
    std::vector<double> on_dofs;    ///< MuJoCo's qfrc_applied
    std::vector<double> on_bodies;  ///< MuJoCo's xfrc_applied
    std::vector<double> by_joint;   ///< sums of add_to_joint(), N m or N
    bool is_damped = false;         ///< else damping is meaningless
    std::vector<double> damping;    ///< as damping() returns it
  };

  explicit AppliedForces(MujocoInstance& instance);

  void add_to_joint(JointId joint, std::span<const double> force);
  /// The same for a hinge or slide, in every step of every motor and thus inline.
  void add_to_axis(JointId joint, double force) {
    const JointPlace& place = instance_.joints[index(joint)];
    if (!place.is_simple || !std::isfinite(force)) return add_to_joint(joint, {&force, 1});
    has_any_ = true;
    next_[place.force_offset] += force;
    *place.applied += force;
  }
  /// Where a driven joint goes in the next step.
  void add_motion(JointId joint, const JointMotion& end);
  /// Makes the forces of the drives part of last_of(), after a step and before finish_step().
  void take_drive_forces();
  void add_to_body(BodyId body, const Vec3& point_W, const Wrench& wrench);
  /// Adds the decrease of a force per speed of a degree of freedom or a tendon, by MuJoCo's ids.
  void add_dof_damping(int dof, double damping) { add_damping(static_cast<std::size_t>(dof), damping); }
  void add_tendon_damping(int tendon, double damping) {
    add_damping(static_cast<std::size_t>(instance_.m->nv + tendon), damping);
  }

  /// The first joint or body that got NaN or infinity; empty if all forces are finite.
  const std::string& invalid() const { return invalid_; }

  /// What the above have added for the next step, by degree of freedom, then by tendon; empty if there is none.
  std::span<const double> damping() const {
    return is_damped_ ? std::span<const double>(damping_) : std::span<const double>();
  }

  std::span<const double> next_of(JointId joint) const;  ///< for the next step
  std::span<const double> last_of(JointId joint) const;  ///< of the last step

  /// After a step: clears all forces, because each acts for one step; last_of() keeps those of joints.
  void finish_step();
  void clear();        ///< clears those of the next step
  void forget_last();  ///< clears those of the last step

  Values make_values() const;  ///< in full size, so that copy_to() never allocates
  void copy_to(Values& values) const;
  /// After clear().
  void set(const Values& values);

  /// Writes those of the next step, in the same bytes as the write() of Values.
  void write(StateWriter& writer) const;
  static void write(const Values& values, StateWriter& writer);
  Values read(StateReader& reader) const;
  void set_invalid(std::string name) { invalid_ = std::move(name); }

 private:
  /// Borrowed Values.
  struct View {
    bool any = false;
    bool any_on_bodies = false;
    std::span<const double> on_dofs;
    std::span<const double> on_bodies;
    std::span<const double> by_joint;
    std::span<const double> damping;  // empty if there is none
  };
  void add_damping(std::size_t i, double damping) {
    is_damped_ = true;
    damping_[i] += damping;
  }
  static void write(const View& view, StateWriter& writer);

  MujocoInstance& instance_;
  std::vector<double> next_;  // by joint
  std::vector<double> last_;
  std::vector<double> damping_;
  bool is_damped_ = false;
  bool has_any_ = false;
  bool has_any_on_bodies_ = false;
  bool had_any_ = false;
  std::string invalid_;
};

}  // namespace lockstep
