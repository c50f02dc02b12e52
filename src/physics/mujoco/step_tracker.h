#pragma once

#include <span>
#include <vector>

#include "lockstep/world.h"
#include "physics/mujoco/forces.h"
#include "physics/mujoco/instance.h"
#include "physics/mujoco/joint_reactions.h"

namespace lockstep {

/// Results of a step beyond its final state: contact forces, accelerations and joint reactions, as requested by
/// Tracking. The current step captures them separately; they replace those of the last step only if it
/// succeeds.
class StepTracker {
 public:
  StepTracker(const MujocoInstance& instance, const AppliedForces& forces);

  void track(Tracking tracking);
  void fit_capacity() { track(tracking_); }  ///< after the capacity of the solver has grown
  bool is_tracking() const { return tracking_.contact_forces || tracking_.accelerations; }

  /// Of the last step; empty or zero if not requested.
  std::span<const ContactPoint> contacts() const { return last_.contacts; }
  BodyAcceleration acceleration(BodyId body) const;
  JointReaction reaction(JointId joint) const;

  void begin();
  /// Sets the fraction of the step for which the data captured from now on apply.
  void set_fraction(double fraction) { fraction_ = fraction; }
  /// For an impact: an observer sees the velocity jump as a mean acceleration over the step. Call it with
  /// `factor` -1 before MuJoCo has the new velocities, and with 1 after.
  void add_velocities(double factor);
  void capture_impulses();
  /// Call it after the constraints of the step are solved, with the velocities of its start.
  void capture();
  void finish();  ///< the step has succeeded
  void forget();  ///< clears the last and the current step

 private:
  struct Tracked {
    std::vector<ContactPoint> contacts;
    std::vector<BodyAcceleration> accelerations;  // by body
    std::vector<Wrench> reactions;                // by joint
    bool has_accelerations = false;               // of a step
  };

  void capture_contacts(bool of_impact);
  void capture_accelerations();
  void capture_reactions();

  const MujocoInstance& instance_;
  const AppliedForces& forces_;
  Tracking tracking_;  // including what joint reactions need
  JointReactions reactions_;
  double fraction_ = 1.0;
  Tracked last_;
  Tracked capturing_;  // becomes last_ when the step has succeeded
};

}  // namespace lockstep
