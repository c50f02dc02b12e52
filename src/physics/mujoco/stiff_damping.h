#pragma once

#include <vector>

#include "physics/mujoco/tree_matrix.h"

namespace lockstep {

/// Lets explicit stages carry any damping of joints. Stages of a step h are stable while h M^-1 D stays below a
/// bound. The part D_s of the damping beyond that bound is treated implicitly:
///
///     (M + h D_s) a = f(q, v),     f with the whole damping force - D v.
///
/// Ordinary damping has no such part, and then nothing is changed.
class StiffDamping {
 public:
  explicit StiffDamping(const mjModel& m);

  /// At the start of a step; `d` holds the mass matrix.
  void begin(const mjModel& m, const mjData& d);
  /// After the acceleration of a stage was solved for.
  void adjust(const mjModel& m, mjData& d);

 private:
  bool has_damping_ = false;
  bool is_stiff_ = false;  // in the step being taken
  std::vector<double> excess_;
  TreeMatrix matrix_;
};

}  // namespace lockstep
