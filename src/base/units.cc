#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

/// An unevaluated sum of two doubles, about 106 bits: a factor such as pi / 180 must not add
/// rounding, so that "90 deg" is the double next to pi / 2.
struct Wide {
  double high = 1.0;
  double low = 0.0;
};

Wide operator*(const Wide& a, const Wide& b) {
  const double product = a.high * b.high;
  const double rest = std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
  const double high = product + rest;
  return {high, rest - (high - product)};
}

Wide inverse(const Wide& a) {
  const double quotient = 1.0 / a.high;
  const double rest = (std::fma(-quotient, a.high, 1.0) - quotient * a.low) / a.high;
  const double high = quotient + rest;
  return {high, rest - (high - quotient)};
}

double scaled(double value, const Wide& factor) {
  const double product = value * factor.high;
  if (!std::isfinite(product)) return product;
  return product + (std::fma(value, factor.high, -product) + value * factor.low);
}

/// A unit whose factor to SI is wide * 10^ten. Decimal units have wide = 1.
struct ExactUnit {
  Unit dimension{};
  int ten = 0;
  Wide wide{};

  bool is_decimal() const { return wide.high == 1.0 && wide.low == 0.0; }
};

/// The factor as one number, for units that are not decimal.
Wide whole_factor(const ExactUnit& unit) {
  Wide power;
  for (int i = 0; i < std::abs(unit.ten); ++i) power = power * Wide{10.0};
  return unit.wide * (unit.ten < 0 ? inverse(power) : power);
}

struct Symbol {
  std::string_view text;
  ExactUnit unit;
};

constexpr Unit kNone{};
constexpr Unit kMetre{.metre = 1};
constexpr Unit kKilogram{.kilogram = 1};
constexpr Unit kSecond{.second = 1};
constexpr Unit kAmpere{.ampere = 1};
constexpr Unit kRadian{.radian = 1};
constexpr Unit kHertz{.second = -1};
constexpr Unit kNewton{.metre = 1, .kilogram = 1, .second = -2};
constexpr Unit kJoule{.metre = 2, .kilogram = 1, .second = -2};
constexpr Unit kWatt{.metre = 2, .kilogram = 1, .second = -3};
constexpr Unit kPascal{.metre = -1, .kilogram = 1, .second = -2};
constexpr Unit kVolt{.metre = 2, .kilogram = 1, .second = -3, .ampere = -1};
constexpr Unit kOhm{.metre = 2, .kilogram = 1, .second = -3, .ampere = -2};
constexpr Unit kHenry{.metre = 2, .kilogram = 1, .second = -2, .ampere = -2};
constexpr Unit kRadianPerSecond{.second = -1, .radian = 1};

constexpr Wide kDegree{0x1.1df46a2529d39p-6, 0x1.5c1d8becdd291p-62};  // pi / 180
constexpr Wide kTurn{0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52};    // 2 pi
constexpr Wide kRpm{0x1.acee9f37bebd6p-4, -0x1.7d74eb872d10ap-58};    // 2 pi / 60

