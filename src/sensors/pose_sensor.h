#pragma once

#include <array>
#include <string>

#include "base/field.h"
#include "sensors/sensor.h"

namespace lockstep {

struct PoseSensorConfig {
  std::string site;
  std::string body;
};

template <class V>
void describe(V& v, PoseSensorConfig& c) {
  v.text("site", c.site, {.doc = "Site to measure; give this or 'body'."});
  v.text("body", c.body, {.doc = "Link or object to measure; give this or 'site'."});
}

/// Position (m) and orientation (quaternion w, x, y, z) in the world of a frame fixed to a body.
class PoseSensor final : public Sensor {
 public:
  using Slots = std::array<Slot, 7>;  ///< x y z qw qx qy qz

  PoseSensor(BodyId body, const Pose& X_BS, const Slots& slots) : body_(body), X_BS_(X_BS), slots_(slots) {}

  void sense(const World& world, const Instant&, Row row) override {
    const Pose X_WS = world.body_pose(body_) * X_BS_;
    for (std::size_t i = 0; i < 3; ++i) row[slots_[i]] = X_WS.p[static_cast<Eigen::Index>(i)];
    row[slots_[3]] = X_WS.q.w();
    row[slots_[4]] = X_WS.q.x();
    row[slots_[5]] = X_WS.q.y();
    row[slots_[6]] = X_WS.q.z();
  }

 private:
  BodyId body_;
  Pose X_BS_;
  Slots slots_;
};

}  // namespace lockstep
