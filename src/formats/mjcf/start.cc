#include <algorithm>

#include "formats/mjcf/importer_internal.h"

namespace lockstep {
namespace {

std::size_t count_positions(MjcfJointType type) {
  return type == MjcfJointType::kFree ? 7 : type == MjcfJointType::kBall ? 4 : 1;
}
std::size_t count_velocities(MjcfJointType type) {
  return type == MjcfJointType::kFree ? 6 : type == MjcfJointType::kBall ? 3 : 1;
}

/// MuJoCo's default initial state.
bool breaks_limits(const std::vector<MjcfBody>& bodies) {
  return std::any_of(bodies.begin(), bodies.end(), [](const MjcfBody& body) {
    return std::any_of(body.joints.begin(), body.joints.end(), [](const MjcfJoint& joint) {
      return joint.range && (joint.reference < (*joint.range)[0] || joint.reference > (*joint.range)[1]);
    });
  });
}

}  // namespace

MjcfStart::MjcfStart(const MjcfImport& import, const std::vector<MjcfBody>& bodies,
                     const std::string& keyframe) {
  const std::vector<const Element*> keys = import.source.section("keyframe");
  const Element* chosen = nullptr;
  std::vector<std::string> names;
  for (const Element* key : keys) {
    names.push_back(XmlValues::text(*key, "name"));
    if (!keyframe.empty() && names.back() == keyframe) chosen = key;
  }
  if (!keyframe.empty() && chosen == nullptr)
    throw_user_error({"--key"}, "there is no keyframe '{}'{}", keyframe, suggest(keyframe, names));
  const bool is_forced = chosen == nullptr && !keys.empty() && breaks_limits(bodies);
  if (is_forced) chosen = keys.front();
  if (chosen == nullptr) {
    if (!keys.empty())
      import.report.assumed.push_back("it starts in MuJoCo's default position; --key selects a keyframe");
    return;
  }
  // The values of the joints are in the order of the file.
  Offset next;
  for (const MjcfBody& body : bodies) {
    for (const MjcfJoint& joint : body.joints) {
      offsets_[&joint] = next;
      next.position += count_positions(joint.type);
      next.velocity += count_velocities(joint.type);
    }
  }
  XmlValues& values = import.values();
  if (const auto q = values.numbers(*chosen, "qpos", next.position, next.position)) positions_ = *q;
  if (const auto v = values.numbers(*chosen, "qvel", next.velocity, next.velocity)) velocities_ = *v;
  if (const auto c = values.numbers(*chosen, "ctrl", 0, 10'000)) control_ = *c;
  const std::string start = fmt::format("it starts at keyframe '{}'", XmlValues::text(*chosen, "name"));
  if (is_forced) {
    import.source.differ(chosen->place, start + ": MuJoCo's default position violates joint limits");
  } else {
    import.report.assumed.push_back(start);
  }
}

const double* MjcfStart::position_of(const MjcfJoint& joint) const {
  return positions_.empty() ? nullptr : positions_.data() + offsets_.at(&joint).position;
}

const double* MjcfStart::velocity_of(const MjcfJoint& joint) const {
  return velocities_.empty() ? nullptr : velocities_.data() + offsets_.at(&joint).velocity;
}

}  // namespace lockstep
