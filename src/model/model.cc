#include "lockstep/model.h"

#include <algorithm>

#include "model/kinematics.h"

namespace lockstep {
namespace {

template <typename Id, typename Item>
std::optional<Id> find_by_name(const std::vector<Item>& items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  if (it == items.end()) return std::nullopt;
  return Id{static_cast<int>(it - items.begin())};
}

template <typename Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

}  // namespace

bool Model::can_move(BodyId id) const {
  for (; id != kWorldBody; id = body(id).parent) {
    if (!is_welded(*this, body(id))) return true;
  }
  return false;
}

std::optional<BodyId> Model::find_body(std::string_view full_name) const {
  return find_by_name<BodyId>(bodies, full_name);
}
std::optional<JointId> Model::find_joint(std::string_view full_name) const {
  return find_by_name<JointId>(joints, full_name);
}
std::optional<SiteId> Model::find_site(std::string_view full_name) const {
  return find_by_name<SiteId>(sites, full_name);
}
std::optional<TendonId> Model::find_tendon(std::string_view full_name) const {
  return find_by_name<TendonId>(tendons, full_name);
}
std::vector<std::string> Model::body_names() const {
  return names_of(bodies);
}
std::vector<std::string> Model::joint_names() const {
  return names_of(joints);
}
std::vector<std::string> Model::site_names() const {
  return names_of(sites);
}
std::vector<std::string> Model::tendon_names() const {
  return names_of(tendons);
}

}  // namespace lockstep
