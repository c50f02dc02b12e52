#include "cli/drive_check.h"

#include <Eigen/Cholesky>
#include <set>

#include "formats/common/devices.h"
#include "model/kinematics.h"
#include "model/mass_matrix.h"

namespace lockstep {
namespace {

/// Fraction of the stability limit above which a drive is reported.
constexpr double kNearLimit = 0.75;
/// Larger matrices would take minutes.
constexpr Eigen::Index kMaxSize = 3'000;

BodyId root_of(const Model& model, BodyId body) {
  while (body != kWorldBody && model.body(body).parent != kWorldBody) body = model.body(body).parent;
  return body;
}

struct Gains {
  std::string joint;
  double stiffness = 0.0;
  double damping = 0.0;
};

Gains gains_of(const Drive& drive) {
  if (const auto* servo = std::get_if<PositionServoConfig>(&drive))
    return {servo->joint, servo->stiffness, servo->damping};
  if (const auto* servo = std::get_if<SpeedServoConfig>(&drive)) return {servo->joint, 0.0, servo->gain};
  return {std::get<TorqueActuatorConfig>(drive).joint, 0.0, 0.0};
}

/// The inertia that a force at a joint alone accelerates, with everything else free to move: 1 / (M^-1)_ii.
double free_inertia(const Eigen::LLT<Eigen::MatrixXd>& factor, int column) {
  const Eigen::VectorXd unit = Eigen::VectorXd::Unit(factor.rows(), column);
  return 1.0 / factor.solve(unit)[column];
}

}  // namespace

void check_drives(const Scenario& scenario, const Model& model, Diagnostics& diagnostics) {
  MassMatrix mass = calc_mass_matrix(model, calc_initial_poses(model));
  if (mass.matrix.rows() == 0 || mass.matrix.rows() > kMaxSize) return;
  add_followers(model, mass);
  const Eigen::LLT<Eigen::MatrixXd> factor(mass.matrix);
  if (factor.info() != Eigen::Success) return;
  std::set<BodyId> looped;
  for (const LoopModel& loop : model.loops) {
    for (const SiteId site : {loop.a, loop.b}) looped.insert(root_of(model, model.site(site).body));
  }
  const double h = to_seconds(model.step);
  for (const Robot& robot : scenario.robots) {
    for (const Element& device : robot.devices.actuators) {
      const std::optional<Drive> drive = read_drive(device);
      if (!drive) continue;
      const Gains gains = gains_of(*drive);
      const auto joint = model.find_joint(robot.name + "/" + gains.joint);
      if (!joint || looped.contains(root_of(model, model.joint(*joint).body))) continue;
      const double inertia = free_inertia(factor, mass.columns[index(*joint)]);
      const bool turns = model.joint(*joint).type == JointType::kHinge;
      const double damping = h * gains.damping / inertia / 2.0;
      const double stiffness = h * h * gains.stiffness / inertia / 4.0;
      if (damping + stiffness < kNearLimit) continue;
      const Attribute* name = device.find_attribute("name");
      diagnostics.warn(device.place,
                       "actuator '{}': its {} is {} for the inertia it moves at the start, {:.3g} {}, at a "
                       "step of {:.3g} ms; use "
                       "a smaller step or at most {:.3g}",
                       name == nullptr ? gains.joint : name->value,
                       damping > stiffness ? "damping" : "stiffness",
                       damping + stiffness < 1.0 ? "close to unstable" : "too large to be stable", inertia,
                       turns ? "kg m^2" : "kg", 1e3 * h, damping > stiffness ? inertia / h : inertia / (h * h));
    }
  }
}

}  // namespace lockstep
