#include "formats/common/drive_gains.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>

#include "lockstep/state.h"
#include "model/kinematics.h"
#include "model/mass_matrix.h"

namespace lockstep {
namespace {

/// Natural frequency of a servo that has no weight to hold, rad/s.
constexpr double kUsualFrequency = 30.0;
/// Decay rate of a speed servo without weight, 1/s, and the speed at which its weight may move it, rad/s or m/s.
constexpr double kSpeedRate = 50.0, kCreep = 0.05;
/// d^2 / (k m) of critical damping is 4; what is close to it counts.
constexpr double kCritical = 3.9;
/// Largest h M^-1 d and h^2 M^-1 k.
constexpr double kMaxDamping = 0.8, kMaxStiffness = 0.25;
/// Damping that decays more slowly than this, 1/s, does not count as damping.
constexpr double kHardlyDamped = 1.0;
constexpr std::array<Duration, 3> kSteps = {std::chrono::microseconds(1000), std::chrono::microseconds(500),
                                            std::chrono::microseconds(250)};

/// Many joints: fewer poses, because each needs a factorisation.
int count_poses(Eigen::Index size) {
  return size <= 100 ? 16 : size <= 400 ? 4 : 1;
}

/// Positions of all hinges and slides: of number 0 the initial ones, of others within their limits.
std::vector<double> draw_positions(const Model& model, int number, Random& random) {
  std::vector<double> positions(model.joints.size(), 0.0);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointModel& joint = model.joints[i];
    if (position_count(joint.type) != 1) continue;
    positions[i] = joint.initial_position[0];
    if (number == 0) continue;
    const double reach = joint.type == JointType::kHinge ? std::numbers::pi : 0.1;
    const double lower = std::max(joint.lower.value_or(-reach), -reach);
    const double upper = std::min(joint.upper.value_or(reach), reach);
    if (lower < upper) positions[i] = lower + (upper - lower) * random.uniform();
  }
  for (const CouplingModel& coupling : model.couplings)
    positions[index(coupling.joint)] = coupling.ratio * positions[index(coupling.follows)] + coupling.offset;
  return positions;
}

/// What is known about the hinges and slides over all poses, by JointId.
struct Measured {
  std::vector<double> inertia;   ///< M_ii in the initial pose, with the joints that follow
  std::vector<double> smallest;  ///< of M_ii in any pose
  std::vector<double> weight;    ///< largest load of gravity, N m or N
  double spread = 1.0;           ///< largest eigenvalue of M^-1 diag(smallest)
  double damping_rate = 0.0;     ///< of M^-1 diag(joint damping)
};

std::vector<bool> find_followers(const Model& model) {
  std::vector<bool> follows(model.joints.size(), false);
  for (const CouplingModel& coupling : model.couplings) follows[index(coupling.joint)] = true;
  return follows;
}

bool has_free_base(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [](const JointModel& joint) { return joint.type == JointType::kFree; });
}

