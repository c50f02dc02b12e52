#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

#include "physics/mujoco/compile.h"

namespace lockstep {

/// Joints that can be let go. The child is a free body of MuJoCo, so what a joint in the tree would give for
/// nothing is made up here: position and velocity from the relative motion, torques on both sides, and no
/// contact between child and parent as long as they hold together.
class DetachableJoints {
 public:
  DetachableJoints(const Model& model, const CompiledModel& compiled);

  bool empty() const { return joints_.empty(); }
  bool contains(JointId joint) const { return entry_of_joint_[index(joint)] != kNone; }
  bool is_attached(JointId joint) const { return states_[entry_of_joint_[index(joint)]].attached; }
  std::span<const double> position(JointId joint) const;
  std::span<const double> velocity(JointId joint) const;

  void set_attached(JointId joint, bool attached, mjModel& m);
  /// Equal and opposite torques on child and parent; nothing if the joint is let go.
  void add_torque(JointId joint, std::span<const double> torque, mjData& d) const;
  /// The torque on the child of that, world axes, N m.
  Vec3 calc_torque(JointId joint, std::span<const double> torque, const mjData& d) const;

  /// After mj_collision(): takes out contacts of children with their parents. A pair that was let go touches
  /// again from the moment it has come apart; with `watch`, that moment is noticed.
  void filter_contacts(const mjModel& m, mjData& d, bool watch);

  /// Reads positions and velocities at a new instant; angles go on beyond a full turn.
  void update(const mjModel& m, const mjData& d);

  /// What cannot be told from the bodies' positions.
  struct State {
    bool attached = true;
    bool apart = false;  ///< let go, and away from the parent since
    double angle = 0.0;  ///< of a hinge, with full turns
  };
  const std::vector<State>& states() const { return states_; }
  void set_states(const std::vector<State>& states, mjModel& m);

 private:
  struct Entry {
    JointId joint{};
    JointType type = JointType::kFixed;
    int parent = 0;  // MuJoCo's bodies
    int child = 0;
    int first_equality = 0;
    int equality_count = 0;
    Quat q_PJ;  // frame of the joint, z along its axis, in parent and child
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
