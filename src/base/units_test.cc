#include "base/units.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/text.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

double one(std::string_view text, std::string_view si_unit) {
  const Result<std::vector<double>> result = parse_numbers(text, si_unit);
  EXPECT_TRUE(result.ok()) << text << ": " << result.error();
  if (!result) return std::nan("");
  EXPECT_EQ(result->size(), 1u) << text;
  return result->front();
}

std::string error(std::string_view text, std::string_view si_unit) {
  const Result<std::vector<double>> result = parse_numbers(text, si_unit);
  EXPECT_FALSE(result.ok()) << text;
  return result ? "" : result.error();
}

TEST(Units, ANumberWithoutUnitIsSi) {
  EXPECT_EQ(one("0.072", "m"), 0.072);
  EXPECT_EQ(one("  +1e-3\n", "s"), 1e-3);
  EXPECT_EQ(one(".5", ""), 0.5);
  EXPECT_EQ(one("-5.", "rad"), -5.0);
  EXPECT_EQ(one("1E3", "m"), 1000.0);
}

TEST(Units, DecimalUnitsGiveTheNearestDoubleOfTheDecimalResult) {
  EXPECT_EQ(one("72 mm", "m"), 0.072);
  EXPECT_EQ(one("72mm", "m"), 0.072);
  EXPECT_EQ(one("0.1 mm", "m"), 1e-4);
  EXPECT_EQ(one("1 ms", "s"), 0.001);
  EXPECT_EQ(one("2 kHz", "Hz"), 2000.0);
  EXPECT_EQ(one("7 um", "m"), 7e-6);
  EXPECT_EQ(one("-3.3e2 cm", "m"), -3.3);
  EXPECT_EQ(one("1.1e+3g", "kg"), 1.1);
  EXPECT_EQ(one("7.85 g/cm^3", "kg/m^3"), 7850.0);
  EXPECT_EQ(one("210 GPa", "Pa"), 210e9);
  EXPECT_EQ(one("0.3 kg*cm^2", "kg*m^2"), 3e-5);
}

TEST(Units, EveryHundredthOfAMillimetreUpToAMetreIsCorrectlyRounded) {
  for (int i = 0; i <= 100'000; ++i) {
    const double exact = static_cast<double>(i) / 100'000.0;  // division rounds once
    ASSERT_EQ(one(std::to_string(i) + "e-2 mm", "m"), exact);
  }
}

TEST(Units, InchesMinutesAndHoursAreExact) {
  EXPECT_EQ(one("1 in", "m"), 0.0254);
  EXPECT_EQ(one("3 in", "m"), 0.0762);
  EXPECT_EQ(one("5 min", "s"), 300.0);
  EXPECT_EQ(one("1.5 h", "s"), 5400.0);
  EXPECT_EQ(one("36 km/h", "m/s"), 10.0);
}

TEST(Units, AnglesAreTheDoublesNearestToTheirFractionOfPi) {
  constexpr double kPi = std::numbers::pi;
  EXPECT_EQ(one("90 deg", "rad"), kPi / 2);
  EXPECT_EQ(one("-180 deg", "rad"), -kPi);
  EXPECT_EQ(one("45 deg", "rad"), kPi / 4);
  EXPECT_EQ(one("1 turn", "rad"), 2 * kPi);
  EXPECT_EQ(one("0.25 rev", "rad"), kPi / 2);
  EXPECT_EQ(one("60 rpm", "rad/s"), 2 * kPi);
  EXPECT_EQ(one("30 rpm", "rad/s"), kPi);
  EXPECT_EQ(one("180 deg/s", "rad/s"), kPi);
  EXPECT_EQ(one("3141.592653589793 mrad", "rad"), 3.141592653589793);
  EXPECT_DOUBLE_EQ(one("1 N*m/deg", "N*m/rad"), 180.0 / kPi);
}

TEST(Units, DerivedSymbolsHaveTheirDefinition) {
  EXPECT_EQ(one("5 Nm", "N*m"), 5.0);
  EXPECT_EQ(one("5 N.m", "N*m"), 5.0);
  EXPECT_EQ(one("1 kW*h", "J"), 3.6e6);
  EXPECT_EQ(one("24 V", "kg*m^2/s^3/A"), 24.0);
  EXPECT_EQ(one("2 V/A", "Ohm"), 2.0);
  EXPECT_EQ(one("1 MPa", "N/m^2"), 1e6);
  EXPECT_EQ(one("3 s^-1", "Hz"), 3.0);
  EXPECT_EQ(one("3 1/s", "Hz"), 3.0);
}

