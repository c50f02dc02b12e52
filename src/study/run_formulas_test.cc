#include "simulation/run_formulas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "assemble/assemble.h"
#include "study/study_testing.h"

namespace lockstep {
namespace {

/// Formulas over the cart of study_testing.h: it rolls at 1 m/s from x = 0, without friction.
class RunFormulasTest : public testing::Test {
 protected:
  RunFormulasTest() : simulation_(simulate_text(std::string(kRollingCart))) {}

  double value(std::string_view text, std::int64_t steps = 101) {
    RunFormulas formulas(simulation_.signals(), simulation_.model());
    const auto added = formulas.add(text);
    EXPECT_TRUE(added.ok()) << added.error().text;
    if (!added) return std::nan("");
    formulas.begin(to_seconds(simulation_.step_size()));
    for (std::int64_t i = 0; i < steps; ++i) {
      EXPECT_TRUE(simulation_.run(1).ok());
      formulas.see(simulation_.row(), simulation_.world());
    }
    return formulas.value(0);
  }
  std::string error(std::string_view text) {
    RunFormulas formulas(simulation_.signals(), simulation_.model());
    const auto added = formulas.add(text);
    return added ? "" : fmt::format("{}: {}", added.error().character, added.error().text);
  }

  Simulation simulation_;
};

/// The cart's position is the sum of a thousand steps, each rounded.
constexpr double kRounding = 1e-9;

TEST_F(RunFormulasTest, FinalAndInitialAreTheLastAndTheFirstRow) {
  EXPECT_NEAR(value("final(cart/rail/position)"), 1.0, kRounding);  // 100 steps of 10 ms after the first row
}
TEST_F(RunFormulasTest, InitialIsTheFirstRow) {
  EXPECT_EQ(value("initial(cart/rail/position)"), 0.0);
}
TEST_F(RunFormulasTest, MeanOfAConstantVelocityMotionIsItsMiddle) {
  EXPECT_NEAR(value("mean(cart/rail/position)"), 0.5, kRounding);
}
TEST_F(RunFormulasTest, ExtremesAreOverAllRows) {
  EXPECT_NEAR(value("max(cart/rail/position) - min(cart/rail/position)"), 1.0, kRounding);
}
TEST_F(RunFormulasTest, MaxOfTwoIsTheLargerOfTwoResults) {
  EXPECT_NEAR(value("max(final(cart/rail/position), 3 m)"), 3.0, kRounding);
}
TEST_F(RunFormulasTest, IntegralOfTheSpeedIsTheDistance) {
  EXPECT_NEAR(value("integral(cart/rail/speed)", 100), 1.0, kRounding);
}
TEST_F(RunFormulasTest, DistanceIsEuclidean) {
  EXPECT_NEAR(value("distance(3 * cart/rail/position, 4 * cart/rail/position)"), 5.0, kRounding);
}
TEST_F(RunFormulasTest, EnergyOfAForceIsTheIntegralOfForceTimesSpeed) {
  EXPECT_NEAR(value("energy(-2 N, cart/rail/speed)", 100), 2.0, kRounding);  // 2 N over 1 m, for either sign
}
TEST_F(RunFormulasTest, AFreelyRollingCartUsesNoEnergy) {
  EXPECT_EQ(value("energy(cart)"), 0.0);
}

TEST_F(RunFormulasTest, UnitsAreChecked) {
  EXPECT_EQ(error("final(cart/rail/position) + final(cart/rail/speed)"),
            "29: this has 'm/s', but what is before it has 'm'");
}
TEST_F(RunFormulasTest, IntegralOfASpeedIsALength) {
  EXPECT_EQ(error("integral(cart/rail/speed) + 1 m"), "");
  EXPECT_EQ(error("integral(cart/rail/speed) + 1 s"), "29: this has 's', but what is before it has 'm'");
}
TEST_F(RunFormulasTest, ReportsAnUnknownSignalWithItsPlaceAndASuggestion) {
  EXPECT_EQ(error("2 * final(cart/rail/positon)"),
            "11: unknown signal 'cart/rail/positon'; did you mean 'cart/rail/position'?");
}
TEST_F(RunFormulasTest, RejectsASignalOutsideARunningFunction) {
  EXPECT_EQ(error("cart/rail/position"),
            "1: the signal 'cart/rail/position' changes during a run; choose a value of it, as in "
            "final(cart/rail/position)");
}
TEST_F(RunFormulasTest, RejectsAnUnknownFunction) {
  EXPECT_EQ(
      error("finale(time)"),
      "1: there is no function 'finale'; expected 'abs', 'min', 'max', 'final', 'initial', 'mean', 'integral', "
      "'distance' or 'energy'");
  EXPECT_NE(error("final(time"), "");
  EXPECT_NE(error("final()"), "");
  EXPECT_NE(error(""), "");
  EXPECT_NE(error("1 +"), "");
  EXPECT_NE(error("energy(dog)"), "");
}
TEST_F(RunFormulasTest, TheNumberOfArgumentsIsChecked) {
  EXPECT_EQ(error("1 + mean(time, time)"), "5: 'mean' takes 1 argument, not 2");
  EXPECT_EQ(error("max(time, time, time)"), "1: 'max' takes 1 or 2 arguments, not 3");
  EXPECT_EQ(error("distance(1, 2, 3, 4)"), "1: 'distance' takes 1 to 3 arguments, not 4");
}
TEST_F(RunFormulasTest, RejectsNestedRunningFunctions) {
  EXPECT_EQ(error("max(2 * final(time))"), "9: 'final' is a value of the whole run and cannot be inside 'max'");
}
TEST_F(RunFormulasTest, ArgumentsMayCallPlainFunctions) {
  EXPECT_NEAR(value("mean(max(cart/rail/position, 0.5 m)) + abs(min(-2 m, 1))"), 2.625, 0.01);
}
TEST_F(RunFormulasTest, ManyCallsAreIndependent) {
  RunFormulas formulas(simulation_.signals(), simulation_.model());
  std::string sum = "0 s";
  for (int i = 0; i < 70; ++i) sum += " + final(time)";
  ASSERT_TRUE(formulas.add(sum).ok());
  ASSERT_TRUE(formulas.add(sum).ok());  // 140 calls
  ASSERT_TRUE(formulas.add("initial(time)").ok());
  formulas.begin(to_seconds(simulation_.step_size()));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(simulation_.run(1).ok());
    formulas.see(simulation_.row(), simulation_.world());
  }
  EXPECT_NEAR(formulas.value(1), 70.0 * 0.02, kRounding);
  EXPECT_EQ(formulas.value(2), 0.0);
}
TEST_F(RunFormulasTest, NumbersWithExponentsAreNotNames) {
  EXPECT_EQ(value("1e2 * 2.5e-1-0 *final(time)-2"), 23.0);
}

}  // namespace
}  // namespace lockstep
