#include "control/pid.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

constexpr Slot kMeasured{0};
constexpr Slot kOutput{1};
constexpr double kLoopPeriod = 1e-3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Pid::Settings settings() {
  return {.min = -kInfinity, .max = kInfinity, .period = kLoopPeriod, .target = 1.0};
}

/// The plant y' = (u - y) / T under a controller, exact over each period.
struct Plant {
  explicit Plant(const Pid::Settings& s) : pid(kMeasured, std::nullopt, kOutput, s) {}
  void run(double seconds) {
    for (int i = 0; i < std::lround(seconds / kLoopPeriod); ++i) {
      (void)pid.decide({}, Row(row));
      row[0] = row[1] + (row[0] - row[1]) * std::exp(-kLoopPeriod / time_constant);
    }
  }
  Pid pid;
  std::array<double, 2> row{};
  double time_constant = 0.5;
};

TEST(Pid, ProportionalControlHasTheSteadyStateErrorOfTheClosedForm) {
  Pid::Settings s = settings();
  s.kp = 4.0;
  Plant plant(s);
  plant.run(5.0);
  EXPECT_NEAR(plant.row[0], 4.0 / 5.0, 1e-9);  // kp / (1 + kp)
}

TEST(Pid, ProportionalControlShortensTheTimeConstantByOnePlusItsGain) {
  Pid::Settings s = settings();
  s.kp = 4.0;
  Plant plant(s);
  plant.run(0.1);  // T / (1 + kp)
  const double one_period_of_delay = 0.01;
  EXPECT_NEAR(plant.row[0], 0.8 * (1.0 - std::exp(-1.0)), one_period_of_delay * 0.8);
}

TEST(Pid, IntegralControlHasNoSteadyStateError) {
  Pid::Settings s = settings();
  s.kp = 4.0;
  s.ki = 8.0;
  Plant plant(s);
  plant.run(10.0);
  EXPECT_NEAR(plant.row[0], 1.0, 1e-9);
}

TEST(Pid, IntegralThatCancelsThePlantPoleGivesAFirstOrderResponse) {
  Pid::Settings s = settings();
  s.kp = 5.0;
  s.ki = 10.0;  // kp / ki is the time constant of the plant, so that y' = ki (1 - y)
  Plant plant(s);
  plant.run(0.1);
  EXPECT_NEAR(plant.row[0], 1.0 - std::exp(-1.0), 0.01);
}

TEST(Pid, DerivativeOfARampIsItsSlopeWithoutAKickAtTheStart) {
  Pid::Settings s = settings();
  s.kd = 2.0;
  Pid pid(kMeasured, std::nullopt, kOutput, s);
  std::array<double, 2> row{7.0, 0.0};
  (void)pid.decide({}, Row(row));
  EXPECT_EQ(row[1], 0.0);
  row[0] += 3.0 * kLoopPeriod;
  (void)pid.decide({}, Row(row));
  EXPECT_NEAR(row[1], -2.0 * 3.0, 1e-9);
}

TEST(Pid, DerivativeFilterReachesSixtyThreePercentAfterItsTimeConstant) {
  Pid::Settings s = settings();
  s.kd = 1.0;
  s.filter = 0.1;
  Pid pid(kMeasured, std::nullopt, kOutput, s);
  std::array<double, 2> row{};
  for (int i = 0; i <= 100; ++i) {
    row[0] = i * kLoopPeriod;
    (void)pid.decide({}, Row(row));
  }
  const double first_order_in_the_period = 0.01;
  EXPECT_NEAR(-row[1], 1.0 - std::exp(-1.0), first_order_in_the_period);
}

TEST(Pid, DoesNotWindUpWhileItsOutputIsClamped) {
  Pid::Settings s = settings();
  s.ki = 10.0;
  s.max = 0.5;
  Pid pid(kMeasured, std::nullopt, kOutput, s);
  std::array<double, 2> row{};
  for (int i = 0; i < 10'000; ++i) (void)pid.decide({}, Row(row));  // an error of 1 integrates to 100
  EXPECT_NEAR(row[1], 0.5, 0.01);
  row[0] = 2.0;  // an error of -1 reduces it by 10 per second: below zero within 50 ms
  for (int i = 0; i < 52; ++i) (void)pid.decide({}, Row(row));
  EXPECT_LT(row[1], 0.0);
}

TEST(Pid, ContinuesFromASnapshotBitForBit) {
  Pid::Settings s = settings();
  s.kp = 4.0;
  s.ki = 8.0;
  s.kd = 0.1;
  s.filter = 0.02;
  Plant plant(s);
  plant.run(0.1);
  Plant other(s);
  StateWriter writer;
  plant.pid.save(writer);
  StateReader reader(writer.bytes());
  other.pid.restore(reader);
  other.row = plant.row;
  plant.run(0.1);
  other.run(0.1);
  EXPECT_EQ(plant.row, other.row);
}

}  // namespace
}  // namespace lockstep
