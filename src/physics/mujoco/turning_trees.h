#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "lockstep/math.h"
#include "physics/mujoco/driven_joints.h"

namespace lockstep {

/// Motion of kinematic trees with free or ball joints over one step, for integrators that evaluate forces once.
///
/// Velocities of free and ball joints are in axes that turn with the body. If the gyroscopic torque w × I w is
/// evaluated at the start of a step, every wobble gains energy until it diverges. Here the forces, without the
/// Coriolis forces c, change the velocities first; then the tree moves without forces:
///
///     v1 = v + h M^-1 f                         forces
///     u = v1 - h/2 M^-1 c(q, u)                 mean velocity of the free motion
///     q' = q moved by h u                       rotations through the Cayley map
///     S · (H(q', v') - H(q, v1)) = 0            velocities after the step
///
/// H is the linear and angular momentum of everything that a joint carries, and S the mean of the joint's axes
/// before and after. That is symmetric in time. A free body keeps its energy and momentum exactly, a floating tree
/// keeps its momentum exactly, and the energy of trees does not drift. Trees without free and ball joints, and
/// trees that move so slowly that it makes no difference, are unchanged, bit for bit.
///
/// The step is mjModel's timestep, which is shorter during substeps (substeps.h). Impacts change velocities before
/// begin() and so need nothing here.
class TurningTrees {
 public:
  /// If not `enabled`, there are no trees.
  TurningTrees(const mjModel& m, bool enabled);

  bool empty() const { return trees_.empty(); }  ///< then no other function needs to be called

  /// At the start of a step.
  void begin(const mjModel& m, mjData& d, const DrivenJoints& driven);
  /// After velocities and positions have been integrated as for all joints, while everything else still
  /// describes the start of the step: corrects the positions. Returns the first degree of freedom of a tree that
  /// rotates too far in one step; -1 if there is none.
  int move(mjModel& m, mjData& d);
  /// By degree of freedom: by how much the Coriolis forces of fast trees reduced the velocities that the common
  /// integration found; valid between begin() and move().
  const std::vector<double>& slowing() const { return slowing_; }
  /// After everything that depends on positions, but not on velocities, has been updated: corrects the velocities.
  void finish(const mjModel& m, mjData& d);

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;  // rotation and translation, or angular and linear momentum

  struct Tree {
    int first_dof = 0;
    int dof_count = 0;
    double energy = 0.0;   // twice the kinetic energy at the start of the step
    bool is_fast = false;  // in the current step
    double change = 0.0;   // calc_relative_change() of the last iteration
  };
  static std::vector<Tree> find_trees(const mjModel& m);

  /// A change of velocities relative to the velocities of the tree, in the norm of kinetic energy.
  static double calc_relative_change(const Tree& tree, std::span<const double> impulse,
                                     std::span<const double> change);
  /// Whether a further iteration would not change the velocities significantly. If it would, `open` is the first
  /// degree of freedom of a tree that has not converged.
  bool has_converged(int& open);
  void calc_coriolis_impulse(mjModel& m, mjData& d);
  void clear_slow_trees(std::vector<double>& numbers) const;
  void calc_momenta(const mjModel& m, const mjData& d, std::vector<Vec6>& momenta) const;
  void move_joint(const mjModel& m, mjData& d, int joint) const;

  std::vector<Tree> trees_;
  bool any_fast_ = false;
  // At the start of the step, with axes and momenta about the centre of mass of each tree there.
  std::vector<double> qpos_, centers_;
  std::vector<Vec6> axes_;     // by degree of freedom
  std::vector<Vec6> momenta_;  // by body, including everything it carries, after the forces
  // By degree of freedom.
  std::vector<double> impulse_;              // of Coriolis forces in the step
  std::vector<double> slowing_;              // reduction of the velocities by this impulse
  std::vector<double> after_forces_, mean_;  // velocities
  std::vector<double> new_impulse_, change_;
  std::vector<Vec6> new_momenta_;
};

}  // namespace lockstep
