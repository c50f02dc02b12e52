#include "physics/mujoco/tree_matrix.h"

#include <algorithm>

namespace lockstep {
namespace {

/// Fraction of the diagonal entry of an eliminated degree of freedom that damping may use; the rest remains for its
/// ancestors.
constexpr double kDampingFraction = 0.5;

std::size_t first_entry(const mjModel& m, int dof) {
  return static_cast<std::size_t>(m.dof_Madr[dof]);
}

}  // namespace

void TreeMatrix::set_to_mass(const mjModel& m, const mjData& d) {
  std::copy_n(d.qM, m.nM, entries_.begin());
}

void TreeMatrix::add_to_diagonal(const mjModel& m, std::span<const double> values, double factor) {
  for (int i = 0; i < m.nv; ++i) entries_[first_entry(m, i)] += factor * values[static_cast<std::size_t>(i)];
}

void TreeMatrix::add_product(const mjModel& m, const double* v, double factor) {
  for (int i = 0; i < m.nv; ++i) {
    if (v[i] == 0.0) continue;
    std::size_t entry = first_entry(m, i);
    for (int j = i; j >= 0; j = m.dof_parentid[j]) entries_[entry++] += factor * v[i] * v[j];
  }
}

void TreeMatrix::eliminate(const mjModel& m, int dof) {
  const std::size_t pivot = first_entry(m, dof);
  std::size_t entry = pivot + 1;
  for (int i = m.dof_parentid[dof]; i >= 0; i = m.dof_parentid[i], ++entry) {
    const double factor = entries_[entry] / entries_[pivot];
    std::size_t of_ancestor = first_entry(m, i), of_dof = entry;
    for (int j = i; j >= 0; j = m.dof_parentid[j]) entries_[of_ancestor++] -= factor * entries_[of_dof++];
    entries_[entry] = factor;
  }
}

void TreeMatrix::factorise(const mjModel& m) {
  for (int i = m.nv - 1; i >= 0; --i) eliminate(m, i);
}

void TreeMatrix::solve(const mjModel& m, double* x) const {
  for (int i = m.nv - 1; i >= 0; --i) {
    std::size_t entry = first_entry(m, i) + 1;
    for (int j = m.dof_parentid[i]; j >= 0; j = m.dof_parentid[j]) x[j] -= entries_[entry++] * x[i];
  }
  for (int i = 0; i < m.nv; ++i) {
    std::size_t entry = first_entry(m, i);
    x[i] /= entries_[entry++];
    for (int j = m.dof_parentid[i]; j >= 0; j = m.dof_parentid[j]) x[i] -= entries_[entry++] * x[j];
  }
}

bool TreeMatrix::find_excess(const mjModel& m, std::span<const double> damping, double scale,
                             std::span<double> excess) {
  bool any = false;
  for (int i = m.nv - 1; i >= 0; --i) {
    const auto dof = static_cast<std::size_t>(i);
    double& pivot = entries_[first_entry(m, i)];
    const double taken = std::min(scale * damping[dof], kDampingFraction * pivot);
    excess[dof] = std::max(0.0, damping[dof] - taken / scale);
    any = any || excess[dof] > 0.0;
    pivot -= taken;
    eliminate(m, i);
  }
  return any;
}

}  // namespace lockstep