constexpr auto kSymbols = std::to_array<Symbol>({
    {"1", {kNone}},
    {"m", {kMetre}},
    {"mm", {kMetre, -3}},
    {"cm", {kMetre, -2}},
    {"um", {kMetre, -6}},
    {"km", {kMetre, 3}},
    {"in", {kMetre, -4, {254.0}}},
    {"kg", {kKilogram}},
    {"g", {kKilogram, -3}},
    {"t", {kKilogram, 3}},
    {"s", {kSecond}},
    {"ms", {kSecond, -3}},
    {"us", {kSecond, -6}},
    {"ns", {kSecond, -9}},
    {"min", {kSecond, 0, {60.0}}},
    {"h", {kSecond, 0, {3600.0}}},
    {"rad", {kRadian}},
    {"mrad", {kRadian, -3}},
    {"deg", {kRadian, 0, kDegree}},
    {"turn", {kRadian, 0, kTurn}},
    {"rev", {kRadian, 0, kTurn}},
    {"rpm", {kRadianPerSecond, 0, kRpm}},
    {"N", {kNewton}},
    {"kN", {kNewton, 3}},
    {"mN", {kNewton, -3}},
    {"Nm", {kJoule}},
    {"J", {kJoule}},
    {"kJ", {kJoule, 3}},
    {"W", {kWatt}},
    {"kW", {kWatt, 3}},
    {"mW", {kWatt, -3}},
    {"Pa", {kPascal}},
    {"kPa", {kPascal, 3}},
    {"MPa", {kPascal, 6}},
    {"GPa", {kPascal, 9}},
    {"Hz", {kHertz}},
    {"kHz", {kHertz, 3}},
    {"MHz", {kHertz, 6}},
    {"A", {kAmpere}},
    {"mA", {kAmpere, -3}},
    {"V", {kVolt}},
    {"mV", {kVolt, -3}},
    {"Ohm", {kOhm}},
    {"H", {kHenry}},
    {"mH", {kHenry, -3}},
});

// Far beyond any real unit; they keep the arithmetic above in range for any input.
constexpr std::size_t kMaxUnitLength = 64;
constexpr int kMaxFactors = 8;
constexpr int kMaxPowerOfTen = 99;

void multiply(ExactUnit& product, const ExactUnit& factor, int exponent) {
  product.dimension = product.dimension * power(factor.dimension, exponent);
  product.ten += exponent * factor.ten;
  if (factor.is_decimal()) return;
  const Wide once = exponent < 0 ? inverse(factor.wide) : factor.wide;
  for (int i = 0; i < std::abs(exponent); ++i) product.wide = product.wide * once;
}

