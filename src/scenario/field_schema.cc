#include "scenario/field_schema.h"

#include <cmath>

#include "base/units.h"

namespace lockstep {

AttributeSchema& FieldSchema::add(std::string_view name, ValueType type, const FieldSpec& spec) {
  AttributeSchema attribute;
  attribute.name = name;
  attribute.type = type;
  attribute.unit = spec.unit;
  if (std::isfinite(spec.min)) attribute.min = spec.min;
  if (std::isfinite(spec.max)) attribute.max = spec.max;
  attribute.range = format_range(spec);
  attribute.required = spec.required;
  attribute.doc = spec.doc;
  schema_.attributes.push_back(std::move(attribute));
  return schema_.attributes.back();
}

void FieldSchema::add_child(ElementSchema element, std::size_t min, std::size_t max) {
  schema_.children.push_back({min, max, std::move(element)});
}

void FieldSchema::number(std::string_view name, double value, const FieldSpec& spec) {
  add(name, ValueType::kNumber, spec).default_text = format_number(value);
}
void FieldSchema::number(std::string_view name, const std::optional<double>& value, const FieldSpec& spec) {
  AttributeSchema& attribute = add(name, ValueType::kNumber, spec);
  if (value) attribute.default_text = format_number(*value);
}
void FieldSchema::vector(std::string_view name, const Vec3& value, const FieldSpec& spec) {
  vector(name, std::optional(value), spec);
}
void FieldSchema::vector(std::string_view name, const std::optional<Vec3>& value, const FieldSpec& spec) {
  AttributeSchema& attribute = add(name, ValueType::kNumbers, spec);
  attribute.min_count = attribute.max_count = 3;
  if (value) attribute.default_text = format_vector(*value);
}
void FieldSchema::numbers(std::string_view name, const std::vector<double>& value, Count count,
                          const FieldSpec& spec) {
  AttributeSchema& attribute = add(name, ValueType::kNumbers, spec);
  attribute.min_count = count.min;
  attribute.max_count = count.max;
  attribute.default_text = format_numbers(value);
}
void FieldSchema::integer(std::string_view name, std::int64_t value, const FieldSpec& spec) {
  add(name, ValueType::kInteger, spec).default_text = fmt::format("{}", value);
}
void FieldSchema::integer(std::string_view name, std::uint64_t value, const FieldSpec& spec) {
  FieldSpec limits = spec;
  limits.min = std::max(limits.min, 0.0);
  add(name, ValueType::kInteger, limits).default_text = fmt::format("{}", value);
}
void FieldSchema::integer(std::string_view name, const std::optional<std::int64_t>& value,
                          const FieldSpec& spec) {
  AttributeSchema& attribute = add(name, ValueType::kInteger, spec);
  if (value) attribute.default_text = fmt::format("{}", *value);
}
void FieldSchema::flag(std::string_view name, bool value, const FieldSpec& spec) {
  add(name, ValueType::kFlag, spec).default_text = value ? "true" : "false";
}
void FieldSchema::time(std::string_view name, Duration value, const FieldSpec& spec) {
  time(name, std::optional(value), spec);
}
void FieldSchema::time(std::string_view name, const std::optional<Duration>& value, const FieldSpec& spec) {
  FieldSpec in_seconds = spec;
  in_seconds.unit = "s";
  AttributeSchema& attribute = add(name, ValueType::kTime, in_seconds);
  if (value) attribute.default_text = format_time(*value);
}
void FieldSchema::text(std::string_view name, const std::string& value, const FieldSpec& spec) {
  add(name, ValueType::kText, spec).default_text = value;
}
void FieldSchema::name(std::string_view name, const std::string& value, const FieldSpec& spec) {
  AttributeSchema& attribute = add(name, ValueType::kName, spec);
  if (!value.empty()) attribute.default_text = value;
}
void FieldSchema::color(std::string_view name, const Color& value, const FieldSpec& spec) {
  add(name, ValueType::kColor, spec).default_text = format_color(value);
}
void FieldSchema::color(std::string_view name, const std::optional<Color>& value, const FieldSpec& spec) {
  AttributeSchema& attribute = add(name, ValueType::kColor, spec);
  if (value) attribute.default_text = format_color(*value);
}

void FieldSchema::pose(const Pose& value, const FieldSpec& spec) {
  vector("position", value.p, {.unit = "m", .doc = spec.doc, .required = spec.required});
  AttributeSchema& orientation =
      add("orientation", ValueType::kNumbers,
          {.doc = "Rotation as a quaternion w x y z of length 1. Give either this or rpy."});
  orientation.min_count = orientation.max_count = 4;
  orientation.default_text = format_quaternion(value.q);
  AttributeSchema& rpy =
      add("rpy", ValueType::kNumbers,
          {.unit = "rad", .doc = "Rotation by roll, pitch and yaw about the fixed axes x, then y, then z."});
  rpy.min_count = rpy.max_count = 3;
}

void FieldSchema::prose(std::string_view name, const std::string&, const FieldSpec& spec) {
  add(name, ValueType::kText, spec);
  ElementSchema element;
  element.name = name;
  element.doc = fmt::format("{} The same as the attribute, for longer texts.", spec.doc);
  element.has_text = true;
  add_child(std::move(element), 0, 1);
}

void FieldSchema::content(const std::string&, const FieldSpec&) {
  schema_.has_text = true;
}

void FieldSchema::container(std::string_view name, const std::vector<Element>&, const FieldSpec& spec) {
  ElementSchema schema;
  schema.name = name;
  schema.doc = spec.doc;
  schema.is_container = true;
  add_child(std::move(schema), spec.required ? 1 : 0, 1);
}

void FieldSchema::engine_children(EngineHost host, const std::vector<Element>&) {
  schema_.engine_host = host;
}

}  // namespace lockstep
