#include "sensors/region.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "device/context.h"

namespace lockstep {
namespace {

/// The bodies that fit one of the patterns; nothing, with the error reported, if a pattern fits none.
std::optional<std::set<BodyId>> find_named(const std::string& patterns, BuildContext& context) {
  std::set<BodyId> found;
  const Model& model = context.model;
  for (const std::string& pattern : split_words(patterns)) {
    bool fits_any = false;
    for (std::size_t i = 1; i < model.bodies.size(); ++i) {
      if (!fits_pattern(pattern, model.bodies[i].name)) continue;
      found.insert(BodyId{static_cast<int>(i)});
      fits_any = true;
    }
    if (fits_any) continue;
    context.error_at("objects", "there is no body '{}'{}", shown_text(pattern),
                     suggest(pattern, model.body_names()));
    return std::nullopt;
  }
  return found;
}

std::set<BodyId> find_of_material(MaterialId material, const Model& model) {
  std::set<BodyId> found;
  for (const ShapeModel& shape : model.shapes) {
    if (shape.material == material && shape.body != kWorldBody) found.insert(shape.body);
  }
  return found;
}

}  // namespace

void Region::sense(const World& world, const Instant&, Row row) {
  const Pose X_WR = mount_ ? mount_->pose(world) : Pose{};
  int count = 0;
  for (const BodyId id : bodies_) {
    const Vec3 center_W = world.body_pose(id) * world.model().body(id).mass.center;
    const Vec3 from_center = X_WR.q.conjugate() * (center_W - X_WR.p) - center_;
    if ((from_center.cwiseAbs().array() <= half_.array()).all()) ++count;
  }
  row[count_] = count;
}

std::unique_ptr<Sensor> make_region(const RegionConfig& config, BuildContext& context) {
  std::optional<Mount> mount;
  if (!config.mount.site.empty() || !config.mount.body.empty()) {
    mount = find_mount(config.mount, context);
    if (!mount) return nullptr;
  }
  if (config.objects.empty() && config.material.empty()) {
    context.error_at("objects", "needs 'objects' or 'material'");
    return nullptr;
  }
  auto named = find_named(config.objects, context);
  if (!named) return nullptr;
  std::set<BodyId> bodies = *std::move(named);
  if (!config.material.empty()) {
    const auto material = context.find_material(config.material);
    if (!material) return nullptr;
    const std::set<BodyId> of_material = find_of_material(*material, context.model);
    if (config.objects.empty()) bodies = of_material;
    std::erase_if(bodies, [&](BodyId body) { return !of_material.contains(body); });
  }
  const auto count = context.add_signal("count", "", SignalRole::kMeasurement);
  if (!count) return nullptr;
  return std::make_unique<Region>(mount, config, std::vector<BodyId>(bodies.begin(), bodies.end()), *count);
}

}  // namespace lockstep
