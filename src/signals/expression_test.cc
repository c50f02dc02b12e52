#include "signals/expression.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "lockstep/state.h"

namespace lockstep {
namespace {

class ExpressionTest : public testing::Test {
 protected:
  ExpressionTest() {
    signals_.add("left/distance", "m", SignalRole::kMeasurement);
    signals_.add("bumper/touch", "", SignalRole::kMeasurement);
    signals_.add("arm/elbow-2/angle", "rad", SignalRole::kMeasurement);
    signals_.add("time", "s", SignalRole::kInternal);
  }

  Result<Expression, ExpressionError> parse(std::string_view text, Expression::Kind kind) const {
    return parse_expression(text, kind,
                            {.signals = signals_,
                             .find = [&](const std::string& name) { return signals_.find(name); },
                             .known = signals_.names(),
                             .functions = plain_functions()});
  }
  double number(std::string_view text) const {
    const Result<Expression, ExpressionError> parsed = parse(text, Expression::Kind::kNumber);
    EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error().text;
    return parsed ? parsed->value(ConstRow(row_)) : std::nan("");
  }
  bool truth(std::string_view text) const {
    const Result<Expression, ExpressionError> parsed = parse(text, Expression::Kind::kTruth);
    EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error().text;
    return parsed && parsed->is_true(ConstRow(row_));
  }
  std::string error(std::string_view text) const {
    const Result<Expression, ExpressionError> parsed = parse(text, Expression::Kind::kTruth);
    return parsed ? "" : std::to_string(parsed.error().character) + ": " + parsed.error().text;
  }

