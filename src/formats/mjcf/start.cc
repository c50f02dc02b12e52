#include "formats/mjcf/importer_internal.h"

namespace lockstep {

std::size_t MjcfImporter::position_numbers(MjcfJointType type) {
  return type == MjcfJointType::kFree ? 7 : type == MjcfJointType::kBall ? 4 : 1;
}

void MjcfImporter::number_joints() {
  for (const MjcfBody& body : bodies_) {
    for (const MjcfJoint& joint : body.joints) {
      position_of_[&joint] = position_count_;
      velocity_of_[&joint] = velocity_count_;
      position_count_ += position_numbers(joint.type);
      velocity_count_ += joint.type == MjcfJointType::kFree ? 6 : joint.type == MjcfJointType::kBall ? 3 : 1;
    }
  }
}

bool MjcfImporter::breaks_limits() const {
  for (const auto& [joint, place] : position_of_) {
    if (joint->range && (joint->reference < (*joint->range)[0] || joint->reference > (*joint->range)[1]))
      return true;
  }
  return false;
}

void MjcfImporter::choose_start() {
  const std::vector<const Element*> keys = source_.section("keyframe");
  const Element* chosen = nullptr;
  std::vector<std::string> names;
  for (const Element* key : keys) {
    names.push_back(XmlValues::text(*key, "name"));
    if (!options_.keyframe.empty() && names.back() == options_.keyframe) chosen = key;
  }
  if (!options_.keyframe.empty() && chosen == nullptr)
    throw_user_error({"--key"}, "there is no keyframe '{}'{}", options_.keyframe,
                     suggest(options_.keyframe, names));
  const bool is_forced = chosen == nullptr && !keys.empty() && breaks_limits();
  if (is_forced) chosen = keys.front();
  if (chosen == nullptr) {
    if (!keys.empty())
      report_.assumed.push_back("it starts where MuJoCo does by itself; --key takes one of the keyframes");
    return;
  }
  if (const auto q = values_.numbers(*chosen, "qpos", position_count_, position_count_)) start_ = *q;
  if (const auto v = values_.numbers(*chosen, "qvel", velocity_count_, velocity_count_)) start_velocity_ = *v;
  if (const auto c = values_.numbers(*chosen, "ctrl", 0, 10'000)) control_ = *c;
  report_.assumed.push_back(
      fmt::format("it starts at keyframe '{}'{}", XmlValues::text(*chosen, "name"),
                  is_forced ? ": where MuJoCo starts by itself breaks limits of joints" : ""));
}

void MjcfImporter::calc_poses() {
  for (const MjcfBody& body : bodies_)
    poses_.push_back(body.parent < 0 ? body.pose : poses_[static_cast<std::size_t>(body.parent)] * body.pose);
}

}  // namespace lockstep