Measured measure(const Model& model, const std::vector<bool>& follows) {
  const std::size_t count = model.joints.size();
  Measured found{.inertia = std::vector<double>(count, 0.0),
                 .smallest = std::vector<double>(count, 0.0),
                 .weight = std::vector<double>(count, 0.0)};
  std::vector<Eigen::MatrixXd> matrices;
  std::vector<int> columns;
  Random random(1, "poses for gains");
  const bool is_free = has_free_base(model);
  int poses = 1;
  for (int number = 0; number < poses; ++number) {
    const std::vector<Pose> X_WB = calc_poses(model, draw_positions(model, number, random));
    MassMatrix mass = calc_mass_matrix(model, X_WB);
    columns = mass.columns;
    matrices.push_back(mass.matrix);
    add_followers(model, mass);
    poses = count_poses(matrices.back().rows());
    const std::vector<WeightOnJoint> weights = calc_weights(model, X_WB);
    std::vector<double> weight(count, 0.0);
    for (std::size_t body = 1; body < model.bodies.size(); ++body) {
      if (!model.bodies[body].joint) continue;
      weight[index(*model.bodies[body].joint)] =
          std::max(weights[body].below, is_free ? weights[body].above : 0.0);
    }
    for (const CouplingModel& coupling : model.couplings)
      weight[index(coupling.follows)] += std::abs(coupling.ratio) * weight[index(coupling.joint)];
    for (std::size_t i = 0; i < count; ++i) {
      if (velocity_count(model.joints[i].type) != 1) continue;
      // Couplings give way a little, so that stability depends on the joint alone.
      const double own = matrices.back()(columns[i], columns[i]);
      if (number == 0) {
        found.inertia[i] = mass.matrix(columns[i], columns[i]);
        found.smallest[i] = own;
      }
      found.smallest[i] = std::min(found.smallest[i], own);
      found.weight[i] = std::max(found.weight[i], weight[i]);
    }
  }
  for (const Eigen::MatrixXd& M : matrices) {
    Eigen::VectorXd smallest = Eigen::VectorXd::Zero(M.rows()), damping = smallest;
    for (std::size_t i = 0; i < count; ++i) {
      if (velocity_count(model.joints[i].type) != 1 || follows[i]) continue;
      smallest[columns[i]] = found.smallest[i];
      damping[columns[i]] = model.joints[i].damping;
    }
    found.spread = std::max(found.spread, calc_largest_rate(M, smallest));
    found.damping_rate = std::max(found.damping_rate, calc_largest_rate(M, damping));
  }
  return found;
}

/// Gains for one step length.
DriveGains calc_servo(double inertia, double smallest, double needed, double h, double spread) {
  const double max_damping = kMaxDamping * smallest / (h * spread);
  const double critical =
      std::min(std::max(kUsualFrequency, std::sqrt(needed / inertia)), 0.5 * max_damping / inertia);
  // If the weight needs more, less than critical damping is better than to give way.
  const double stiffness =
      std::max(inertia * critical * critical, std::min(needed, kMaxStiffness * smallest / (h * h * spread)));
  return {stiffness, std::min(2.0 * std::sqrt(stiffness * inertia), max_damping)};
}

}  // namespace

DriveChoice choose_gains(const Model& model, std::span<const WantedDrive> drives) {
  DriveChoice choice;
  const std::vector<bool> follows = find_followers(model);
  const Measured found = measure(model, follows);
  choice.damping_rate = found.damping_rate;
  for (const Duration step : kSteps) {
    const double h = to_seconds(step);
    choice.step = step;
    choice.gains.assign(model.joints.size(), {});
    choice.soft = choice.springy = 0;
    choice.loses_all_speed = true;
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const JointModel& joint = model.joints[i];
      if (velocity_count(joint.type) != 1 || follows[i] || !(found.smallest[i] > 0.0)) continue;
      const double inertia = found.inertia[i];
      if (drives[i].kind == DriveKind::kServo) {
        const double sag = joint.type == JointType::kSlide ? kMaxSagLength : kMaxSagAngle;
        const double needed = found.weight[i] / sag;
        DriveGains& gains = choice.gains[i];
        gains = calc_servo(inertia, found.smallest[i], needed, h, found.spread);
        choice.springy += gains.damping * gains.damping < kCritical * gains.stiffness * inertia ? 1 : 0;
        choice.soft += gains.stiffness < 0.999 * needed ? 1 : 0;
      } else if (drives[i].kind == DriveKind::kSpeed) {
        choice.gains[i].damping = std::min(kMaxDamping * found.smallest[i] / (h * found.spread),
                                           std::max(kSpeedRate * inertia, found.weight[i] / kCreep));
      }
      const bool is_held = choice.gains[i].damping > 0.0 && drives[i].max_effort > found.weight[i];
      choice.loses_all_speed &= is_held || joint.damping > kHardlyDamped * inertia;
    }
    if (choice.springy == 0 && choice.soft == 0) break;
  }
  choice.integrator = choice.loses_all_speed || has_free_base(model) ? Integrator::kEuler : Integrator::kRk4;
  return choice;
}

}  // namespace lockstep