  SignalTable signals_;
  std::array<double, 4> row_ = {0.25, 1.0, 0.5, 3.0};
};

TEST_F(ExpressionTest, BindsTimesBeforePlusAndBothBeforeComparisons) {
  EXPECT_EQ(number("2 + 3 * 4 - 6 / 3"), 12.0);
  EXPECT_EQ(number("(2 + 3) * -4"), -20.0);
  EXPECT_EQ(number("8 - 4 - 2"), 2.0);
  EXPECT_TRUE(truth("1 + 1 == 2"));
}

TEST_F(ExpressionTest, BindsNotBeforeAndBeforeOr) {
  EXPECT_TRUE(truth("1 > 0 or 1 > 0 and 1 > 2"));
  EXPECT_FALSE(truth("(1 > 0 or 1 > 0) and 1 > 2"));
  EXPECT_TRUE(truth("not 1 > 2 and 2 > 1"));
  EXPECT_FALSE(truth("not (1 > 2 or 2 > 1)"));
}

TEST_F(ExpressionTest, ConvertsUnitsToSi) {
  EXPECT_TRUE(truth("left/distance < 300 mm and left/distance > 24 cm"));
  EXPECT_TRUE(truth("left/distance lt 0.3"));
  EXPECT_TRUE(truth("arm/elbow-2/angle ge 28 deg and time le 3 s"));
  EXPECT_EQ(number("0.072 m - 72 mm"), 0.0);
}

TEST_F(ExpressionTest, EvaluatesThePlainFunctions) {
  EXPECT_EQ(number("abs(0.5 m - left/distance * 4)"), 0.5);
  EXPECT_EQ(number("max(min(left/distance, 1 m), 0.1)"), 0.25);
}

TEST_F(ExpressionTest, CallsTheFunctionsOfTheCaller) {
  const FormulaScope scope{
      .signals = signals_,
      .find = [&](const std::string& name) { return signals_.find(name); },
      .known = {},
      .functions = {{.name = "middle",
                     .min_arguments = 1,
                     .max_arguments = 5,
                     .calculate = [](std::span<const double> x) { return x[x.size() / 2]; }}}};
  const auto parsed =
      parse_expression("10 * middle(1, 2 + 1, middle(5), 6, 7)", Expression::Kind::kNumber, scope);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  EXPECT_EQ(parsed->value(ConstRow(row_)), 50.0);
}

TEST_F(ExpressionTest, PassesArgumentsToARunningFunctionAsFormulas) {
  RunningCall seen;
  const FormulaScope scope{
      .signals = signals_,
      .find = [&](const std::string& name) { return signals_.find(name); },
      .known = {},
      .functions = {{.name = "last", .follow = [&](RunningCall call) -> Result<RunningValue, ExpressionError> {
                       seen = std::move(call);
                       return RunningValue{Slot{1}, seen.arguments[0].formula.unit()};
                     }}}};
  const auto parsed = parse_expression("1 m + last( 2 * left/distance)", Expression::Kind::kNumber, scope);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  ASSERT_EQ(seen.arguments.size(), 1u);
  EXPECT_EQ(seen.arguments[0].character, 13u);
  EXPECT_EQ(seen.arguments[0].formula.value(ConstRow(row_)), 0.5);
  const std::array<double, 2> results = {0.0, 4.0};
  EXPECT_EQ(parsed->value(ConstRow(results)), 5.0);
}

TEST_F(ExpressionTest, CalculatesWithUnits) {
  EXPECT_TRUE(truth("left/distance / time < 0.1 m/s"));
  EXPECT_EQ(error("left/distance / time < 0.1 m"), "24: this has 'm', but what is before it has 'm/s'");
  EXPECT_TRUE(truth("2 * left/distance eq 0.5 m"));
}

TEST_F(ExpressionTest, ComparesNanAsFalse) {
  row_[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(truth("left/distance < 1 m"));
  EXPECT_FALSE(truth("left/distance >= 1 m"));
}

TEST_F(ExpressionTest, ReportsTheCharacterOfAnError) {
  EXPECT_EQ(error("left/distance < 0.3 kg"), "17: this has 'kg', but what is before it has 'm'");
  EXPECT_EQ(error("left/distanse < 0.3"), "1: unknown signal 'left/distanse'; did you mean 'left/distance'?");
  EXPECT_EQ(error("time > 1 s and"), "15: the formula ends too early; expected a number or a signal");
  EXPECT_EQ(error("time > 1 s time"), "12: unexpected 't'; expected 'and', 'or' or the end");
  EXPECT_EQ(error("(time > 1 s"), "12: expected ')', found the end");
  EXPECT_EQ(error("time and time > 1 s"), "1: this is a number; expected a comparison such as 'a > 0.5'");
  EXPECT_EQ(error("time > 1 s + (time > 2)"), "14: this is true or false; expected a number");
  EXPECT_EQ(error("time > 1 parsec"), "10: 'parsec' is not a unit");
  EXPECT_EQ(error("sin(time) > 0"), "1: there is no function 'sin'; expected 'abs', 'min' or 'max'");
  EXPECT_EQ(error("min(time) > 0"), "1: 'min' takes 2 arguments, not 1");
  EXPECT_EQ(error("time > abs(time, 2 s)"), "8: 'abs' takes 1 argument, not 2");
  EXPECT_EQ(error("max(time, left/distance) > 0"), "11: this has 'm', but what is before it has 's'");
  EXPECT_EQ(error("abs(time"), "9: expected ')', found the end");
  EXPECT_EQ(error("time > 1e999"), "8: '1' is not a number");
  EXPECT_EQ(error(""), "1: the formula ends too early; expected a number or a signal");
  EXPECT_EQ(error("time > and"), "8: 'and' is out of place; expected a number or a signal");
  EXPECT_EQ(error("time > $"), "8: '$' is neither a number nor a signal");
}

TEST_F(ExpressionTest, RejectsTooLongAndTooDeeplyNestedFormulas) {
  EXPECT_EQ(error(std::string(1001, ' ')), "1001: the formula is longer than 1000 characters");
  EXPECT_NE(error(std::string(40, '(') + "1").find("nested too deeply"), std::string::npos);
  EXPECT_NE(error(std::string(40, '-') + "1 > 0").find("nested too deeply"), std::string::npos);
  std::string nots;
  for (int i = 0; i < 40; ++i) nots += "not ";
  EXPECT_NE(error(nots + "1 > 0").find("nested too deeply"), std::string::npos);
}

TEST_F(ExpressionTest, AnswersAnyTextWithAFormulaOrAnError) {
  const std::array<std::string_view, 24> kPieces = {
      "left/distance", "time", "(",    ")", "and ", " or ",  "not ", "<",    ">=", " lt ", "+",   " - ", "*",
      " / ",           "0.5",  "1e3 ", "m", " s",   "deg/s", "abs(", "min(", ",",  " ",    "\xC3"};
  Random random(1, "expression");
  int formulas = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    const auto count = 1 + random.bits() % 12;
    for (std::uint64_t k = 0; k < count; ++k) text += kPieces[random.bits() % kPieces.size()];
    for (const auto kind : {Expression::Kind::kTruth, Expression::Kind::kNumber}) {
      const Result<Expression, ExpressionError> parsed = parse(text, kind);
      if (parsed) {
        ++formulas;
        (void)parsed->value(ConstRow(row_));
      } else {
        ASSERT_FALSE(parsed.error().text.empty()) << text;
        ASSERT_LE(parsed.error().character, text.size() + 1) << text;
      }
    }
  }
  EXPECT_GT(formulas, 500);  // some random texts are valid formulas
}

}  // namespace
}  // namespace lockstep
