#include "scenario/field_format.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "base/units.h"

namespace lockstep {

std::string format_numbers(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) {
    if (!text.empty()) text += ' ';
    text += format_number(number);
  }
  return text;
}

std::string format_vector(const Vec3& vector) {
  return format_numbers({vector.data(), 3});
}

std::string format_quaternion(const Quat& quaternion) {
  return format_numbers(std::array{quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z()});
}

std::string format_time(Duration time) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  const std::int64_t whole = time.count() / kPerSecond;
  const std::int64_t rest = std::abs(time.count() % kPerSecond);
  std::string text = fmt::format("{}{}.{:09}", time.count() < 0 && whole == 0 ? "-" : "", whole, rest);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string format_color(const Color& color) {
  std::string hex = "#";
  bool is_exact = true;
  for (const double part : color) {
    const double step = std::round(part * 255.0);
    is_exact = is_exact && step >= 0.0 && step <= 255.0 && step / 255.0 == part;
    if (is_exact) hex += fmt::format("{:02x}", static_cast<int>(step));
  }
  const bool is_opaque = color[3] == 1.0;
  if (is_exact) return is_opaque ? hex.substr(0, 7) : hex;
  return format_numbers(std::span(color).first(is_opaque ? 3 : 4));
}

namespace {

/// "1e9" is easier to read than 1000000000.
std::string format_limit(double limit) {
  std::string text = fmt::format("{:g}", limit);
  if (std::strtod(text.c_str(), nullptr) != limit) return format_number(limit);
  if (const std::size_t plus = text.find("e+"); plus != std::string::npos) text.erase(plus + 1, 1);
  const std::size_t zero = text.find_first_not_of("e-", std::min(text.find('e'), text.size()));
  if (zero != std::string::npos && text[zero] == '0') text.erase(zero, 1);
  return text;
}

}  // namespace

std::string format_range(const FieldSpec& spec) {
  const auto with_unit = [&](double limit) {
    const bool has_unit = !spec.unit.empty() && spec.unit != kAnyUnit;
    return has_unit ? fmt::format("{} {}", format_limit(limit), spec.unit) : format_limit(limit);
  };
  const bool has_min = std::isfinite(spec.min);
  const bool has_max = std::isfinite(spec.max);
  const std::string_view low = spec.above_min ? "above" : "at least";
  if (has_min && has_max && !spec.above_min) {
    return fmt::format("{} to {}", format_limit(spec.min), with_unit(spec.max));
  }
  if (has_min && has_max)
    return fmt::format("above {} and at most {}", format_limit(spec.min), with_unit(spec.max));
  if (has_min) return fmt::format("{} {}", low, with_unit(spec.min));
  if (has_max) return fmt::format("at most {}", with_unit(spec.max));
  return "";
}

FieldSpec with_limits(FieldSpec spec, double largest) {
  if (!std::isfinite(spec.min)) spec.min = -largest;
  if (!std::isfinite(spec.max)) spec.max = largest;
  return spec;
}

bool is_in_range(double value, const FieldSpec& spec) {
  return (spec.above_min ? value > spec.min : value >= spec.min) && value <= spec.max;
}

}  // namespace lockstep
