#include "control/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/playback.h"

namespace lockstep {
namespace {

constexpr double kPlanRounding = 1e-12;

double value_at(const Plan& plan, double time) {
  const Plan::Moment at = plan.moment(time);
  return plan.piece(0, at.row).value(at.u);
}

Plan make_plan(Interpolation interpolation, std::vector<double> times, std::vector<double> position,
               bool loop = false) {
  Plan plan{interpolation, loop, std::move(times), {{std::move(position), {}, {}}}};
  complete(plan);
  return plan;
}

TEST(Plan, PassesThroughItsRowsWithEveryInterpolation) {
  for (const auto interpolation : {Interpolation::kLinear, Interpolation::kCubic, Interpolation::kQuintic}) {
    const Plan plan = make_plan(interpolation, {0.0, 0.5, 2.0, 2.5}, {1.0, -1.0, 3.0, 0.0});
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(value_at(plan, plan.times[i]), plan.curves[0].position[i], kPlanRounding);
    }
  }
}

TEST(Plan, HoldsTheFirstRowBeforeItsStartAndTheLastAfterItsEnd) {
  const Plan plan = make_plan(Interpolation::kLinear, {0.0, 1.0}, {2.0, 3.0});
  EXPECT_EQ(value_at(plan, -5.0), 2.0);
  EXPECT_EQ(value_at(plan, 7.0), 3.0);
}

TEST(Plan, RepeatsWhenItLoops) {
  const Plan plan = make_plan(Interpolation::kLinear, {0.0, 1.0, 4.0}, {0.0, 1.0, 0.0}, true);
  EXPECT_NEAR(value_at(plan, 4.25), 0.25, kPlanRounding);
  EXPECT_NEAR(value_at(plan, 8.0 + 2.5), 0.5, kPlanRounding);
}

TEST(Plan, CubicOfTwoRowsHasAParabolicSpeedFromRestToRest) {
  const Plan plan = make_plan(Interpolation::kCubic, {0.0, 2.0}, {0.0, 1.0});
  for (const double u : {0.1, 0.3, 0.8})
    EXPECT_NEAR(value_at(plan, 2.0 * u), 3 * u * u - 2 * u * u * u, kPlanRounding);
}

TEST(Plan, CubicHasContinuousAccelerationAtItsRows) {
  const Plan plan = make_plan(Interpolation::kCubic, {0.0, 0.4, 1.0, 1.5}, {0.0, 1.0, -1.0, 0.5});
  for (const std::size_t row : {std::size_t{1}, std::size_t{2}}) {
    const auto acceleration = [&](std::size_t piece, double u) {
      const double h = plan.times[piece + 1] - plan.times[piece];
      return plan.piece(0, piece).derivative().derivative().value(u) / (h * h);
    };
    EXPECT_NEAR(acceleration(row - 1, 1.0), acceleration(row, 0.0), 1e-9);
  }
}

TEST(Plan, LoopingCubicFollowsASineWithTheErrorOfASpline) {
  std::vector<double> times;
  std::vector<double> sine;
  constexpr int kRows = 32;
  for (int i = 0; i <= kRows; ++i) {
    times.push_back(2.0 * std::numbers::pi * i / kRows);
    sine.push_back(std::sin(times.back()));
  }
  const Plan plan = make_plan(Interpolation::kCubic, times, sine, true);
  // 5/384 h^4 max|f''''| bounds a complete spline; a periodic one is no worse.
  const double bound = 5.0 / 384.0 * std::pow(times[1], 4);
  for (double t = 0.0; t < 6.28; t += 0.01) EXPECT_NEAR(value_at(plan, t), std::sin(t), bound);
}

TEST(Plan, QuinticWithoutVelocitiesIsTheMinimumJerkCurve) {
  const Plan plan = make_plan(Interpolation::kQuintic, {0.0, 2.0}, {1.0, 3.0});
  for (const double u : {0.2, 0.5, 0.9}) {
    EXPECT_NEAR(value_at(plan, 2.0 * u),
                1.0 + 2.0 * (10 * std::pow(u, 3) - 15 * std::pow(u, 4) + 6 * std::pow(u, 5)), kPlanRounding);
  }
}

TEST(Plan, QuinticWithGivenDerivativesReproducesAPolynomialOfDegreeFive) {
  const auto f = [](double t) { return t * t * t * t * t - 2.0 * t * t + 1.0; };
  Plan plan{Interpolation::kQuintic, false, {0.0, 0.7, 1.5}, {{}}};
  for (const double t : plan.times) {
    plan.curves[0].position.push_back(f(t));
    plan.curves[0].velocity.push_back(5 * std::pow(t, 4) - 4 * t);
    plan.curves[0].acceleration.push_back(20 * std::pow(t, 3) - 4);
  }
  complete(plan);
  for (const double t : {0.2, 0.65, 0.9, 1.4}) EXPECT_NEAR(value_at(plan, t), f(t), kPlanRounding);
}

TEST(FindExcess, FindsAnOvershootBetweenTwoRowsWithinTheLimits) {
  // u (1 - u) times 4 a is a hump of height a.
  const double a = 0.25;
  const Bezier hump{{0.0, 2.0 * a, 0.0}, 2};
  EXPECT_TRUE(find_excess(hump, -1.0, a - 1e-6).has_value());
  EXPECT_FALSE(find_excess(hump, -1.0, a + 1e-6).has_value());
  EXPECT_TRUE(find_excess(hump, 1e-6, 1.0).has_value());
}

TEST(Playback, StretchesAndShiftsThePlanInTime) {
  Plan plan = make_plan(Interpolation::kLinear, {0.0, 2.0}, {0.0, 4.0});
  Playback playback(std::move(plan), {Slot{0}}, Slot{1}, {.start = 1.0, .time_scale = 0.5});
  std::array<double, 2> values{};
  (void)playback.decide({.seconds = 3.0}, Row(values));
  EXPECT_NEAR(values[0], 2.0, kPlanRounding);
  EXPECT_NEAR(values[1], 0.5, kPlanRounding);
}

}  // namespace
}  // namespace lockstep
