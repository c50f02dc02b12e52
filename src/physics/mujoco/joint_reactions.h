#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "lockstep/world.h"
#include "physics/mujoco/compile.h"

namespace lockstep {

/// Joint reactions: the wrench that a parent exerts on its child through the joint. MuJoCo solves for motions,
/// not for the forces inside a tree, but those follow from Newton and Euler: the rate of change of the momentum
/// of a joint's subtree, minus all external forces on the subtree, acts through the joint.
class JointReactions {
 public:
  JointReactions(const Model& model, const CompiledModel& compiled);

  void begin();  ///< a step

  /// Adds the forces of loops and detachable joints, which act for this fraction of the step. Call it after each
  /// constraint solution; impacts and substeps add further ones.
  void add_closures(const mjModel& m, const mjData& d, double fraction);

  /// By joint, N and N m, world axes, torques about the anchors. `d` is at the start of the step; the
  /// accelerations are those of the body origins, gravity not included. Omits the motors of detachable joints.
  void calc(const mjModel& m, const mjData& d, std::span<const BodyAcceleration> accelerations,
            std::span<const ContactPoint> contacts, std::span<Wrench> reactions);

 private:
  Wrench calc_change_of_momentum(const mjModel& m, const mjData& d, int body,
                                 const BodyAcceleration& acceleration) const;
  double calc_spring_force(const mjData& d, std::size_t spring) const;
  /// Subtracts a wrench that acts on `b`, and its opposite on `a`, from the joint reactions.
  void subtract(BodyId a, BodyId b, const Wrench& on_b);

  const Model& model_;
  const CompiledModel& compiled_;
  std::vector<int> rope_of_spring_;  // MuJoCo's actuator; -1 for a spring
  // Torques are about the origin of the world, so that wrenches add up.
  std::vector<Wrench> closures_;  // on the second body
  std::vector<Wrench> carried_;   // by the joint of each body
};

}  // namespace lockstep
