#pragma once

#include <span>
#include <vector>

#include "physics/mujoco/forces.h"
#include "physics/mujoco/instance.h"
#include "physics/mujoco/joint_reactions.h"
#include "physics/world.h"

namespace lockstep {

/// What is kept of a step beyond the state it leads to: contact forces, accelerations and joint reactions, as
/// far as Tracking asks for them. A step being taken captures them beside those of the last one, which are
/// replaced only when it succeeds.
class StepTracker {
 public:
  StepTracker(const MujocoInstance& instance, const AppliedForces& forces);

  void track(Tracking tracking);
  bool is_tracking() const { return tracking_.contact_forces || tracking_.accelerations; }

  /// Of the last step; empty or zero where nothing was asked for.
  std::span<const ContactPoint> contacts() const { return last_.contacts; }
  BodyAcceleration acceleration(BodyId body) const;
  JointReaction reaction(JointId joint) const;

  void begin();
  /// After an impact: an observer sees the jump of the velocities as a mean over the step. Called with
  /// `factor` -1 before the new velocities are known to MuJoCo, and with 1 after.
  void add_velocities(double factor);
  void capture_impulses();
  /// After the constraints of the step are solved, with its velocities at the start.
  void capture();
  void finish();  ///< the step has succeeded
  void forget();  ///< the last step and the one being taken

 private:
  struct Tracked {
    std::vector<ContactPoint> contacts;
    std::vector<BodyAcceleration> accelerations;  // by body
    std::vector<Wrench> reactions;                // by joint
    bool has_accelerations = false;               // of a step
  };

  void capture_contacts();
  void capture_accelerations();
  void capture_reactions();

  const MujocoInstance& instance_;
  const AppliedForces& forces_;
  Tracking tracking_;  // with all that joint reactions need
  JointReactions reactions_;
  Tracked last_;
  Tracked capturing_;  // becomes last_ when the step has succeeded
};

}  // namespace lockstep
