#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

namespace lockstep {

/// The mass matrix plus other terms, in MuJoCo's sparse format: for each degree of freedom, the entries with itself
/// and its ancestors, M = L^T D L.
class TreeMatrix {
 public:
  explicit TreeMatrix(const mjModel& m) : entries_(static_cast<std::size_t>(m.nM)) {}

  void set_to_mass(const mjModel& m, const mjData& d);
  void add_to_diagonal(const mjModel& m, std::span<const double> values, double factor);
  /// Adds factor · v v^T without the entries that couple two branches. v is the gradient of the distance of two
  /// points, which is zero for degrees of freedom that carry both, so the sum stays positive definite.
  void add_product(const mjModel& m, const double* v, double factor);

  /// Call it before solve().
  void factorise(const mjModel& m);
  /// Replaces the right-hand side x by the solution.
  void solve(const mjModel& m, double* x) const;

  /// Subtracts `scale` · damping from the diagonal during factorisation, as far as the matrix stays positive
  /// definite, and writes the rest, in units of damping, to `excess`. Returns whether there is a rest. Afterwards
  /// the matrix must be set again.
  bool find_excess(const mjModel& m, std::span<const double> damping, double scale, std::span<double> excess);

 private:
  void eliminate(const mjModel& m, int dof);

  std::vector<double> entries_;
};

}  // namespace lockstep
