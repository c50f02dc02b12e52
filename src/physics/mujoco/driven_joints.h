#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "lockstep/world.h"

namespace lockstep {

/// A driven joint in MuJoCo's model.
struct DrivenDof {
  JointId joint{};
  int dof = 0;
  int coordinate = 0;     ///< in qpos
  double armature = 0.0;  ///< of the joint, kg m^2 or kg
  double ballast = 0.0;   ///< what MuJoCo's armature has in addition, kg m^2 or kg
};

/// Joints that follow a given motion exactly (World::drive_joint()).
///
/// Their accelerations a are known, so the other accelerations are solved relative to them, y = qacc - a:
///
///     (M + B) y = f - M a + J^T p,     J y >= aref - J a, and so on for all constraints.
///
/// B is a ballast on the diagonal of the driven joints that no force in the model can move: there y is zero to
/// rounding errors, and -B y is the force of the drive. So MuJoCo's solvers and our impacts need no other rules, and
/// a collision with a driven body is one with an infinitely heavy body. The ballast has no energy, as it has no
/// velocity of its own.
///
/// In a step the motion is the cubic polynomial through position and velocity at its start and end. Integrators that
/// evaluate forces once use the mean acceleration, so that velocities at the end agree; Runge-Kutta has the exact
/// motion in every stage.
class DrivenJoints {
 public:
  /// Where a joint goes in the coming step.
  struct Target {
    bool is_given = false;
    JointMotion end;
  };

  DrivenJoints(std::vector<DrivenDof> dofs, const mjModel& m);
  void fit_capacity(const mjModel& m);  ///< after the capacity of the solver has grown

  bool empty() const { return dofs_.empty(); }  ///< then no function does anything
  std::span<const DrivenDof> dofs() const { return dofs_; }

  void set_target(JointId joint, const JointMotion& end);
  const std::vector<Target>& targets() const { return targets_; }  ///< by driven joint
  void set_targets(const std::vector<Target>& targets) { targets_ = targets; }
  void clear_targets();

  void begin_step(const mjModel& m, const mjData& d);
  /// From and to a fraction of the step: sets the mean acceleration.
  void begin_substep(const mjModel& m, const mjData& d, double from, double to);
  /// Sets position, velocity and acceleration at a fraction of the substep.
  void set_stage(mjData& d, double fraction);
  void set_end(mjData& d) const;  ///< position and velocity at the end of the substep
  void set_end_velocities(mjData& d) const;

  /// Around mj_fwdConstraint(): makes everything that it reads relative, and its results absolute again.
  void begin_relative(const mjModel& m, mjData& d);
  void finish_relative(mjData& d);
  /// The same for another matrix than M: forces of all degrees of freedom, and the accelerations that solve it.
  /// `extra` times `factor` is a diagonal that the matrix has in addition.
  void make_relative(std::span<const double> extra, double factor, double* force) const;
  void make_absolute(double* acceleration);
  /// What TreeMatrix::add_product() adds to the matrix.
  void subtract_product(const mjModel& m, const double* v, double factor, double* force) const;

  /// Takes the forces of the last solution as those of the substep, or of a stage of it with this weight.
  void take_forces(double weight);
  /// Of the step so far, including impacts, by driven joint: mean force, N m or N, and work, J. The work is that of
  /// WorkMeter, h f (v + v') / 2.
  std::span<const double> step_forces() const { return step_forces_; }
  std::span<const double> step_work() const { return step_work_; }

  /// Around an impact; the latter returns the work of all drives in it, J.
  void begin_impact(const mjModel& m, const mjData& d);
  double finish_impact(const mjModel& m, mjData& d);

  /// Subtracts the momentum of the ballast.
  void subtract_ballast(const double* velocity, double* momentum) const;

 private:
  JointMotion calc_motion(std::size_t i, double fraction) const;
  double calc_acceleration(std::size_t i, double fraction) const;

  std::vector<DrivenDof> dofs_;
  std::vector<Target> targets_;
  std::vector<JointMotion> starts_, ends_;                // of the step
  double step_ = 0.0;                                     // s
  double from_ = 0.0, to_ = 1.0;                          // of the substep
  std::vector<double> forces_, step_forces_, step_work_;  // by driven joint
  // By degree of freedom.
  std::vector<double> acceleration_;  // a
  std::vector<double> inertial_;      // M a
  std::vector<double> smooth_;        // qfrc_smooth
  std::vector<double> velocity_, momentum_;
  // By row.
  std::vector<double> rows_, references_;
};

}  // namespace lockstep
