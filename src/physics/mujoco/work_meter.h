#pragma once

#include <array>
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
  void set_source(std::size_t source);
  void add_joint_force(JointId joint, std::span<const double> force);
  void add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench);
  /// The decrease of a force per speed, which the integrator treats implicitly; by MuJoCo's ids.
  void add_dof_damping(int dof, double damping) { add_damping(Kind::kDof, dof, damping); }
  void add_tendon_damping(int tendon, double damping) { add_damping(Kind::kTendon, tendon, damping); }
  /// The same for a change of positions or attachments between two steps, J.
  void add_change(double energy);
  void drop_forces() { forces_.clear(); }

  void begin_step();
  /// Starts again with the velocities after an impact that changed the energy by this, J.
  void add_impact(double energy);
  /// At the start of a substep; velocities are those before its forces.
  void begin_substep();
  /// Takes the forces of the substep as they are in MuJoCo's data, or of a stage of it with this weight; dampers act
  /// on the `damped` velocities. `stiff_damping` is the part of the joint damping that also acts on the change of
  /// the velocities in the substep, by MuJoCo's acceleration; empty if there is none.
  void add_forces(double weight, const double* damped, std::span<const double> stiff_damping = {});
  /// After the forces of the substep have changed the velocities of its start to `after`.
  void finish_substep(const double* after);
  void finish_step();  ///< the step has succeeded; velocities are those of the new instant

  Work total() const;

  /// All of it, as a value.
  struct State;
  void write(StateWriter& writer) const;
  State read(StateReader& reader) const;  ///< throws StateError
  void set(State state);

 private:
  enum class Kind : std::uint8_t { kBody, kJoint, kDof, kTendon };
  /// A force on a joint or a body in the coming step, or how one decreases with a speed.
  struct Force {
    std::size_t source = 0;
    Kind kind = Kind::kBody;
    JointId joint{};
    std::array<double, 6> joint_force{};
    BodyId body{};
    Vec3 point_B = Vec3::Zero();
    Wrench wrench;
    int damped = 0;        // degree of freedom or tendon
    double damping = 0.0;  // N m s/rad or N s/m
    double work = 0.0;     // of the damping in the current step, J
    double power = 0.0;    // at the start of the step, W
  };
  struct Losses {
    double damping = 0.0;
    double friction = 0.0;
    double contacts = 0.0;
  };

  void add_damping(Kind kind, int damped, double damping);
  double calc_power(const Force& force) const;
  void set_powers();
  double calc_tendon_rate(int tendon, const double* velocities) const;
  double calc_rope_rate(int rope, const double* velocities) const;

  const MujocoInstance& instance_;
  std::vector<int> damped_dofs_, rough_dofs_, damped_tendons_;
  std::size_t source_ = 0;
  std::vector<double> by_source_;
  std::vector<Force> forces_;
  Losses total_, step_;               // until now, and of the current step
  std::vector<double> start_, mean_;  // velocities
  // Mean forces of the substep, by degree of freedom, tendon and rope.
  std::vector<double> damping_, friction_, constraint_, tendon_damping_, rope_damping_;
};

struct WorkMeter::State {
  std::vector<double> by_source;
  std::vector<Force> forces;
  Losses total;
};

}  // namespace lockstep
