#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

/// Numbers with units: "72 mm", "90 deg", "2 kHz", "1.2 kg/m^3", "5 N*m/rad".
namespace lockstep {

/// Exponents of the base units and the factor to SI. Angle counts as a base unit, so that an angle cannot be
/// given in metres, nor a rate in rad/s as a frequency in Hz.
struct Unit {
  int metre = 0;
  int kilogram = 0;
  int second = 0;
  int ampere = 0;
  int radian = 0;
  double factor = 1.0;

  friend bool operator==(const Unit&, const Unit&) = default;
};

Unit operator*(const Unit& a, const Unit& b);
Unit operator/(const Unit& a, const Unit& b);
Unit power(const Unit& unit, int exponent);  ///< negative exponents, too

/// The dimension in base units, "kg*m/s^2"; "" for a plain number. The factor does not show.
std::string to_text(const Unit& unit);

/// Parses a unit such as "mm", "kg/m^3" or "N*m/rad"; nothing if it is none.
std::optional<Unit> find_unit(std::string_view text);

/// Whether a value in `given` can be meant where `expected` is asked for. Radians may be omitted of
/// compound units ("N*m" for "N*m/rad"), but never from angles and their rates.
bool fits(const Unit& given, const Unit& expected);

inline constexpr std::string_view kAnyUnit = "any";

/// The numbers of a text, in SI. Either no unit (SI is meant), one unit after the last number (it holds for
/// all), or one unit after each. Fails with "'7x' is not a number" or "unit 'kg' does not fit; expected a
/// length in 'm', such as '500 mm'" if it cannot be read. NaN and infinity are not numbers.
///
/// `si_unit` may name alternatives ("rad or m") where it depends on something else which of them is meant, or
/// be kAnyUnit; a caller that knows more parses again with the right one.
Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view si_unit);

/// The shortest text that reads back as exactly the same double.
std::string format_number(double value);

}  // namespace lockstep
