#include "actuators/thruster.h"

#include <algorithm>

#include "device/context.h"

namespace lockstep {

void Thruster::actuate(const Instant&, Row row, World& world) {
  const Settings& s = settings_;
  const Pose X_WB = world.body_pose(s.body);
  const Vec3 axis_W = s.frame == ThrusterFrame::kOwn ? X_WB.q * s.axis : s.axis;
  const double force = std::clamp(row[force_], -s.max_force, s.max_force);
  const double torque = std::clamp(row[torque_], -s.max_torque, s.max_torque);
  world.add_body_force(s.body, X_WB * s.point_B, {force * axis_W, torque * axis_W});
}

std::unique_ptr<Actuator> make_thruster(const ThrusterConfig& config, BuildContext& context) {
  if (config.site.empty() && config.body.empty()) {
    context.error_at("", "needs a 'body' or a 'site'");
    return nullptr;
  }
  Thruster::Settings settings{.axis = config.axis.stableNormalized(),
                              .frame = config.frame,
                              .max_force = config.max_force.value_or(kNoLimit),
                              .max_torque = config.max_torque.value_or(kNoLimit)};
  if (!config.site.empty()) {
    const auto site = context.find_site(config.site);
    if (!site) return nullptr;
    const SiteModel& found = context.model.site(*site);
    settings.body = found.body;
    settings.point_B = found.X_BS.p;
    if (config.frame == ThrusterFrame::kOwn) settings.axis = found.X_BS.q * settings.axis;
  } else {
    const auto body = context.find_body(config.body);
    if (!body) return nullptr;
    settings.body = *body;
    settings.point_B = context.model.body(*body).mass.center;
  }
  if (!context.model.can_move(settings.body)) {
    context.error_at(config.site.empty() ? "body" : "site",
                     "body '{}' never moves; expected one that can be pushed",
                     context.model.body(settings.body).name);
    return nullptr;
  }
  const auto force = context.add_signal("force", "N", SignalRole::kCommand, config.force);
  const auto torque = context.add_signal("torque", "N*m", SignalRole::kCommand, config.torque);
  if (!force || !torque) return nullptr;
  return std::make_unique<Thruster>(*force, *torque, settings);
}

}  // namespace lockstep
