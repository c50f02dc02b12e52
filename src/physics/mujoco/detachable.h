#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

#include "physics/mujoco/compile.h"

namespace lockstep {

/// Detachable joints. The child is a free body of MuJoCo, so this class provides what a joint of the tree
/// would: position and velocity from the relative motion, torques on both bodies, and no contact between child
/// and parent while they are attached.
class DetachableJoints {
 public:
  DetachableJoints(const Model& model, const CompiledModel& compiled);

  bool empty() const { return joints_.empty(); }
  bool contains(JointId joint) const { return entry_of_joint_[index(joint)] != kNone; }
  bool is_attached(JointId joint) const { return states_[entry_of_joint_[index(joint)]].attached; }
  std::span<const double> position(JointId joint) const;
  std::span<const double> velocity(JointId joint) const;

  void set_attached(JointId joint, bool attached, mjModel& m);
  /// Equal and opposite torques (N m) on child and parent; none if the joint is detached.
  void add_torque(JointId joint, std::span<const double> torque, mjData& d) const;
  /// The torque on the child, world axes, N m.
  Vec3 calc_torque(JointId joint, std::span<const double> torque, const mjData& d) const;

  /// After mj_collision(): removes contacts of children with their parents. A detached pair collides again once
  /// it has separated; with `watch`, the separation is recorded.
  void filter_contacts(const mjModel& m, mjData& d, bool watch);

  /// Updates positions and velocities at a new instant; angles continue beyond a full turn.
  void update(const mjModel& m, const mjData& d);

  /// State that does not follow from the poses of the bodies.
  struct State {
    bool attached = true;
    bool apart = false;  ///< detached, and separated from the parent since
    double angle = 0.0;  ///< of a hinge, with full turns, rad
  };
  const std::vector<State>& states() const { return states_; }
  void set_states(const std::vector<State>& states, mjModel& m);

 private:
  struct Entry {
    JointId joint{};
    JointType type = JointType::kFixed;
    int parent = 0;  // MuJoCo's body ids
    int child = 0;
    int first_equality = 0;
    int equality_count = 0;
    Quat q_PJ;  // joint frame, z along its axis, in parent and child
    Quat q_BJ;
    std::array<double, 4> position{};
    std::array<double, 3> velocity{};
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const Entry& entry(JointId joint) const { return joints_[entry_of_joint_[index(joint)]]; }
  void switch_equalities(std::size_t i, mjModel& m) const;
  static bool joins(const Entry& entry, const mjModel& m, int body1, int body2);

  std::vector<Entry> joints_;
  std::vector<State> states_;  // of the same joints
  std::vector<std::size_t> entry_of_joint_;
};

}  // namespace lockstep
