#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/math.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

enum class ThrusterFrame { kOwn, kWorld };
inline constexpr std::array<std::pair<std::string_view, ThrusterFrame>, 2> kThrusterFrames = {{
    {"own", ThrusterFrame::kOwn},
    {"world", ThrusterFrame::kWorld},
}};

struct ThrusterConfig {
  std::string body;
  std::string site;
  Vec3 axis = Vec3::UnitZ();
  ThrusterFrame frame = ThrusterFrame::kOwn;
  std::optional<double> max_force;
  std::optional<double> max_torque;
  double force = 0.0;
  double torque = 0.0;
};

template <class V>
void describe(V& v, ThrusterConfig& c) {
  v.text("body", c.body, {.doc = "Body to push, at its centre of mass."});
  v.text("site", c.site, {.doc = "Site to push at, instead of a body."});
  v.vector("axis", c.axis, {.doc = "Direction of force and torque, of any length."});
  v.choice("frame", c.frame, kThrusterFrames,
           {.doc = "own: the axis rotates with the body or site. world: it does not."});
  v.number("max_force", c.max_force,
           {.unit = "N", .min = 0.0, .doc = "Largest force in either direction; none if omitted."});
  v.number("max_torque", c.max_torque,
           {.unit = "N*m", .min = 0.0, .doc = "Largest torque in either direction; none if omitted."});
  v.number("force", c.force, {.unit = "N", .doc = "Force at the start."});
  v.number("torque", c.torque, {.unit = "N*m", .doc = "Torque at the start."});
  v.check(c.axis != Vec3::Zero(), "axis", "axis has no length; expected a direction such as '0 0 1'");
  v.check(c.body.empty() || c.site.empty(), "site", "both body and site are given; expected one of them");
}

/// Applies a commanded force (N) along an axis and a commanded torque (N m) about the same axis to a body, at
/// its centre of mass or at a site. The axis is fixed in the body (own) or in the world; both are clamped.
class Thruster final : public Actuator {
 public:
  struct Settings {
    BodyId body{};
    Vec3 point_B = Vec3::Zero();  ///< where the force acts, in the body, m
    Vec3 axis = Vec3::UnitZ();    ///< unit length; in the body or in the world
    ThrusterFrame frame = ThrusterFrame::kOwn;
    double max_force = 0.0;   ///< N
    double max_torque = 0.0;  ///< N m
  };

  Thruster(Slot force, Slot torque, const Settings& settings)
      : force_(force), torque_(torque), settings_(settings) {}

  void actuate(const Instant&, Row row, World& world) override;

 private:
  Slot force_;
  Slot torque_;
  Settings settings_;
};

std::unique_ptr<Actuator> make_thruster(const ThrusterConfig& config, BuildContext& context);

}  // namespace lockstep
