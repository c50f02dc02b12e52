#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/state.h"
#include "lockstep/world.h"
#include "physics/mujoco/instance.h"

namespace lockstep {

/// Measures the work done on the bodies since the start, by cause (Work). Over a step of length h it is
///
///     h f · (v + v') / 2
///
/// for a force f, the mean over the stages of the step, that changes the velocities from v to v', which is exactly
/// the kinetic energy that f adds. What the current step adds counts only if the step succeeds.
class WorkMeter {
 public:
  explicit WorkMeter(const MujocoInstance& instance);

  /// Forces applied from now on are of this source; see World::attribute_forces().
  void set_source(std::size_t source) {
    source_ = static_cast<std::uint32_t>(source);
    if (source >= by_source_.size()) by_source_.resize(source + 1, 0.0);
  }
  void add_joint_force(JointId joint, std::span<const double> force);
  /// The same for a hinge or slide.
  void add_axis_force(JointId joint, double force) {
    const double* velocity = instance_.joints[index(joint)].velocity.data();
    joint_forces_.push_back({velocity, force, force * *velocity, source_, joint, 0});
  }
  void add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench);
  void add_drive(JointId joint);
  /// The decrease of a force per speed, which the integrator treats implicitly; by MuJoCo's ids.
  void add_dof_damping(int dof, double damping) { dampings_.push_back({source_, false, dof, damping}); }
  void add_tendon_damping(int tendon, double damping) { dampings_.push_back({source_, true, tendon, damping}); }
  /// The same for a change of positions or attachments between two steps, J.
  void add_change(double energy);
  void drop_forces();
  /// After velocities have been changed by anything else, which does no work, or MuJoCo's data have moved.
  void update_powers();

  void begin_step() {
    step_ = {};
    for (ActuatorDamping& damping : dampings_) damping.work = 0.0;
  }
  /// Starts again with the velocities after an impact whose contacts changed the energy by this, J.
  void add_impact(double energy);
  /// After a substep of an integrator that evaluates forces once, while MuJoCo's data still have them: they changed
  /// the velocities from `before` to `after`, and dampers acted on the `damped` velocities.
  void add_substep(const double* before, const double* damped, const double* after);
  // The same for Runge-Kutta: at the start of a substep, then for each stage with its weight, then with the
  // velocities after the substep. `stiff_damping` is the part of the joint damping that also acts on the change of
  // the velocities in the substep, by MuJoCo's acceleration; empty if there is none.
  void begin_stages();
  void add_stage(double weight, std::span<const double> stiff_damping);
  void finish_stages(const double* after);
  void finish_step();  ///< the step has succeeded; velocities are those of the new instant

  Work total() const;

  /// All of it, as a value.
  struct State;
  void write(StateWriter& writer) const;
  State read(StateReader& reader) const;  ///< throws StateError
  void set(State state);

 private:
  // Forces in the coming step, and their power at its start, W.
  struct JointForce {
    const double* velocity = nullptr;  // in MuJoCo's data; update_powers() finds it again
    double force = 0.0;                // N or N m
    double power = 0.0;
    std::uint32_t source = 0;
    JointId joint{};
    std::uint32_t component = 0;  // of the joint's velocities
  };
  struct BodyForce {
    std::uint32_t source = 0;
    BodyId body{};
    Vec3 point_B;
    Wrench wrench;
    double power = 0.0;
  };
  struct ActuatorDamping {
    std::uint32_t source = 0;
    bool on_tendon = false;
    int id = 0;            // degree of freedom or tendon
    double damping = 0.0;  // N m s/rad or N s/m
    double work = 0.0;     // in the current step, J
  };
  struct Losses {
    double damping = 0.0;
    double friction = 0.0;
    double contacts = 0.0;
  };

  static double calc_power(const JointForce& force) { return force.force * *force.velocity; }
  double calc_power(const BodyForce& force) const;
  double calc_tendon_rate(int tendon, const double* velocities) const;
  double calc_rope_rate(int rope, const double* velocities) const;

  const MujocoInstance& instance_;
  std::vector<int> damped_dofs_, rough_dofs_, damped_tendons_;
  std::uint32_t source_ = 0;
  std::vector<double> by_source_;
  std::vector<JointForce> joint_forces_;
  std::vector<BodyForce> body_forces_;
  std::vector<ActuatorDamping> dampings_;
  std::vector<std::uint32_t> drive_sources_;  // by driven joint
  Losses total_, step_;                       // until now, and of the current step
  std::vector<double> start_, mean_;          // velocities
  // Mean forces of the substep, by degree of freedom, tendon and rope.
  std::vector<double> damping_, friction_, constraint_, tendon_damping_, rope_damping_;
};

struct WorkMeter::State {
  std::vector<double> by_source;
  std::vector<JointForce> joint_forces;
  std::vector<BodyForce> body_forces;
  std::vector<ActuatorDamping> dampings;
  std::vector<std::uint32_t> drive_sources;
  Losses total;
};

}  // namespace lockstep
