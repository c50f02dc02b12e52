#include "formats/sdf/values.h"

#include <cmath>
#include <numbers>

#include "formats/urdf/urdf.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Files write 1e16 or more for a limit that does not exist.
constexpr double kFarLimit = 1e6;

}  // namespace

std::optional<std::vector<double>> SdfValues::numbers(const Element& element, std::size_t least,
                                                      std::size_t most) {
  Element holder{.name = element.name, .place = element.place, .attributes = {}, .children = {}, .text = {}};
  holder.attributes.push_back({"value", element.text, element.place});
  return values_.numbers(holder, "value", least, most);
}

double SdfValues::number(const Element& parent, std::string_view child, double usual) {
  const Element* found = find_child(parent, child);
  if (found == nullptr) return usual;
  const auto read = numbers(*found, 1, 1);
  return read ? read->front() : usual;
}

Vec3 SdfValues::vector(const Element& parent, std::string_view child, const Vec3& usual) {
  const Element* found = find_child(parent, child);
  if (found == nullptr) return usual;
  const auto read = numbers(*found, 3, 3);
  return read ? Vec3((*read)[0], (*read)[1], (*read)[2]) : usual;
}

bool SdfValues::flag(const Element& parent, std::string_view child, bool usual) {
  const std::string value = text(parent, child);
  if (value.empty()) return usual;
  if (value == "1" || value == "true" || value == "True") return true;
  if (value != "0" && value != "false" && value != "False")
    diagnostics().error(find_child(parent, child)->place,
                        "<{}>: '{}' is not a truth value; expected true or false", child, xml::shown(value));
  return false;
}

std::string SdfValues::text(const Element& parent, std::string_view child) {
  const Element* found = find_child(parent, child);
  return found == nullptr ? std::string() : std::string(xml::trim(found->text));
}

std::optional<double> SdfValues::limit(const Element& parent, std::string_view child) {
  const Element* found = find_child(parent, child);
  if (found == nullptr) return std::nullopt;
  std::string_view word = xml::trim(found->text);
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  // "inf", "1e16" and "1.79769e+308" mean none.
  if (word == "inf" || word == "infinity") return std::nullopt;
  const std::size_t exponent = word.find_first_of("eE");
  if (exponent != std::string_view::npos &&
      word.substr(exponent + 1).find_first_of("-") == std::string_view::npos && word.size() - exponent >= 3)
    return std::nullopt;
  const auto read = numbers(*found, 1, 1);
  if (!read || std::abs(read->front()) >= kFarLimit) return std::nullopt;
  return read->front();
}

Pose SdfValues::pose(const Element& parent) {
  const Element* found = find_child(parent, "pose");
  if (found == nullptr || xml::trim(found->text).empty()) return {};
  if (XmlValues::text(*found, "rotation_format") == "quat_xyzw") {
    const auto n = numbers(*found, 7, 7);
    if (!n) return {};
    const Quat q((*n)[6], (*n)[3], (*n)[4], (*n)[5]);
    if (q.norm() < 1e-9) {
      diagnostics().error(found->place, "<pose>: the quaternion has no length");
      return {};
    }
    return {Vec3((*n)[0], (*n)[1], (*n)[2]), q.normalized()};
  }
  const auto n = numbers(*found, 6, 6);
  if (!n) return {};
  const bool is_in_degrees = XmlValues::text(*found, "degrees") == "true";
  const double unit = is_in_degrees ? std::numbers::pi / 180.0 : 1.0;
  return {Vec3((*n)[0], (*n)[1], (*n)[2]), from_rpy(unit * Vec3((*n)[3], (*n)[4], (*n)[5]))};
}

std::string SdfValues::pose_frame(const Element& parent) {
  const Element* found = find_child(parent, "pose");
  if (found == nullptr) return {};
  const std::string frame = XmlValues::text(*found, "relative_to");
  return frame.empty() ? XmlValues::text(*found, "frame") : frame;  // its name before 1.7
}

const Element* find_path(const Element& element, std::initializer_list<std::string_view> path) {
  const Element* found = &element;
  for (const std::string_view name : path) {
    found = find_child(*found, name);
    if (found == nullptr) return nullptr;
  }
  return found;
}

}  // namespace lockstep
