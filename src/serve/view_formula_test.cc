#include "serve/view_formula.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::serve {
namespace {

SignalTable make_signals() {
  SignalTable signals;
  signals.add("motor/torque", "N*m", SignalRole::kMeasurement);
  signals.add("motor/angle", "rad", SignalRole::kMeasurement);
  signals.add("cart/x", "m", SignalRole::kMeasurement);
  return signals;
}

TEST(ViewFormula, IsAFormulaOverTheSignalsOfOneRow) {
  const SignalTable signals = make_signals();
  const auto formula = ViewFormula::parse("max(2 * cart/x, 1 m) / 2 s", signals);
  ASSERT_TRUE(formula) << formula.error().text;
  EXPECT_EQ(formula->unit(), "m/s");
  const double row[] = {0.0, 0.0, 3.0};
  EXPECT_EQ(formula->value({.now = ConstRow(row)}), 3.0);
}

TEST(ViewFormula, TakesDerivativesFromTheRowBefore) {
  const SignalTable signals = make_signals();
  const auto speed = ViewFormula::parse("2 * derivative(cart/x)", signals);
  ASSERT_TRUE(speed) << speed.error().text;
  EXPECT_EQ(speed->unit(), "m/s");
  const double before[] = {0.0, 0.0, 1.0}, now[] = {0.0, 0.0, 1.5};
  EXPECT_EQ(speed->value({.now = ConstRow(now), .before = ConstRow(before), .seconds_between = 0.25}), 4.0);
  EXPECT_TRUE(std::isnan(speed->value({.now = ConstRow(now)})));
}

TEST(ViewFormula, NamesTheUnitsOfEngineers) {
  SignalTable signals = make_signals();
  signals.add("wheel/rate", "1/s", SignalRole::kMeasurement);
  const auto power = ViewFormula::parse("motor/torque * wheel/rate", signals);
  ASSERT_TRUE(power) << power.error().text;
  EXPECT_EQ(power->unit(), "W");
}

TEST(ViewFormula, RejectsUnitsThatDoNotFitAndUnknownSignals) {
  const SignalTable signals = make_signals();
  EXPECT_FALSE(ViewFormula::parse("cart/x + motor/angle", signals));
  const auto unknown = ViewFormula::parse("cart/y", signals);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text.find("cart/x"), std::string::npos) << unknown.error().text;
}

}  // namespace
}  // namespace lockstep::serve