/// unit = factor {("*" | "/" | ".") factor},  factor = symbol ["^" ["-"] digit].  "/" applies to one factor.
std::optional<ExactUnit> find_exact_unit(std::string_view text) {
  ExactUnit product;
  if (text.empty()) return product;
  if (text.size() > kMaxUnitLength) return std::nullopt;
  int sign = 1;
  for (int count = 0; count < kMaxFactors; ++count) {
    const std::size_t end = std::min(text.find_first_of("*/.^"), text.size());
    const auto symbol = std::find_if(kSymbols.begin(), kSymbols.end(),
                                     [&](const Symbol& s) { return s.text == text.substr(0, end); });
    if (symbol == kSymbols.end()) return std::nullopt;
    text.remove_prefix(end);

    int exponent = 1;
    if (text.starts_with('^')) {
      text.remove_prefix(1);
      const bool negative = text.starts_with('-');
      if (negative) text.remove_prefix(1);
      if (text.empty() || text[0] < '1' || text[0] > '9') return std::nullopt;
      exponent = negative ? '0' - text[0] : text[0] - '0';
      text.remove_prefix(1);
    }
    multiply(product, symbol->unit, sign * exponent);
    if (std::abs(product.ten) > kMaxPowerOfTen) return std::nullopt;
    if (text.empty()) return product;

    if (text[0] != '*' && text[0] != '/' && text[0] != '.') return std::nullopt;
    sign = text[0] == '/' ? -1 : 1;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

/// Name and example of a quantity for error texts.
struct Quantity {
  std::string_view si_unit;
  std::string_view name;
  std::string_view example;
};

constexpr auto kQuantities = std::to_array<Quantity>({
    {"m", "a length", "500 mm"},
    {"m^2", "an area", "20 cm^2"},
    {"m^3", "a volume", "20 cm^3"},
    {"kg", "a mass", "500 g"},
    {"s", "a time", "5 ms"},
    {"rad", "an angle", "90 deg"},
    {"m/s", "a speed", "20 mm/s"},
    {"rad/s", "an angular speed", "90 deg/s"},
    {"m/s^2", "an acceleration", "9.81 m/s^2"},
    {"rad/s^2", "an angular acceleration", "90 deg/s^2"},
    {"N", "a force", "2 kN"},
    {"N*m", "a torque", "5 N*m"},
    {"J", "an energy", "5 J"},
    {"W", "a power", "2 kW"},
    {"Pa", "a pressure", "200 kPa"},
    {"Hz", "a frequency", "2 kHz"},
    {"A", "a current", "20 mA"},
    {"V", "a voltage", "24 V"},
    {"kg/m^3", "a density", "1.2 g/cm^3"},
    {"kg*m^2", "a moment of inertia", "5 kg*cm^2"},
    {"N/m", "a stiffness", "2 kN/m"},
    {"N*s/m", "a damping", "20 N*s/m"},
    {"N*m/rad", "a torsional stiffness", "5 N*m/rad"},
    {"N*m*s/rad", "a torsional damping", "5 N*m*s/rad"},
});

const Quantity* find_quantity(std::string_view si_unit) {
  for (const Quantity& quantity : kQuantities) {
    if (quantity.si_unit == si_unit) return &quantity;
  }
  return nullptr;
}

std::string expected_number(std::string_view si_unit) {
  if (si_unit.empty()) return "expected a number such as '0.5'";
  const Quantity* quantity = find_quantity(si_unit);
  if (si_unit == kAnyUnit) return "expected a number such as '0.5' or '500 mm'";
  // Of alternatives, use the first as an example.
  if (quantity == nullptr) {
    return fmt::format("expected a number such as '0.5' or '0.5 {}'", si_unit.substr(0, si_unit.find(' ')));
  }
  return fmt::format("expected {} such as '0.5' or '{}'", quantity->name, quantity->example);
}

std::string expected_unit(std::string_view si_unit) {
  if (si_unit.empty()) return "expected a number without unit";
  const Quantity* quantity = find_quantity(si_unit);
  if (quantity == nullptr) return fmt::format("expected a number in '{}'", si_unit);
  return fmt::format("expected {} in '{}', such as '{}'", quantity->name, si_unit, quantity->example);
}

std::string quoted(std::string_view text) {
  return "'" + shown_text(text) + "'";
}

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMaxNumbers = 100'000;
// The longest exact decimal of a double has 767 digits.
constexpr std::size_t kMaxNumberLength = 800;

/// One number as text and the unit after it. The value is computed once the unit is known, because
/// decimal units move the decimal point of the text.
struct Item {
  std::string_view digits;
  double value = 0.0;
  std::string_view unit;
};

/// Removes a number from the front of `token`; empty if it does not begin with one.
std::optional<Item> take_number(std::string_view& token, std::errc& problem) {
  std::string_view rest = token;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  // from_chars would also accept "-inf" and "nan".
  const std::size_t first = rest.starts_with('-') && rest.data() == token.data() ? 1 : 0;
  if (first >= rest.size() || !((rest[first] >= '0' && rest[first] <= '9') || rest[first] == '.'))
    return std::nullopt;
  Item item;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), item.value);
  if (error == std::errc::invalid_argument) return std::nullopt;
  problem = error;
  const auto length = static_cast<std::size_t>(end - rest.data());
  item.digits = rest.substr(0, length);
  token = rest.substr(length);
  if (length > kMaxNumberLength) problem = std::errc::value_too_large;
  return item;
}

