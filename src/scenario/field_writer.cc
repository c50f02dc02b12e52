#include "scenario/field_writer.h"

#include "base/units.h"

namespace lockstep {

void FieldWriter::put(std::string_view name, std::string text, const FieldSpec& spec) {
  if (fresh_ != nullptr && !spec.required) {
    const Attribute* fresh = fresh_->find_attribute(name);
    if (fresh != nullptr && fresh->value == text) return;
  }
  element_.attributes.push_back({std::string(name), std::move(text), {}});
}

void FieldWriter::number(std::string_view name, double value, const FieldSpec& spec) {
  put(name, format_number(value), spec);
}
void FieldWriter::number(std::string_view name, const std::optional<double>& value, const FieldSpec& spec) {
  if (value) number(name, *value, spec);
}
void FieldWriter::vector(std::string_view name, const Vec3& value, const FieldSpec& spec) {
  put(name, format_vector(value), spec);
}
void FieldWriter::vector(std::string_view name, const std::optional<Vec3>& value, const FieldSpec& spec) {
  if (value) vector(name, *value, spec);
}
void FieldWriter::numbers(std::string_view name, const std::vector<double>& value, Count,
                          const FieldSpec& spec) {
  put(name, format_numbers(value), spec);
}
void FieldWriter::integer(std::string_view name, std::int64_t value, const FieldSpec& spec) {
  put(name, fmt::format("{}", value), spec);
}
void FieldWriter::integer(std::string_view name, std::uint64_t value, const FieldSpec& spec) {
  put(name, fmt::format("{}", value), spec);
}
void FieldWriter::integer(std::string_view name, const std::optional<std::int64_t>& value,
                          const FieldSpec& spec) {
  if (value) integer(name, *value, spec);
}
void FieldWriter::flag(std::string_view name, bool value, const FieldSpec& spec) {
  put(name, value ? "true" : "false", spec);
}
void FieldWriter::time(std::string_view name, Duration value, const FieldSpec& spec) {
  put(name, format_time(value), spec);
}
void FieldWriter::time(std::string_view name, const std::optional<Duration>& value, const FieldSpec& spec) {
  if (value) time(name, *value, spec);
}
void FieldWriter::text(std::string_view name, const std::string& value, const FieldSpec& spec) {
  put(name, value, spec);
}
void FieldWriter::name(std::string_view name, const std::string& value, const FieldSpec& spec) {
  // The reader rejects an empty name, so do not write it.
  if (!value.empty()) put(name, value, spec);
}
void FieldWriter::color(std::string_view name, const Color& value, const FieldSpec& spec) {
  put(name, format_color(value), spec);
}
void FieldWriter::color(std::string_view name, const std::optional<Color>& value, const FieldSpec& spec) {
  if (value) color(name, *value, spec);
}
void FieldWriter::pose(const Pose& value, const FieldSpec& spec) {
  put("position", format_vector(value.p), spec);
  put("orientation", format_quaternion(value.q), {});
}
void FieldWriter::prose(std::string_view name, const std::string& value, const FieldSpec&) {
  if (value.empty()) return;
  add({.name = std::string(name), .place = {}, .attributes = {}, .children = {}, .text = value});
}
void FieldWriter::content(const std::string& value, const FieldSpec&) {
  element_.text = value;
}

void FieldWriter::container(std::string_view name, const std::vector<Element>& value, const FieldSpec& spec) {
  if (value.empty() && !spec.required) return;
  add({.name = std::string(name), .place = {}, .attributes = {}, .children = value, .text = {}});
}

void FieldWriter::engine_children(EngineHost, const std::vector<Element>& value) {
  for (const Element& element : value) add(element);
}

}  // namespace lockstep
