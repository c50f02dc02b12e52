// Number fields of FieldReader: numbers, vectors, times, colours and poses.
#include <charconv>
#include <cmath>

#include "base/units.h"
#include "scenario/field_reader.h"
#include "scenario/xml_text.h"

namespace lockstep {

using xml::shown;

namespace {

/// A quaternion further from unit length than this is an error, not rounding.
constexpr double kQuaternionTolerance = 1e-3;
/// Closer than this it is not normalized, so that writing and reading does not change it.
constexpr double kQuaternionRounding = 1e-14;

Quat from_roll_pitch_yaw(const std::vector<double>& angles) {
  return Quat(Eigen::AngleAxisd(angles[2], Vec3::UnitZ()) * Eigen::AngleAxisd(angles[1], Vec3::UnitY()) *
              Eigen::AngleAxisd(angles[0], Vec3::UnitX()));
}

/// "#rrggbb" or "#rrggbbaa"; empty for other text.
std::optional<Color> parse_hex_color(std::string_view text) {
  if (text.size() != 7 && text.size() != 9) return std::nullopt;
  Color color = {0.0, 0.0, 0.0, 1.0};
  for (std::size_t i = 0; 2 * i + 1 < text.size(); ++i) {
    const char* begin = text.data() + 2 * i + 1;
    int part = 0;
    const auto [end, error] = std::from_chars(begin, begin + 2, part, 16);
    // from_chars also accepts a minus sign.
    if (error != std::errc{} || end != begin + 2 || *begin == '-') return std::nullopt;
    color[i] = part / 255.0;
  }
  return color;
}

/// As parse_numbers(), where the unit may also be an alternative such as "rad or m".
Result<std::vector<double>> parse_in_unit(std::string_view text, std::string_view unit) {
  constexpr std::string_view kOr = " or ";
  const std::size_t cut = unit.find(kOr);
  if (cut == std::string_view::npos) return parse_numbers(text, unit);
  const std::string_view first = unit.substr(0, cut);
  const std::string_view second = unit.substr(cut + kOr.size());
  Result<std::vector<double>> parsed = parse_numbers(text, first);
  if (parsed) return parsed;
  Result<std::vector<double>> other = parse_numbers(text, second);
  if (other) return other;
  const std::string_view found = std::string_view(parsed.error()).substr(0, parsed.error().find(';'));
  return Failure{fmt::format("{}; expected a number in '{}' or '{}'", found, first, second)};
}

}  // namespace

std::optional<std::vector<double>> FieldReader::read_numbers(const Attribute& attribute, Count count,
                                                             const FieldSpec& spec) {
  if (count.min == 0 && xml::trim(attribute.value).empty()) return std::vector<double>{};
  Result<std::vector<double>> parsed = parse_in_unit(attribute.value, spec.unit);
  if (!parsed) {
    error(attribute, "{}: {}", attribute.name, parsed.error());
    return std::nullopt;
  }
  const std::size_t found = parsed->size();
  if (found < count.min || found > count.max) {
    std::string expected = fmt::format("{}", count.min);
    if (count.max != count.min) {
      expected =
          found < count.min ? fmt::format("at least {}", count.min) : fmt::format("at most {}", count.max);
    }
    error(attribute, "{} has {} number{}; expected {}", attribute.name, found, found == 1 ? "" : "s", expected);
    return std::nullopt;
  }
  const FieldSpec limits = with_limits(spec, kMaxNumber);
  for (const double number : *parsed) {
    if (is_in_range(number, limits)) continue;
    const std::string expected = format_range(is_in_range(number, spec) ? limits : spec);
    if (found == 1) {
      error(attribute, "{} {} is out of range; expected {}", attribute.name, shown(attribute.value), expected);
    } else {
      error(attribute, "{} '{}': {} is out of range; expected each number {}", attribute.name,
            shown(attribute.value), format_number(number), expected);
    }
    return std::nullopt;
  }
  return *std::move(parsed);
}

std::optional<double> FieldReader::read_number(std::string_view name, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return std::nullopt;
  const auto numbers = read_numbers(*attribute, {1, 1}, spec);
  return numbers ? std::optional(numbers->front()) : std::nullopt;
}

void FieldReader::number(std::string_view name, double& value, const FieldSpec& spec) {
  if (const auto read = read_number(name, spec)) value = *read;
}
void FieldReader::number(std::string_view name, std::optional<double>& value, const FieldSpec& spec) {
  if (const auto read = read_number(name, spec)) value = *read;
}

std::optional<Vec3> FieldReader::read_vector(std::string_view name, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return std::nullopt;
  const auto numbers = read_numbers(*attribute, {3, 3}, spec);
  return numbers ? std::optional(Vec3(numbers->data())) : std::nullopt;
}

void FieldReader::vector(std::string_view name, Vec3& value, const FieldSpec& spec) {
  if (const auto read = read_vector(name, spec)) value = *read;
}
void FieldReader::vector(std::string_view name, std::optional<Vec3>& value, const FieldSpec& spec) {
  if (const auto read = read_vector(name, spec)) value = *read;
}

void FieldReader::numbers(std::string_view name, std::vector<double>& value, Count count,
                          const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return;
  if (auto read = read_numbers(*attribute, count, spec)) value = std::move(*read);
}

template <class I>
std::optional<I> FieldReader::read_integer(std::string_view name, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return std::nullopt;
  const std::string_view text = xml::trim(attribute->value);
  I value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (std::is_unsigned_v<I> && text.starts_with('-')) {
    error(*attribute, "{} {} is out of range; expected at least 0", name, shown(text));
    return std::nullopt;
  }
  if (problem != std::errc{} || end != text.data() + text.size()) {
    error(*attribute, "{} '{}' is not a whole number{}", name, shown(text),
          problem == std::errc::result_out_of_range ? " of 64 bits" : "");
    return std::nullopt;
  }
  if (!is_in_range(static_cast<double>(value), spec)) {
    error(*attribute, "{} {} is out of range; expected {}", name, shown(text), format_range(spec));
    return std::nullopt;
  }
  return value;
}

void FieldReader::integer(std::string_view name, std::int64_t& value, const FieldSpec& spec) {
  if (const auto read = read_integer<std::int64_t>(name, spec)) value = *read;
}
void FieldReader::integer(std::string_view name, std::uint64_t& value, const FieldSpec& spec) {
  FieldSpec limits = spec;
  limits.min = std::max(limits.min, 0.0);
  if (const auto read = read_integer<std::uint64_t>(name, limits)) value = *read;
}
void FieldReader::integer(std::string_view name, std::optional<std::int64_t>& value, const FieldSpec& spec) {
  if (const auto read = read_integer<std::int64_t>(name, spec)) value = *read;
}

std::optional<Duration> FieldReader::read_time(std::string_view name, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return std::nullopt;
  FieldSpec limits = with_limits(spec, kMaxTime);
  limits.unit = "s";
  const auto numbers = read_numbers(*attribute, {1, 1}, limits);
  if (!numbers) return std::nullopt;
  const long double nanoseconds = static_cast<long double>(numbers->front()) * 1e9L;
  const long double whole = std::round(nanoseconds);
  // A time such as 0.0005 s is not an exact double: a value within rounding counts as whole.
  const long double rounding = 1e-6L + 4e-16L * std::fabs(nanoseconds);
  if (std::fabs(nanoseconds - whole) > rounding) {
    error(*attribute, "{} {} is not a whole number of nanoseconds; the resolution of time is 1 ns", name,
          shown(attribute->value));
    return std::nullopt;
  }
  return Duration(static_cast<std::int64_t>(whole));
}

void FieldReader::time(std::string_view name, Duration& value, const FieldSpec& spec) {
  if (const auto read = read_time(name, spec)) value = *read;
}
void FieldReader::time(std::string_view name, std::optional<Duration>& value, const FieldSpec& spec) {
  if (const auto read = read_time(name, spec)) value = *read;
}

std::optional<Color> FieldReader::read_color(std::string_view name, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return std::nullopt;
  const std::string_view text = xml::trim(attribute->value);
  if (text.starts_with('#')) {
    const auto color = parse_hex_color(text);
    if (!color)
      error(*attribute, "{} '{}' is not a colour; expected '#rrggbb' or '#rrggbbaa'", name, shown(text));
    return color;
  }
  if (!parse_numbers(text, "")) {
    error(*attribute,
          "{} '{}' is not a colour; expected '#rrggbb', '#rrggbbaa' or three or four numbers 0 to 1", name,
          shown(text));
    return std::nullopt;
  }
  const auto numbers = read_numbers(*attribute, {3, 4}, {.min = 0.0, .max = 1.0});
  if (!numbers) return std::nullopt;
  return Color{(*numbers)[0], (*numbers)[1], (*numbers)[2], numbers->size() == 4 ? (*numbers)[3] : 1.0};
}

void FieldReader::color(std::string_view name, Color& value, const FieldSpec& spec) {
  if (const auto read = read_color(name, spec)) value = *read;
}
void FieldReader::color(std::string_view name, std::optional<Color>& value, const FieldSpec& spec) {
  if (const auto read = read_color(name, spec)) value = *read;
}

void FieldReader::pose(Pose& value, const FieldSpec& spec) {
  vector("position", value.p, {.unit = "m", .required = spec.required});
  const Attribute* orientation = take("orientation", false);
  const Attribute* rpy = take("rpy", false);
  if (orientation != nullptr && rpy != nullptr) {
    error(*rpy, "both orientation and rpy are given; expected one of them");
  } else if (orientation != nullptr) {
    read_orientation(*orientation, value.q);
  } else if (rpy != nullptr) {
    if (const auto angles = read_numbers(*rpy, {3, 3}, {.unit = "rad"})) value.q = from_roll_pitch_yaw(*angles);
  }
}

void FieldReader::read_orientation(const Attribute& attribute, Quat& value) {
  const auto wxyz = read_numbers(attribute, {4, 4}, {});
  if (!wxyz) return;
  Quat read((*wxyz)[0], (*wxyz)[1], (*wxyz)[2], (*wxyz)[3]);
  const double length = read.norm();
  if (std::abs(length - 1.0) > kQuaternionTolerance) {
    error(attribute, "orientation '{}' has length {:.4g}; expected a quaternion w x y z of length 1",
          shown(attribute.value), length);
    return;
  }
  if (std::abs(length - 1.0) > kQuaternionRounding) read.normalize();
  value = read;
}

}  // namespace lockstep
