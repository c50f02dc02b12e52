#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "physics/mujoco/compile.h"
#include "physics/world.h"

namespace lockstep {

/// What joints hand from parent to child. MuJoCo solves for motions, not for the forces inside a tree, but
/// those follow from Newton and Euler: what changes the momentum of a joint's whole subtree, less all that acts
/// on the subtree from outside, must have come through the joint.
class JointReactions {
 public:
  JointReactions(const Model& model, const CompiledModel& compiled);

  void begin();  ///< a step

  /// Takes in what loops and detachable joints carry. Called after each solution of the constraints; an impact
  /// makes a second one.
  void add_closures(const mjModel& m, const mjData& d);

  /// World axes, torques about the anchors, by joint. `d` stands where the step begins; the accelerations are
  /// those of the bodies' origins, gravity not included. Omits the motors of detachable joints.
  void calc(const mjModel& m, const mjData& d, std::span<const BodyAcceleration> accelerations,
            std::span<const ContactPoint> contacts, std::span<Wrench> reactions);

 private:
  Wrench calc_change_of_momentum(const mjModel& m, const mjData& d, int body,
                                 const BodyAcceleration& acceleration) const;
  double calc_spring_force(const mjData& d, std::size_t spring) const;
  /// Takes a wrench that acts on `b`, and its opposite on `a`, out of what the joints carry.
  void take_out(BodyId a, BodyId b, const Wrench& on_b);

  const Model& model_;
  const CompiledModel& compiled_;
  std::vector<int> rope_of_spring_;  // MuJoCo's actuator; -1 for a spring
  // Torques are about the origin of the world, so that wrenches add up.
  std::vector<Wrench> closures_;  // on the second body
  std::vector<Wrench> carried_;   // by the joint of each body
};

}  // namespace lockstep
