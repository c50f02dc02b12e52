#pragma once

#include <span>
#include <vector>

#include "physics/mujoco/driven_joints.h"
#include "physics/mujoco/tree_matrix.h"

namespace lockstep {

/// Makes explicit stages stable with joint damping of any strength. Stages of a step h are stable if h M^-1 D is
/// below a limit. The part D_s of the damping above that limit is treated implicitly:
///
///     (M + h D_s) a = f(q, v) + J^T l,     f with the whole damping force - D v.
///
/// The forces l of contacts, stops and loops are those that hold with this acceleration: found for M alone, they
/// would only be enough for links that move as if they were not damped, and gain energy.
///
/// Ordinary damping has no such part, and then the results are unchanged.
class StiffDamping {
 public:
  explicit StiffDamping(const mjModel& m);

  /// At the start of a step; `d` holds the mass matrix.
  void begin(const mjModel& m, const mjData& d);
  /// After the acceleration of a stage has been computed.
  void adjust(const mjModel& m, mjData& d, DrivenJoints& driven);
  /// Whether the current step has such a part.
  bool is_stiff() const { return is_stiff_; }

  /// While it lives, the mass matrix of `d` contains h D of this damping, and so do the constraints. Not nested.
  class Heavier {
   public:
    Heavier(StiffDamping& owner, const mjModel& m, mjData& d, std::span<const double> damping);
    Heavier(const Heavier&) = delete;
    Heavier& operator=(const Heavier&) = delete;
    ~Heavier();

   private:
    StiffDamping& owner_;
    const mjModel& m_;
    mjData& d_;
  };

  /// D_s of the current step, by degree of freedom; empty if there is none.
  std::span<const double> stiff_part() const {
    return is_stiff_ ? std::span<const double>(excess_) : std::span<const double>();
  }

 private:
  bool may_be_stiff_ = false;  // in some configuration
  bool is_stiff_ = false;      // in the current step
  std::vector<double> excess_;
  std::vector<double> mass_, factor_, inverse_, root_;  // of the mass matrix, during Heavier
  TreeMatrix matrix_;
};

}  // namespace lockstep
