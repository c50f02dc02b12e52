#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

#include "base/math.h"

namespace lockstep {

/// The motion of kinematic trees with free or ball joints over one step, for integrators that evaluate forces
/// once.
///
/// Velocities of free and ball joints are in axes that turn with the body. Taken at the start of a step, the
/// gyroscopic torque w × I w then feeds energy into everything that wobbles, until it diverges. Here forces
/// change velocities first, all at once and without Coriolis forces c; then the tree moves on without forces:
///
///     v1 = v + h M^-1 f                         forces
///     u = v1 - h/2 M^-1 c(q, u)                 mean velocity of the free motion
///     q' = q moved by h u                       rotations through the Cayley map
///     S · (H(q', v') - H(q, v1)) = 0            velocities after the step
///
/// H is the momentum, linear and angular, of all that a joint carries, and S the mean of the joint's axes before
/// and after. That is symmetric in time. A free body keeps its energy and its momentum exactly, what floats
/// freely keeps its momentum exactly, and the energy of trees does not drift. Trees with neither free nor ball
/// joints, and those that move so slowly that it makes no difference, are left as they are, bit for bit.
class TurningTrees {
 public:
  /// Without `is_wanted` there are none.
  TurningTrees(const mjModel& m, bool is_wanted);

  bool empty() const { return trees_.empty(); }  ///< then there is nothing to call

  /// At the start of a step.
  void begin(const mjModel& m, mjData& d);
  /// When velocities and positions have been integrated as for all joints, but everything else still describes
  /// the start of the step: puts the positions right. Returns the first degree of freedom of a tree that turns
  /// too far in one step; -1 if there is none.
  int move(mjModel& m, mjData& d);
  /// When positions, but not yet velocities, have been brought up to date: puts the velocities right.
  void finish(const mjModel& m, mjData& d);

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;  // rotation and translation, or angular and linear momentum

  struct Tree {
    int first_dof = 0;
    int dof_count = 0;
    double energy = 0.0;   // twice the kinetic one, at the start of the step
    bool is_fast = false;  // in the step being taken
    double part = 0.0;     // calc_part() of the last iteration
  };
  static std::vector<Tree> find_trees(const mjModel& m);

  /// Twice the kinetic energy of a change of velocities, over that of the tree.
  static double calc_part(const Tree& tree, std::span<const double> impulse, std::span<const double> change);
  /// Whether the iteration that has just changed velocities would change them by next to nothing if repeated.
  /// If not, `open` is the first degree of freedom of a tree for which that is not so.
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
  std::vector<Vec6> momenta_;  // by body, of all it carries, after the forces
  // By degree of freedom.
  std::vector<double> impulse_;              // of Coriolis forces in the step
  std::vector<double> slowing_;              // what it takes off the velocities
  std::vector<double> after_forces_, mean_;  // velocities
  std::vector<double> new_impulse_, change_;
  std::vector<Vec6> new_momenta_;
};

}  // namespace lockstep
