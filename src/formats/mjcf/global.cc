#include "formats/mjcf/importer_internal.h"
#include "geometry/mass.h"

namespace lockstep {
namespace {

/// X_WB of a body whose elements are still in the world.
Pose find_frame(const MjcfImport& import, const MjcfAssets& assets, const MjcfBody& body) {
  if (body.has_position) return body.pose;
  // The frame of a body without a position is that of its mass.
  const std::string label = body.name.empty() ? "body" : short_mjcf_name(body.name);
  if (body.inertial) return {body.inertial->center, Quat::Identity()};
  const auto mass = calc_mjcf_mass(import, assets, body, label);
  if (mass) return {mass->center, Quat::Identity()};
  import.diagnostics.error(body.place, "body '{}': has neither a position nor a mass in global coordinates",
                           label);
  return {};
}

}  // namespace

void convert_to_local(const MjcfImport& import, const MjcfAssets& assets, std::vector<MjcfBody>& bodies) {
  if (!import.source.compiler().is_global) return;
  std::vector<Pose> frames = {Pose{}};
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    MjcfBody& body = bodies[i];
    const Pose X_WB = frames.emplace_back(find_frame(import, assets, body));
    const Pose X_BW = X_WB.inverse();
    for (MjcfJoint& joint : body.joints) {
      joint.position = X_BW * joint.position;
      joint.axis = X_BW.q * joint.axis;
    }
    for (MjcfGeom& geom : body.geoms) geom.pose = X_BW * geom.pose;
    for (MjcfSite& site : body.sites) site.pose = X_BW * site.pose;
    if (body.inertial) body.inertial = transformed(*body.inertial, X_BW);
    body.pose = frames[static_cast<std::size_t>(body.parent)].inverse() * X_WB;
  }
}

}  // namespace lockstep
