#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lockstep/fields.h"
#include "lockstep/math.h"
#include "lockstep/shapes.h"
#include "lockstep/time.h"

/// Formats values for attributes. Everything reads back as exactly the same value.
namespace lockstep {

/// Limit for numbers without a range.
inline constexpr double kMaxNumber = 1e9;
/// Up to this time in seconds, a double still resolves every nanosecond.
inline constexpr double kMaxTime = 4e6;
inline constexpr std::size_t kMaxName = 64;

std::string format_numbers(std::span<const double> numbers);
std::string format_vector(const Vec3& vector);
std::string format_quaternion(const Quat& quaternion);  ///< w x y z
std::string format_time(Duration time);                 ///< seconds, in decimals: "0.0005"
/// "#rrggbb" or "#rrggbbaa" if that is exact, else three or four numbers.
std::string format_color(const Color& color);

/// "at least 0 m", "above 0 and at most 1 s", "from 0 to 1"; "" without limits.
std::string format_range(const FieldSpec& spec);
/// The spec with `largest` in place of missing limits.
FieldSpec with_limits(FieldSpec spec, double largest);
bool is_in_range(double value, const FieldSpec& spec);

}  // namespace lockstep