TEST(Units, OneUnitAtTheEndAppliesToAllAndEachMayHaveItsOwn) {
  EXPECT_EQ(*parse_numbers("1 2 3", "m"), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(*parse_numbers("1 2 3 mm", "m"), (std::vector{0.001, 0.002, 0.003}));
  EXPECT_EQ(*parse_numbers("1\t2 3mm", "m"), (std::vector{0.001, 0.002, 0.003}));
  EXPECT_EQ(*parse_numbers("1 m 2 cm 3mm", "m"), (std::vector{1.0, 0.02, 0.003}));
}

TEST(Units, AUnitAfterSomeOfTheNumbersIsAnError) {
  EXPECT_EQ(error("1 mm 2 3 mm", "m"),
            "2 of 3 numbers have a unit; expected one unit at the end, or one after each number");
  EXPECT_EQ(error("1 mm 2", "m"),
            "1 of 2 numbers have a unit; expected one unit at the end, or one after each number");
}

TEST(Units, ErrorsNameWhatWasFoundAndWhatIsExpected) {
  EXPECT_EQ(error("fast", "m"), "'fast' is not a number; expected a length such as '0.5' or '500 mm'");
  EXPECT_EQ(error("1 kg", "m"), "unit 'kg' does not fit; expected a length in 'm', such as '500 mm'");
  EXPECT_EQ(error("1 kg", ""), "unit 'kg' does not fit; expected a number without unit");
  EXPECT_EQ(error("1 m", "m^3/s"), "unit 'm' does not fit; expected a number in 'm^3/s'");
  EXPECT_EQ(error("x", "rad or m"), "'x' is not a number; expected a number such as '0.5' or '0.5 rad'");
  EXPECT_EQ(error("x", kAnyUnit), "'x' is not a number; expected a number such as '0.5' or '500 mm'");
  EXPECT_EQ(error("7x", ""), "'7x' is not a number; expected a number such as '0.5'");
  EXPECT_EQ(error("1 miles", "m"),
            "'miles' is neither a number nor a unit; expected a length such as '0.5' or '500 mm'");
  EXPECT_EQ(error("mm", "m"), "unit 'mm' without a number; expected a length such as '0.5' or '500 mm'");
  EXPECT_EQ(error("1 mm mm", "m"),
            "unit 'mm' follows another unit; expected a length such as '0.5' or '500 mm'");
  EXPECT_EQ(error("1, 2", "m"), "'1,' is not a number; numbers are separated by blanks");
  EXPECT_EQ(error(" ", "s"), "there is no number; expected a time such as '0.5' or '5 ms'");
  EXPECT_EQ(error("1e999", ""), "'1e999' is too large or too small for a number");
  EXPECT_EQ(error("1e308 km", "m"), "'1e308' km is too large or too small for a number");
}

TEST(Units, OnlyPlainDecimalNumbersAreNumbers) {
  for (const char* text : {"nan", "inf", "-inf", "+nan", "infinity", "0x10", "1e",    "e5",    ".",    "-",
                           "+",   "--1", "+-1",  "-+1",  "1_000",    "1d0",  "1.2.3", "1e5.2", "\x01", "½"}) {
    EXPECT_NE(error(text, ""), "") << text;
  }
}

TEST(Units, AngleIsABaseUnit) {
  EXPECT_NE(error("1 m", "rad"), "");
  EXPECT_NE(error("1 Hz", "rad/s"), "");
  EXPECT_NE(error("1 1/s", "rad/s"), "");
  EXPECT_NE(error("1 rpm", "Hz"), "");
  EXPECT_NE(error("1 N*m/rad", "N*m"), "");
  EXPECT_EQ(one("5 N*m", "N*m/rad"), 5.0);
  EXPECT_EQ(one("5 N*m*s", "N*m*s/rad"), 5.0);
}

TEST(Units, RejectsUnknownUnits) {
  for (const char* text : {"x", "m^", "m^0", "m^-", "m^12", "m*", "*m", "/s", "m//s", "m m", "Mm", "KG",
                           "m^2^2", "m/s/s/s/s/s/s/s/s", "km^9*km^9*km^9*km^9"}) {
    EXPECT_FALSE(find_unit(text).has_value()) << text;
  }
  EXPECT_FALSE(find_unit(std::string(1'000'000, 'm')).has_value());
}

TEST(Units, FactorOfAUnitIsItsSizeInSi) {
  EXPECT_EQ(find_unit("mm")->factor, 0.001);
  EXPECT_EQ(find_unit("kN/m")->factor, 1000.0);
  EXPECT_EQ(find_unit("")->factor, 1.0);
  EXPECT_EQ(find_unit("deg")->factor, std::numbers::pi / 180);
}

TEST(Units, EitherAlternativeIsAccepted) {
  EXPECT_EQ(*parse_numbers("90 deg", "rad or m"), *parse_numbers("90 deg", "rad"));
  EXPECT_EQ(*parse_numbers("20 mm", "rad or m"), (std::vector<double>{0.02}));
  EXPECT_EQ(parse_numbers("2 kg", "rad or m").error(),
            "unit 'kg' does not fit; expected a number in 'rad or m'");
  EXPECT_EQ(*parse_numbers("2 g", kAnyUnit), (std::vector<double>{0.002}));
}

TEST(Units, HugeInputIsRejectedQuickly) {
  EXPECT_EQ(error(std::string(1'000'000, '1'), "m"),
            "'" + std::string(kMaxShownText, '1') + "…' has more than 800 digits");
  EXPECT_EQ(error(std::string(1'000'000, 'x'), "m"),
            "'" + std::string(kMaxShownText, 'x') +
                "…' is not a number; expected a length such as '0.5' or '500 mm'");
  std::string many;
  for (int i = 0; i < 100'001; ++i) many += "1 ";
  EXPECT_EQ(error(many, "m"), "more than 100000 numbers");
}

TEST(Units, ErrorsCutTextBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "€";  // three bytes each; 100 is not a multiple of three
  const std::string message = error(text, "");
  EXPECT_TRUE(message.starts_with("'" + text.substr(0, 99) + "…' is not")) << message;
}

TEST(Unit, IsMultipliedDividedAndRaised) {
  const Unit newton = *find_unit("N"), metre = *find_unit("m"), second = *find_unit("s");
  EXPECT_EQ(newton * metre, *find_unit("J"));
  EXPECT_EQ(newton * metre / second, *find_unit("W"));
  EXPECT_EQ(newton / power(metre, 2), *find_unit("Pa"));
  EXPECT_EQ(power(second, -1), *find_unit("Hz"));
  EXPECT_EQ(power(metre, 0), Unit{});
  EXPECT_EQ((*find_unit("km") / *find_unit("ms")).factor, 1e6);
}

TEST(Unit, DiffersByScale) {
  EXPECT_NE(*find_unit("m"), *find_unit("mm"));
  EXPECT_NE(*find_unit("rad/s"), *find_unit("Hz"));
}

TEST(Unit, IsWrittenInBaseUnitsSoThatItReadsBack) {
  EXPECT_EQ(to_text(*find_unit("N")), "kg*m/s^2");
  EXPECT_EQ(to_text(*find_unit("Hz")), "1/s");
  EXPECT_EQ(to_text(Unit{}), "");
  for (const char* text : {"V", "Ohm", "N*m/rad", "rad/s^2", "m^3", "1/A"}) {
    const Unit unit = *find_unit(text);
    EXPECT_EQ(find_unit(to_text(unit)), unit) << text;
  }
}

TEST(FormatNumber, IsShortAndWritesWholeNumbersOut) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(1e6), "1000000");
  EXPECT_EQ(format_number(-123456789012345.0), "-123456789012345");
  EXPECT_EQ(format_number(1e15), "1e+15");
  EXPECT_EQ(format_number(1e-7), "1e-07");
  EXPECT_EQ(format_number(-0.0), "-0");
}

TEST(FormatNumber, ReadsBackAsTheSameBits) {
  Random random(1, "format");
  const auto expect_same = [](double value) {
    const double back = one(format_number(value), "");
    ASSERT_EQ(back, value);
    ASSERT_EQ(std::signbit(back), std::signbit(value));
  };
  for (const double value :
       {0.0, -0.0, 1.0 / 3.0, 5e-324, std::numeric_limits<double>::max(), 999999999999999.0}) {
    expect_same(value);
  }
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(random.bits());
    if (std::isfinite(value)) expect_same(value);
  }
}

}  // namespace
}  // namespace lockstep