/// 72 and 10^-3 give the double nearest to 0.072: the text is read again with the exponent moved, because
/// 72 * 0.001 and even 0.1 / 1000 round twice. Infinity if the result overflows.
double shifted(const Item& item, int ten) {
  if (ten == 0 || item.value == 0.0) return item.value;
  const std::size_t mark = std::min(item.digits.find_first_of("eE"), item.digits.size());
  int exponent = 0;
  if (mark < item.digits.size()) {
    const bool plus = item.digits[mark + 1] == '+';
    std::from_chars(item.digits.data() + mark + (plus ? 2 : 1), item.digits.data() + item.digits.size(),
                    exponent);
  }
  std::array<char, kMaxNumberLength + 16> text;
  const auto written =
      fmt::format_to_n(text.data(), text.size(), "{}e{}", item.digits.substr(0, mark), exponent + ten);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), written.out, value);
  return error == std::errc{} && end == written.out ? value : std::numeric_limits<double>::infinity();
}

double to_si(const Item& item, const ExactUnit& unit) {
  if (unit.is_decimal()) return shifted(item, unit.ten);
  return scaled(item.value, whole_factor(unit));
}

/// Splits the text into numbers and their units.
Result<void> split(std::string_view text, std::string_view si_unit, std::vector<Item>& items) {
  for (std::size_t at = text.find_first_not_of(kBlanks); at < text.size();
       at = text.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::string_view token = text.substr(at, end - at);
    at = end;

    std::string_view rest = token;
    std::errc problem{};
    // "1/s" is a unit although it begins like a number.
    const bool looks_like_unit = token.starts_with("1/") && !items.empty();
    const std::optional<Item> number = looks_like_unit ? std::nullopt : take_number(rest, problem);
    if (!number) {
      const bool is_unit = find_exact_unit(token).has_value();
      if (is_unit && items.empty())
        return Failure{fmt::format("unit {} without a number; {}", quoted(token), expected_number(si_unit))};
      if (is_unit && !items.back().unit.empty()) {
        return Failure{
            fmt::format("unit {} follows another unit; {}", quoted(token), expected_number(si_unit))};
      }
      if (!is_unit && (items.empty() || !items.back().unit.empty())) {
        return Failure{fmt::format("{} is not a number; {}", quoted(token), expected_number(si_unit))};
      }
      if (!is_unit) {
        return Failure{
            fmt::format("{} is neither a number nor a unit; {}", quoted(token), expected_number(si_unit))};
      }
      items.back().unit = token;
      continue;
    }
    if (rest.starts_with(',') || rest.starts_with(';')) {
      return Failure{fmt::format("{} is not a number; numbers are separated by blanks", quoted(token))};
    }
    if (!find_exact_unit(rest)) {
      return Failure{fmt::format("{} is not a number; {}", quoted(token), expected_number(si_unit))};
    }
    if (problem == std::errc::value_too_large) {
      return Failure{fmt::format("{} has more than {} digits", quoted(token), kMaxNumberLength)};
    }
    if (problem != std::errc{})
      return Failure{fmt::format("{} is too large or too small for a number", quoted(token))};
    if (items.size() == kMaxNumbers) return Failure{fmt::format("more than {} numbers", kMaxNumbers)};
    items.push_back(*number);
    items.back().unit = rest;
  }
  if (items.empty()) return Failure{fmt::format("there is no number; {}", expected_number(si_unit))};
  return {};
}

/// The units of "rad or m".
std::vector<Unit> find_alternatives(std::string_view si_unit) {
  constexpr std::string_view kOr = " or ";
  std::vector<Unit> units;
  while (si_unit != kAnyUnit) {
    const std::size_t end = si_unit.find(kOr);
    const std::optional<Unit> unit = find_unit(si_unit.substr(0, end));
    LOCKSTEP_CHECK(unit.has_value() && unit->factor == 1.0);
    units.push_back(*unit);
    if (end == std::string_view::npos) break;
    si_unit.remove_prefix(end + kOr.size());
  }
  return units;
}

}  // namespace

Unit operator*(const Unit& a, const Unit& b) {
  return {.metre = a.metre + b.metre,
          .kilogram = a.kilogram + b.kilogram,
          .second = a.second + b.second,
          .ampere = a.ampere + b.ampere,
          .radian = a.radian + b.radian,
          .factor = a.factor * b.factor};
}

