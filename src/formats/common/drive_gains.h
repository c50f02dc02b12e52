#pragma once

#include <span>
#include <vector>

#include "formats/common/format.h"
#include "lockstep/model.h"

/// Gains of the drives of an imported robot, and a step and an integrator that fit them.
namespace lockstep {

struct DriveGains {
  double stiffness = 0.0;  ///< of a servo, N m/rad or N/m
  double damping = 0.0;    ///< of a servo, or the gain of a speed servo, N m s/rad or N s/m
};

struct DriveChoice {
  std::vector<DriveGains> gains;  ///< by JointId; zero for joints without such a drive
  Duration step{0};
  Integrator integrator = Integrator::kEuler;
  std::size_t soft = 0;         ///< servos that give way by more than kMaxSagAngle or kMaxSagLength
  std::size_t springy = 0;      ///< servos with less than critical damping, to hold the weight
  double damping_rate = 0.0;    ///< 1/s, of the fastest decay by joint damping
  bool loses_all_speed = true;  ///< every joint has damping or a drive that damps
};

/// A servo gives way by at most this much under the weight it may carry, rad or m.
inline constexpr double kMaxSagAngle = 0.03, kMaxSagLength = 0.003;

/// Chooses critically damped gains for the inertia that each joint moves, from the mass matrix in the initial and
/// in other poses. The forces of drives are constant within a step h, so that with damping d and stiffness k they
/// are stable for h M^-1 d < 2 and h^2 M^-1 k < 4; both stay below half of that in every pose. If a servo could
/// then not hold the weight, the step becomes smaller: 1 ms, 0.5 ms or 0.25 ms.
///
/// `kinds` is what drives each joint, by JointId; joints that follow others have no drive.
DriveChoice choose_gains(const Model& model, std::span<const DriveKind> kinds);

}  // namespace lockstep
