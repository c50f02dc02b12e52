#include "formats/common/object_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/units.h"
#include "scenario/xml_text.h"

namespace lockstep {

using xml::shown;

namespace {

bool is_null(const Element& element) {
  const Attribute* nil = element.find_attribute("xsi:nil");
  return nil != nullptr && nil->value == "true";
}

}  // namespace

ObjectReader::ObjectReader(const Element& element, Diagnostics& diagnostics)
    : element_(element), diagnostics_(diagnostics) {
  for (const Attribute& attribute : element.attributes) {
    if (attribute.name.starts_with("xmlns") || attribute.name.starts_with("xsi:")) continue;
    diagnostics.error(attribute.place, "<{}> has an attribute '{}'; expected none", element.name,
                      attribute.name);
  }
}

const Element* ObjectReader::find(std::string_view name, bool is_needed) {
  known_.emplace_back(name);
  const Element* found = nullptr;
  for (const Element& child : element_.children) {
    if (child.name != name) continue;
    if (found != nullptr) {
      diagnostics_.error(child.place, "<{}> contains <{}> twice; expected it once", element_.name, name);
      break;
    }
    found = &child;
  }
  if (found != nullptr && is_null(*found)) found = nullptr;
  if (found == nullptr && is_needed)
    diagnostics_.error(element_.place, "<{}> contains no <{}>", element_.name, name);
  return found;
}

double ObjectReader::parse(const Element& element, double min, double max) {
  double value = 0.0;
  const char* end = element.text.data() + element.text.size();
  const auto [rest, error] = std::from_chars(element.text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) {
    diagnostics_.error(element.place, "<{}>: '{}' is not a number", element.name, shown(element.text));
  } else if (value < min || value > max) {
    diagnostics_.error(element.place, "<{}>: {} is out of range; expected {} to {}", element.name,
                       format_number(value), format_number(min), format_number(max));
  } else {
    return value;
  }
  return std::clamp(1.0, min, max);
}

double ObjectReader::number(std::string_view name, double min, double max) {
  const Element* found = find(name);
  return found == nullptr ? std::clamp(1.0, min, max) : parse(*found, min, max);
}

int ObjectReader::integer(std::string_view name, int min, int max) {
  const double value = number(name, min, max);
  if (value != std::floor(value)) {
    diagnostics_.error(element_.place, "<{}>: <{}> is not a whole number", element_.name, name);
    return min;
  }
  return static_cast<int>(value);
}

bool ObjectReader::flag(std::string_view name) {
  const std::string value = text(name);
  if (value != "true" && value != "false" && !value.empty())
    diagnostics_.error(element_.place, "<{}>: <{}> is '{}'; expected 'true' or 'false'", element_.name, name,
                       shown(value));
  return value == "true";
}

std::string ObjectReader::text(std::string_view name) {
  const Element* found = find(name);
  if (found == nullptr) return "";
  if (found->text.empty() || !found->children.empty())
    diagnostics_.error(found->place, "<{}> contains no text", name);
  return found->text;
}

Vec3 ObjectReader::vector(std::string_view name) {
  const Element* found = find(name);
  if (found == nullptr) return Vec3::Zero();
  ObjectReader reader(*found, diagnostics_);
  const Vec3 value(reader.number("x"), reader.number("y"), reader.number("z"));
  reader.finish();
  return value;
}

Vec3 ObjectReader::lengths(std::string_view name) {
  const Vec3 value = vector(name);
  if ((value.array() > 0.0).all()) return value;
  diagnostics_.error(element_.place, "<{}>: <{}> must be above 0 in x, y and z", element_.name, name);
  return Vec3::Ones();
}

Quat ObjectReader::quaternion(std::string_view name) {
  const Element* found = find(name);
  if (found == nullptr) return Quat::Identity();
  ObjectReader reader(*found, diagnostics_);
  const double x = reader.number("x"), y = reader.number("y"), z = reader.number("z"), w = reader.number("w");
  reader.finish();
  Quat value(w, x, y, z);
  constexpr double kSinglePrecision = 1e-4;
  if (std::abs(value.norm() - 1.0) > kSinglePrecision) {
    diagnostics_.error(found->place, "<{}> has the length {:.6g}; expected a rotation, of length 1", name,
                       value.norm());
    return Quat::Identity();
  }
  // A unit quaternion stays unchanged, so that it reads back exactly.
  constexpr double kRounding = 1e-12;
  return std::abs(value.norm() - 1.0) > kRounding ? value.normalized() : value;
}

std::vector<const Element*> ObjectReader::list(std::string_view name, std::string_view item) {
  std::vector<const Element*> items;
  const Element* found = find(name, false);
  if (found == nullptr) return items;
  for (const Element& child : found->children) {
    if (child.name == item) {
      items.push_back(&child);
    } else {
      diagnostics_.error(child.place, "<{}> cannot contain <{}>; expected <{}>", name, child.name, item);
    }
  }
  return items;
}

void ObjectReader::skip(std::initializer_list<std::string_view> names) {
  known_.insert(known_.end(), names.begin(), names.end());
}

void ObjectReader::finish() {
  for (const Element& child : element_.children) {
    if (std::find(known_.begin(), known_.end(), child.name) != known_.end()) continue;
    diagnostics_.error(child.place, "<{}> cannot contain <{}>{}", element_.name, child.name,
                       suggest(child.name, known_));
  }
}

}  // namespace lockstep
