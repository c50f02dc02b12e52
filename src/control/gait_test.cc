#include "control/gait.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/gait_actions.h"

namespace lockstep {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kPeriod = 0.01;
constexpr double kRounding = 1e-12;

/// Three pitch and two yaw joints, called every 10 ms.
class GaitTest : public testing::Test {
 protected:
  static constexpr GaitParameters kWave = {.pitch_amplitude = 0.5,
                                           .yaw_amplitude = 0.3,
                                           .pitch_phase = 1.2,
                                           .yaw_phase = 0.7,
                                           .between = 0.4,
                                           .pitch_offset = 0.1,
                                           .yaw_offset = -0.2,
                                           .cycle = 2.0};

  Gait make(double blend, std::vector<GaitAction> actions = {}, std::vector<Gait::Change> changes = {}) {
    if (actions.empty()) actions.push_back({"wave", kWave, std::vector<JointGait>(5)});
    table_ = {};
    const auto add = [&](std::string_view name, double initial) {
      return table_.add(std::string(name), "", SignalRole::kCommand, initial);
    };
    signals_ = {.targets = {}, .pitch_count = 3};
    for (int i = 0; i < 5; ++i) signals_.targets.push_back(add("target" + std::to_string(i), 0.0));
    signals_.action = add("action", 0.0);
    signals_.direction = add("direction", 1.0);
    signals_.turn = add("turn", 0.0);
    for (std::size_t i = 0; i < signals_.parameters.size(); ++i) {
      signals_.parameters[i] = add(kGaitParameters[i].first, actions[0].parameters.*kGaitParameters[i].second);
    }
    row_.assign(table_.initial().begin(), table_.initial().end());
    step_ = 0;
    return Gait(signals_, std::move(actions),
                {.period = kPeriod, .blend = blend, .turn_offset = 0.25, .changes = std::move(changes)});
  }
  Status call(Gait& gait) {
    const Instant now{step_, step_ * Duration(10'000'000), static_cast<double>(step_) * kPeriod};
    ++step_;
    return gait.decide(now, Row(row_));
  }
  void run(Gait& gait, int calls) {
    for (int i = 0; i < calls; ++i) ASSERT_TRUE(call(gait).ok());
  }
  double& operator[](const char* name) { return row_[static_cast<std::size_t>(*table_.find(name))]; }
  double target(std::size_t joint) const {
    return Row(const_cast<std::vector<double>&>(row_))[signals_.targets[joint]];
  }
  std::vector<double> targets() const { return {row_.begin(), row_.begin() + 5}; }
  static double wave(const GaitParameters& p, std::size_t joint, double psi) {
    const double k = static_cast<double>(joint < 3 ? joint : joint - 3);
    return joint < 3 ? p.pitch_amplitude * std::sin(psi + k * p.pitch_phase) + p.pitch_offset
                     : p.yaw_amplitude * std::sin(psi + k * p.yaw_phase + p.between) + p.yaw_offset;
  }

  SignalTable table_;
  Gait::Signals signals_;
  std::vector<double> row_;
  std::int64_t step_ = 0;
};

TEST_F(GaitTest, JointsFollowTheEquationsOfTheWave) {
  Gait gait = make(0.0);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(call(gait).ok());
    for (std::size_t joint = 0; joint < 5; ++joint) {
      ASSERT_NEAR(target(joint), wave(kWave, joint, kPi * 0.01 * i), kRounding);
    }
  }
}

TEST_F(GaitTest, StartsStraightAndReachesTheFullWaveAfterTheBlend) {
  Gait gait = make(1.0);
  run(gait, 1);
  EXPECT_EQ(targets(), std::vector<double>(5, 0.0));
  run(gait, 100);
  for (std::size_t joint = 0; joint < 5; ++joint)
    EXPECT_NEAR(target(joint), wave(kWave, joint, kPi), kRounding);
}

TEST_F(GaitTest, KeepsItsPhaseWhenTheCycleChanges) {
  Gait gait = make(0.0);
  run(gait, 51);  // psi = pi/2
  (*this)["cycle"] = 4.0;
  run(gait, 1);
  const double psi = kPi / 2.0 + kPi * 0.01;  // the rate of the last call held until now
  EXPECT_NEAR(target(0), wave(kWave, 0, psi), kRounding);
  run(gait, 100);
  EXPECT_NEAR(target(0), wave(kWave, 0, psi + kPi / 2.0), kRounding);
}

TEST_F(GaitTest, DirectionReversesOrStopsTheWave) {
  Gait gait = make(0.0);
  (*this)["direction"] = -1.0;
  run(gait, 51);
  EXPECT_NEAR(target(1), wave(kWave, 1, -kPi / 2.0), kRounding);
  (*this)["direction"] = 0.0;
  run(gait, 2);
  const std::vector<double> before = targets();
  run(gait, 100);
  EXPECT_EQ(targets(), before);
}

TEST_F(GaitTest, TurnBendsTheYawJointsToTheLeft) {
  Gait gait = make(0.0);
  (*this)["turn"] = 1.0;
  run(gait, 1);
  EXPECT_NEAR(target(3), wave(kWave, 3, 0.0) + 0.25, kRounding);
  EXPECT_NEAR(target(0), wave(kWave, 0, 0.0), kRounding);
}

