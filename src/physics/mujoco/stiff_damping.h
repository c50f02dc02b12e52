#pragma once

#include <span>
#include <vector>

#include "physics/mujoco/driven_joints.h"
#include "physics/mujoco/tree_matrix.h"

namespace lockstep {

/// Makes explicit stages stable with joint damping of any strength. Stages of a step h are stable if h M^-1 D is
/// below a limit. The part D_s of the damping above that limit is treated implicitly:
///
///     (M + h D_s) a = f(q, v),     f with the whole damping force - D v.
///
/// Ordinary damping has no such part, and then the results are unchanged.
class StiffDamping {
 public:
  explicit StiffDamping(const mjModel& m);

  /// At the start of a step; `d` holds the mass matrix.
  void begin(const mjModel& m, const mjData& d);
  /// After the acceleration of a stage has been computed.
  void adjust(const mjModel& m, mjData& d, DrivenJoints& driven);
  /// D_s of the current step, by degree of freedom; empty if there is none.
  std::span<const double> stiff_part() const {
    return is_stiff_ ? std::span<const double>(excess_) : std::span<const double>();
  }

 private:
  bool has_damping_ = false;
  bool is_stiff_ = false;  // in the current step
  std::vector<double> excess_;
  TreeMatrix matrix_;
};

}  // namespace lockstep
