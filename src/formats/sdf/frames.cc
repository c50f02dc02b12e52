#include "formats/sdf/frames.h"

#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Frames that refer to each other, and models inside each other.
constexpr int kMaxChain = 500;
constexpr int kMaxModelDepth = 32;

}  // namespace

SdfScope::SdfScope(const Element& element, std::string prefix, SdfValues& values, int depth)
    : element_(element), prefix_(std::move(prefix)) {
  if (depth > kMaxModelDepth)
    throw_user_error(element.place, "models are nested more than {} levels deep", kMaxModelDepth);
  for (const Element& child : element.children) {
    const bool is_frame =
        child.name == "link" || child.name == "joint" || child.name == "frame" || child.name == "model";
    if (is_frame) add(child, values, depth);
  }
}

void SdfScope::add(const Element& child, SdfValues& values, int depth) {
  const std::string name = values.needed_name(child);
  if (name.empty()) return;
  if (name == "world" || name == "__model__" || name.find("::") != std::string::npos) {
    values.diagnostics().error(child.place, "<{}>: '{}' is a reserved name", child.name, xml::shown(name));
    return;
  }
  Entry entry{.element = &child,
              .raw = values.pose(child),
              .relative_to = SdfValues::pose_frame(child),
              .attached_to = {},
              .pose = {}};
  if (child.name == "joint") entry.attached_to = SdfValues::text(child, "child");
  if (child.name == "frame") entry.attached_to = XmlValues::text(child, "attached_to");
  if (entry.relative_to.empty())
    entry.relative_to = entry.attached_to.empty() ? "__model__" : entry.attached_to;
  if (child.name == "link" && first_link_.empty()) first_link_ = name;
  // Since 1.7 names are unique; before, a joint could be called as its link is.
  const auto [known, is_new] = entries_.emplace(name, entry);
  if (!is_new) {
    if (known->second.element->name == child.name) {
      values.diagnostics().error(child.place, "there is another {} '{}'", child.name, xml::shown(name));
      return;
    }
    // The name alone means the link.
    if (child.name == "link") std::swap(known->second, entry);
    entries_[key_of(*entry.element)] = entry;
  }
  if (child.name == "model")
    models_[name] = std::make_unique<SdfScope>(child, prefix_ + name + "::", values, depth + 1);
}

std::string SdfScope::key_of(const Element& element) {
  return element.name + " " + XmlValues::text(element, "name");
}

Pose SdfScope::pose_of(const Element& child) {
  const std::string key = key_of(child);
  return pose_of(entries_.contains(key) ? key : XmlValues::text(child, "name"), child.place);
}

std::pair<SdfScope::Entry*, std::string> SdfScope::find(const std::string& name, const Place& place) {
  const std::size_t colons = name.find("::");
  const auto found = entries_.find(name.substr(0, colons));
  const bool is_path = colons != std::string::npos;
  if (found == entries_.end() || (is_path && found->second.element->name != "model")) {
    std::vector<std::string> known;
    for (const auto& [each, entry] : entries_) known.push_back(each);
    throw_user_error(place, "unknown frame '{}'{}", xml::shown(name), suggest(name, known));
  }
  return {&found->second, is_path ? name.substr(colons + 2) : std::string()};
}

Pose SdfScope::pose_of(const std::string& name, const Place& place, int depth) {
  if (name.empty() || name == "__model__" || (name == "world" && element_.name != "model")) return {};
  if (depth > kMaxChain)
    throw_user_error(place, "the pose of '{}' depends on more than {} others", xml::shown(name), kMaxChain);
  const auto [entry, rest] = find(name, place);
  if (!entry->pose) {
    if (entry->is_in_use)
      throw_user_error(entry->element->place, "the pose of '{}' depends on itself", xml::shown(name));
    entry->is_in_use = true;
    Pose pose = pose_of(entry->relative_to, entry->element->place, depth + 1) * entry->raw;
    if (entry->element->name == "model") {
      // The pose of a model may be that of one of its frames.
      const std::string frame = XmlValues::text(*entry->element, "placement_frame");
      const std::string own = XmlValues::text(*entry->element, "name");
      if (!frame.empty())
        pose = pose * models_.at(own)->pose_of(frame, entry->element->place, depth + 1).inverse();
    }
    entry->pose = pose;
    entry->is_in_use = false;
  }
  if (rest.empty()) return *entry->pose;
  return *entry->pose * models_.at(name.substr(0, name.find("::")))->pose_of(rest, place, depth + 1);
}

std::string SdfScope::link_of(const std::string& name, const Place& place, int depth) {
  if (name == "world") return {};
  if (depth > kMaxChain)
    throw_user_error(place, "'{}' is attached to itself, or to too many others", xml::shown(name));
  if (name.empty() || name == "__model__") {
    const std::string canonical = XmlValues::text(element_, "canonical_link");
    if (!canonical.empty()) return link_of(canonical, place, depth + 1);
    if (!first_link_.empty()) return prefix_ + first_link_;
    if (!models_.empty()) return models_.begin()->second->link_of("", place, depth + 1);
    throw_user_error(place, "a frame is attached to a model without links");
  }
  const auto [entry, rest] = find(name, place);
  if (!rest.empty() || entry->element->name == "model")
    return models_.at(name.substr(0, name.find("::")))->link_of(rest, place, depth + 1);
  if (entry->element->name == "link") return prefix_ + name;
  return link_of(entry->attached_to, entry->element->place, depth + 1);
}

}  // namespace lockstep