TEST_F(GaitTest, AnActionWritesItsParametersAndBlendsWithoutAJump) {
  GaitParameters other = {.pitch_amplitude = 0.2, .yaw_amplitude = 0.6, .pitch_phase = -2.0, .cycle = 1.0};
  Gait gait =
      make(0.5, {{"wave", kWave, std::vector<JointGait>(5)}, {"other", other, std::vector<JointGait>(5)}},
           {{Duration(2'000'000'000), 1}});
  std::vector<double> last(5, 0.0);
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(call(gait).ok());
    const double fastest =
        0.6 * (2.0 * kPi + 1.5 * 6.4 / 0.5) + 2.0;  // rad/s: the wave, its phases, its offsets
    for (std::size_t joint = 0; joint < 5; ++joint)
      ASSERT_LT(std::abs(target(joint) - last[joint]), fastest * kPeriod);
    last = targets();
  }
  EXPECT_EQ((*this)["action"], 1.0);
  EXPECT_EQ((*this)["pitch_phase"], -2.0);
  // All joints are on one wave of the new parameters.
  const double psi = std::asin(target(0) / 0.2);
  const double other_psi = kPi - psi;
  const bool fits = std::abs(target(1) - wave(other, 1, psi)) < 1e-9 ||
                    std::abs(target(1) - wave(other, 1, other_psi)) < 1e-9;
  EXPECT_TRUE(fits);
}

TEST_F(GaitTest, AJointCanOverrideTheParameters) {
  std::vector<JointGait> joints(5);
  joints[1] = {.amplitude = 0.05, .phase = 1.0, .offset = 0.7, .cycle = 1.0};
  Gait gait = make(0.0, {{"own", kWave, joints}});
  run(gait, 38);
  EXPECT_NEAR(target(1), 0.05 * std::sin(2.0 * kPi * 0.37 + 1.0) + 0.7, kRounding);
  EXPECT_NEAR(target(2), wave(kWave, 2, kPi * 0.37), kRounding);
}

TEST_F(GaitTest, AJointWithItsOwnCycleReturnsToTheOthers) {
  std::vector<JointGait> joints(5);
  joints[1].cycle = 0.7;
  Gait gait = make(0.5, {{"own", kWave, joints}, {"wave", kWave, std::vector<JointGait>(5)}});
  run(gait, 301);
  (*this)["action"] = 1.0;
  run(gait, 100);
  for (std::size_t joint = 0; joint < 3; ++joint)
    EXPECT_NEAR(target(joint), wave(kWave, joint, 4.0 * kPi), 1e-9);
}

TEST_F(GaitTest, AnInvalidSignalEndsTheRunWithAnError) {
  const auto cause = [&](const char* signal, double value) {
    Gait gait = make(0.0);
    (*this)[signal] = value;
    const Status status = call(gait);
    EXPECT_EQ(status.outcome, Outcome::kControllerFailed);
    return status.cause;
  };
  EXPECT_EQ(cause("action", 1.0), "there is no action 1; expected 0 to 0");
  EXPECT_EQ(cause("action", -0.5), "there is no action -0.5; expected 0 to 0");
  EXPECT_EQ(cause("direction", 1.5), "direction is 1.5; expected -1 to 1");
  EXPECT_EQ(cause("turn", std::nan("")), "turn is nan; expected -1 to 1");
  EXPECT_EQ(cause("cycle", 0.0), "cycle is 0 s; expected more than 0");
  EXPECT_EQ(cause("pitch_phase", HUGE_VAL), "pitch_phase is inf; expected a number");
}

TEST_F(GaitTest, ContinuesIdenticallyAfterARestore) {
  std::vector<JointGait> joints(5);
  joints[4].cycle = 0.9;
  const std::vector<GaitAction> actions = {{"wave", kWave, std::vector<JointGait>(5)}, {"own", {}, joints}};
  Gait one = make(1.0, actions, {{Duration(800'000'000), 1}});
  run(one, 100);  // within the blend
  StateWriter writer;
  one.save(writer);
  const std::vector<double> row = row_;
  run(one, 50);
  const std::vector<double> expected = targets();

  Gait other = make(1.0, actions, {{Duration(800'000'000), 1}});
  StateReader reader(writer.bytes());
  other.restore(reader);
  EXPECT_TRUE(reader.at_end());
  row_ = row;
  step_ = 100;
  run(other, 50);
  EXPECT_EQ(targets(), expected);
}

TEST(Blend, ArrivesInTimeAtRestAndIsSmoothWhenTheGoalChanges) {
  Blend blend;
  double last = 0.0, last_speed = 0.0;
  for (int i = 0; i < 200; ++i) {
    blend.advance(i < 40 ? 1.0 : -2.0, 0.01, 1.0);
    // A cubic over 1 s from rest accelerates by at most 6 times distance over time squared; more from a moving
    // start.
    ASSERT_LT(std::abs(blend.speed() - last_speed), 0.01 * 30.0);
    ASSERT_NEAR(blend.value() - last, blend.speed() * 0.01, 0.01 * 0.01 * 30.0);
    last = blend.value();
    last_speed = blend.speed();
    if (i >= 139) {
      ASSERT_EQ(blend.value(), -2.0);
    }
  }
  EXPECT_EQ(blend.speed(), 0.0);
}

TEST(Blend, FollowsAGoalThatKeepsMoving) {
  Blend blend;
  double goal = 0.0;
  for (int i = 0; i < 1000; ++i) blend.advance(goal = 0.003 * i, 0.01, 1.0);
  EXPECT_NEAR(blend.speed(), 0.3, 0.01);
  EXPECT_LT(goal - blend.value(), 0.3 * 1.0) << "lags by less than the time of a blend";
}

}  // namespace
}  // namespace lockstep
