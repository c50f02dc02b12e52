#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <vector>

namespace lockstep {

/// The mass matrix with something added to it, in MuJoCo's storage: of each degree of freedom, the entries
/// towards itself and its ancestors, M = L^T D L.
class TreeMatrix {
 public:
  explicit TreeMatrix(const mjModel& m) : entries_(static_cast<std::size_t>(m.nM)) {}

  void set_to_mass(const mjModel& m, const mjData& d);
  void add_to_diagonal(const mjModel& m, std::span<const double> values, double factor);
  /// Adds factor · v v^T except what couples two branches. v is the gradient of the distance of two points, on
  /// which nothing depends that carries both, so what is added stays positive.
  void add_product(const mjModel& m, const double* v, double factor);

  /// Afterwards the matrix can be solved with.
  void factorise(const mjModel& m);
  /// x becomes the solution; it comes in as the right-hand side.
  void solve(const mjModel& m, double* x) const;

  /// Takes `scale` · damping off the diagonal while factorising, but so little of each that the matrix stays
  /// positive definite, and writes what could not be taken off, in units of damping, to `excess`. Returns
  /// whether there is any. Afterwards the matrix is of no use.
  bool find_excess(const mjModel& m, std::span<const double> damping, double scale, std::span<double> excess);

 private:
  void eliminate(const mjModel& m, int dof);

  std::vector<double> entries_;
};

}  // namespace lockstep