Unit operator/(const Unit& a, const Unit& b) {
  return a * power(b, -1);
}

Unit power(const Unit& unit, int exponent) {
  return {.metre = exponent * unit.metre,
          .kilogram = exponent * unit.kilogram,
          .second = exponent * unit.second,
          .ampere = exponent * unit.ampere,
          .radian = exponent * unit.radian,
          .factor = std::pow(unit.factor, exponent)};
}

std::string to_text(const Unit& unit) {
  const std::array<std::pair<std::string_view, int>, 5> powers = {
      {{"kg", unit.kilogram}, {"m", unit.metre}, {"rad", unit.radian}, {"A", unit.ampere}, {"s", unit.second}}};
  std::string text;
  for (const auto& [symbol, exponent] : powers) {
    if (exponent > 0) text += fmt::format("{}{}", text.empty() ? "" : "*", symbol);
    if (exponent > 1) text += fmt::format("^{}", exponent);
  }
  for (const auto& [symbol, exponent] : powers) {
    if (exponent < 0) text += fmt::format("{}{}", text.empty() ? "1/" : "/", symbol);
    if (exponent < -1) text += fmt::format("^{}", -exponent);
  }
  return text;
}

std::optional<Unit> find_unit(std::string_view text) {
  const std::optional<ExactUnit> exact = find_exact_unit(text);
  if (!exact) return std::nullopt;
  Unit unit = exact->dimension;
  unit.factor = to_si({.digits = "1", .value = 1.0, .unit = {}}, *exact);
  return unit;
}

bool fits(const Unit& given, const Unit& expected) {
  if (given.metre != expected.metre || given.kilogram != expected.kilogram || given.second != expected.second ||
      given.ampere != expected.ampere) {
    return false;
  }
  const bool is_pure_angle = expected.metre == 0 && expected.kilogram == 0 && expected.ampere == 0;
  return given.radian == expected.radian || (given.radian == 0 && !is_pure_angle);
}

Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view si_unit) {
  const std::vector<Unit> expected = find_alternatives(si_unit);

  std::vector<Item> items;
  if (const Result<void> done = split(text, si_unit, items); !done) return Failure{done.error()};

  const auto with_unit = static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const Item& item) { return !item.unit.empty(); }));
  const bool shares_last = with_unit == 1 && !items.back().unit.empty();
  if (with_unit != 0 && with_unit != items.size() && !shares_last) {
    return Failure{
        fmt::format("{} of {} numbers have a unit; expected one unit at the end, or one after each number",
                    with_unit, items.size())};
  }

  std::vector<double> numbers;
  numbers.reserve(items.size());
  for (const Item& item : items) {
    const std::string_view name = shares_last ? items.back().unit : item.unit;
    if (name.empty()) {
      numbers.push_back(item.value);
      continue;
    }
    const ExactUnit unit = *find_exact_unit(name);
    const auto fits_given = [&](const Unit& alternative) { return fits(unit.dimension, alternative); };
    if (si_unit != kAnyUnit && std::none_of(expected.begin(), expected.end(), fits_given)) {
      return Failure{fmt::format("unit {} does not fit; {}", quoted(name), expected_unit(si_unit))};
    }
    const double value = to_si(item, unit);
    if (!std::isfinite(value) || (value == 0.0 && item.value != 0.0)) {
      return Failure{fmt::format("{} {} is too large or too small for a number", quoted(item.digits), name)};
    }
    numbers.push_back(value);
  }
  return numbers;
}

std::string format_number(double value) {
  // Whole numbers are written out while every digit is exact: 1000000, not 1e+06.
  constexpr double kWrittenOutBelow = 1e15;
  std::array<char, 32> text;
  const bool written_out = std::abs(value) < kWrittenOutBelow && std::trunc(value) == value;
  const auto end = written_out
                       ? std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed)
                       : std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

}  // namespace lockstep
