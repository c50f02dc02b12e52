#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "sensors/mount.h"

namespace lockstep {

struct RegionConfig {
  MountConfig mount;
  Vec3 position = Vec3::Zero();
  Vec3 size = Vec3::Zero();
  std::string objects;
  std::string material;
};

template <class V>
void describe(V& v, RegionConfig& c) {
  v.text("site", c.mount.site, {.doc = "Site that the box moves with; omitted with 'body': the world."});
  v.text("body", c.mount.body, {.doc = "Link or object that the box moves with."});
  v.vector("position", c.position,
           {.unit = "m", .doc = "Centre of the box in the frame of the site, body or world."});
  v.vector("size", c.size,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "Lengths of its edges.", .required = true});
  v.text(
      "objects", c.objects,
      {.doc = "Names of the bodies to count, separated by blanks, with '*' for any text: objects, or links as "
              "'robot/link'."});
  v.text("material", c.material, {.doc = "Counts bodies with a shape of this material."});
}

/// Counts bodies whose centre of mass is in a box: those of the given names, of a material, or of both. A body on the
/// boundary is inside.
class Region final : public Sensor {
 public:
  Region(const std::optional<Mount>& mount, const RegionConfig& config, std::vector<BodyId> bodies, Slot count)
      : mount_(mount),
        center_(config.position),
        half_(config.size / 2.0),
        bodies_(std::move(bodies)),
        count_(count) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  std::optional<Mount> mount_;  // none: the world
  Vec3 center_;                 // in the frame of the mount, m
  Vec3 half_;                   // half of the size, m
  std::vector<BodyId> bodies_;
  Slot count_;
};

std::unique_ptr<Sensor> make_region(const RegionConfig& config, BuildContext& context);

}  // namespace lockstep
