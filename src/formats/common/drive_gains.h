#pragma once

#include <limits>
#include <span>
#include <vector>

#include "formats/common/format.h"
#include "lockstep/model.h"

/// Gains of the drives of an imported robot, and a step and an integrator that fit them.
namespace lockstep {

struct WantedDrive {
  DriveKind kind = DriveKind::kNone;
  double max_effort = std::numeric_limits<double>::infinity();  ///< N m or N
};

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
  bool loses_all_speed = true;  ///< every joint has damping, or a drive that damps and can carry its weight
};

/// A servo gives way by at most this much under the weight it may carry, rad or m.
inline constexpr double kMaxSagAngle = 0.03, kMaxSagLength = 0.003;

/// Chooses critically damped gains for the inertia that each joint moves, from the mass matrix in the initial and
/// in other poses. The forces of drives are constant within a step h, so that with damping d and stiffness k they
/// are stable for h M^-1 d < 2 and h^2 M^-1 k < 4; both stay below half of that in every pose. If a servo could
/// then not hold the weight, the step becomes smaller: 1 ms, 0.5 ms or 0.25 ms.
///
/// The integrator is rk4, which keeps energy, unless every joint loses its speed anyway, or the robot moves freely
/// and lives on its contacts; then euler, which needs a quarter of the time. Both treat strong joint damping
/// implicitly.
///
/// `drives` is by JointId; joints that follow others have none.
DriveChoice choose_gains(const Model& model, std::span<const WantedDrive> drives);

}  // namespace lockstep
