#pragma once

#include <optional>
#include <string>

#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

/// Where a sensor is mounted, as given in the scenario: exactly one of site and body.
struct MountConfig {
  std::string site;
  std::string body;
};

template <class V>
void describe(V& v, MountConfig& c) {
  v.text("site", c.site, {.doc = "Site it is mounted on; give this or 'body'."});
  v.text("body", c.body, {.doc = "Link or object it is mounted on, at its origin; give this or 'site'."});
}

/// The frame S of a sensor, fixed to a body B.
struct Mount {
  BodyId body = kWorldBody;
  Pose X_BS;
  bool is_body = X_BS == Pose{};  ///< S coincides with B, as for most sensors

  Pose pose(const World& world) const {  ///< X_WS
    const Pose X_WB = world.body_pose(body);
    return is_body ? X_WB : X_WB * X_BS;
  }

  Twist velocity(const World& world) const {  ///< of the origin of S, world axes
    Twist velocity = world.body_velocity(body);
    if (!is_body) velocity.linear += velocity.angular.cross(arm(world));
    return velocity;
  }

 private:
  Vec3 arm(const World& world) const { return world.body_pose(body).q * X_BS.p; }  // p_BS_W
};

std::optional<Mount> find_mount(const MountConfig& config, BuildContext& context);

}  // namespace lockstep
