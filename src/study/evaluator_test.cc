#include "study/evaluator.h"

#include <gtest/gtest.h>

#include "lockstep/state.h"
#include "study/study_testing.h"

namespace lockstep {
namespace {

std::string all_of(const Evaluation& evaluation) {
  std::string text =
      fmt::format("{} {} {}", static_cast<int>(evaluation.verdict), evaluation.excess, evaluation.reason);
  for (const double objective : evaluation.objectives) text += fmt::format(" {:a}", objective);
  return text;
}

const Registry& registry() {
  static const Registry kRegistry = default_registry();
  return kRegistry;
}

Evaluation evaluate_fresh(const StudySetup& setup, const std::vector<double>& values) {
  return Evaluator(setup, registry()).evaluate(values);
}

/// Evaluates random candidates with one evaluator for all, and each with a new one.
void expect_no_memory(const StudySetup& setup, int candidates) {
  Evaluator used(setup, registry());
  Random random(7, "candidates");
  for (int i = 0; i < candidates; ++i) {
    std::vector<double> x(setup.axes.size());
    // Some axes stay, so that the simulation is reused.
    for (double& number : x) number = random.uniform() < 0.5 ? 0.5 : random.uniform();
    const std::vector<double> values = setup.values_at(x);
    EXPECT_EQ(all_of(used.evaluate(values)), all_of(evaluate_fresh(setup, values))) << i;
    if (i % 5 != 0) continue;
    EXPECT_EQ(all_of(used.evaluate({})), all_of(evaluate_fresh(setup, {})));
  }
}

TEST(Evaluator, ResultsDoNotDependOnEarlierCandidates) {
  expect_no_memory(StudyFile(driven_cart(fmt::format("{}{}<random/>", kAmplitude, kFarthest))).setup(), 20);
  expect_no_memory(StudyFile(driven_cart(fmt::format("{}{}{}<random/>", kAmplitude, kMass, kFarthest))).setup(),
                   20);
}

TEST(Evaluator, RestartsControllersWithState) {
  // The PID controller has an integral, the servo a reference, and the sensor noise a generator.
  const StudyFile file(R"xml(<scenario step="5 ms" duration="400 ms">
  <ground/>
  <robot name="cart" position="0 0 0.3">
    <link name="base"><joint name="free" type="free"/><box size="0.4 0.2 0.1"/></link>
    <link name="arm" parent="base"><joint name="elbow" axis="0 1 0"/><capsule radius="2 cm" length="20 cm" position="0 0 0.15"/></link>
    <sensors>
      <joint_state name="elbow" joint="elbow"><error noise="0.01" signal="angle"/></joint_state>
      <pose name="pose" body="base"/>
    </sensors>
    <actuators><torque name="motor" joint="elbow"/></actuators>
    <controllers>
      <pid name="hold" measured="elbow/angle" output="motor/torque" target="0.5" kp="2" ki="3" kd="0.1"/>
    </controllers>
  </robot>
  <event at="100 ms" action="push" target="cart/base" force="3 0 0" length="50 ms"/>
  <study name="hold">
    <parameter name="ki" path="//pid/@ki" min="0" max="10"/>
    <parameter name="kp" path="//pid/@kp" min="0.1" max="10" scale="log"/>
    <objective minimize="mean(abs(cart/elbow/angle - 0.5 rad)) / 1 rad + energy() / 10 J"/>
    <limits penetration="20 cm" energy="1 kJ"/>
    <random/>
  </study>
</scenario>)xml");
  ASSERT_EQ(file.errors(), "");
  expect_no_memory(file.setup(), 20);
}

TEST(Evaluator, TheObjectiveIsTheValueOfTheFormula) {
  // A servo of 100 N/m on 1 kg follows a slow sine closely: 1 Hz has its peak at 0.25 s.
  const StudySetup setup = StudyFile(driven_cart(fmt::format("{}{}<random/>", kAmplitude, kFarthest))).setup();
  const Evaluation small = evaluate_fresh(setup, {0.1}), large = evaluate_fresh(setup, {0.2});
  ASSERT_EQ(small.objectives.size(), 1u);
  EXPECT_GT(small.objectives[0], 0.05);
  EXPECT_NEAR(large.objectives[0] / small.objectives[0], 2.0, 1e-9);  // the system is linear
}

TEST(Evaluator, AFormulaSeesTheSignalsAndTheWorldOfOneInstant) {
  // The sensor measures force and speed of the joint without error, so both ways to compute its work agree.
  const StudySetup setup = StudyFile(driven_cart(fmt::format("{}<objective maximize='energy(cart/rail)'/>"
                                                             "<objective maximize='energy(cart/rail/effort, "
                                                             "cart/rail/speed)'/><random/>",
                                                             kAmplitude)))
                               .setup();
  const Evaluation evaluation = evaluate_fresh(setup, {0.2});
  ASSERT_EQ(evaluation.objectives.size(), 2u);
  EXPECT_GT(evaluation.objectives[0], 0.0);
  EXPECT_EQ(evaluation.objectives[0], evaluation.objectives[1]);
}

TEST(Evaluator, ChecksLimitsAtTheLastInstantToo) {
  // Pushed in the last step alone: 1000 N on 1 kg for 5 ms is 5 m/s, 12.5 J.
  std::string text = driven_cart(fmt::format("{}{}<limits energy='1 J'/><random/>", kAmplitude, kFarthest));
  text.insert(text.find("<study"),
              "<event at='495 ms' action='push' target='cart/wagon' force='1000 0 0' length='5 ms'/>");
  const StudySetup setup = StudyFile(text).setup();
  const Evaluation evaluation = evaluate_fresh(setup, {0.0});
  EXPECT_EQ(evaluation.verdict, Evaluation::Verdict::kInvalid);
  EXPECT_NE(evaluation.reason.find("in step 100;"), std::string::npos) << evaluation.reason;
}

TEST(Evaluator, ARunThatGainsEnergyWithoutACauseIsInvalid) {
  // MuJoCo's own integration of rotations adds energy to a disc that wobbles.
  std::string text = driven_cart(fmt::format("{}{}<random/>", kAmplitude, kFarthest));
  text.insert(text.find("<study"), R"(<engine><mujoco steady_spin="false"/></engine>
    <object name="disc" position="0 0 9" angular_velocity="8 0 40"><cylinder radius="0.1" length="0.01" mass="1"/></object>)");
  const Evaluation evaluation = evaluate_fresh(StudyFile(text).setup(), {0.0});
  EXPECT_EQ(evaluation.verdict, Evaluation::Verdict::kInvalid);
  EXPECT_TRUE(evaluation.reason.starts_with("energy gained")) << evaluation.reason;
}

TEST(Evaluator, ADivergedRunIsInvalidWithTheReason) {
  const StudySetup setup =
      StudyFile(driven_cart(fmt::format(
                    "<parameter name='k' path='//servo/@stiffness' min='1' max='1e9'/>{}<random/>", kFarthest)))
          .setup();
  const Evaluation evaluation = evaluate_fresh(setup, {1e9});
  EXPECT_EQ(evaluation.verdict, Evaluation::Verdict::kInvalid);
  EXPECT_NE(evaluation.reason.find("diverged"), std::string::npos) << evaluation.reason;
  EXPECT_TRUE(evaluation.objectives.empty());
  // It does not affect the next candidate.
  Evaluator evaluator(setup, registry());
  evaluator.evaluate(std::vector{1e9});
  EXPECT_EQ(all_of(evaluator.evaluate(std::vector{50.0})), all_of(evaluate_fresh(setup, {50.0})));
}

TEST(Evaluator, TooMuchEnergyIsInvalid) {
  const StudySetup setup =
      StudyFile(driven_cart(fmt::format("{}{}<limits energy='0.05 J'/><random/>", kAmplitude, kFarthest)))
          .setup();
  EXPECT_EQ(evaluate_fresh(setup, {0.01}).verdict, Evaluation::Verdict::kValid);
  const Evaluation wild = evaluate_fresh(setup, {0.5});
  EXPECT_EQ(wild.verdict, Evaluation::Verdict::kInvalid);
  EXPECT_NE(wild.reason.find("energy"), std::string::npos);
}

TEST(Evaluator, TooMuchPenetrationIsInvalid) {
  const StudyFile file(R"xml(<scenario step="2 ms" duration="300 ms">
  <ground/>
  <object name="ball" position="0 0 0.06" velocity="0 0 -0.1"><sphere radius="5 cm"/></object>
  <study name="fall">
    <parameter name="speed" path="//object/@velocity" component="3" min="-20" max="-1e-3"/>
    <objective maximize="final(ball/z)"/>
    <limits penetration="5 mm"/>
    <random/>
  </study>
  <sensors><pose name="ball" body="ball"/></sensors>
</scenario>)xml");
  ASSERT_EQ(file.errors(), "");
  EXPECT_EQ(evaluate_fresh(file.setup(), {-0.01}).verdict, Evaluation::Verdict::kValid);
  const Evaluation evaluation = evaluate_fresh(file.setup(), {-20.0});  // 4 cm in a step
  EXPECT_EQ(evaluation.verdict, Evaluation::Verdict::kInvalid);
  EXPECT_NE(evaluation.reason.find("overlap by"), std::string::npos) << evaluation.reason;
}

TEST(Evaluator, MeasuresConstraintViolations) {
  const StudySetup setup =
      StudyFile(
          driven_cart(fmt::format("{}{}<constraint value='max(abs(cart/rail/speed))' max='1 m/s'/><random/>",
                                  kAmplitude, kFarthest)))
          .setup();
  EXPECT_EQ(evaluate_fresh(setup, {0.01}).verdict, Evaluation::Verdict::kValid);
  const Evaluation fast = evaluate_fresh(setup, {0.4}), faster = evaluate_fresh(setup, {0.5});
  EXPECT_EQ(fast.verdict, Evaluation::Verdict::kViolated);
  EXPECT_GT(faster.excess, fast.excess);
  EXPECT_FALSE(fast.objectives.empty());
}

TEST(Evaluator, RepetitionsAreCombined) {
  const auto text = [](std::string_view combine) {
    return driven_cart(
        fmt::format("{}{}<repetition name='light'><set path='//box/@mass' value='0.5'/></repetition>"
                    "<repetition name='heavy'><set path='//box/@mass' value='2'/></repetition><random/>",
                    kAmplitude, kFarthest),
        fmt::format("evaluations='10' combine='{}'", combine));
  };
  const auto alone = [](std::string_view mass) {
    const StudySetup setup =
        StudyFile(driven_cart(fmt::format(
                      "{}{}<repetition name='one'><set path='//box/@mass' value='{}'/></repetition><random/>",
                      kAmplitude, kFarthest, mass)))
            .setup();
    return evaluate_fresh(setup, {0.2}).objectives.at(0);
  };
  const double light = alone("0.5"), heavy = alone("2");
  ASSERT_NE(light, heavy);
  EXPECT_EQ(evaluate_fresh(StudyFile(text("mean")).setup(), {0.2}).objectives.at(0), (light + heavy) / 2.0);
  EXPECT_EQ(evaluate_fresh(StudyFile(text("worst")).setup(), {0.2}).objectives.at(0), std::min(light, heavy));
}

TEST(Evaluator, ACandidateThatCannotBeBuiltIsInvalid) {
  // Each bound is valid by itself; together they leave no range.
  const StudyFile file(R"xml(<scenario step="5 ms" duration="50 ms">
  <robot name="r"><link name="a"/><link name="b" parent="a">
    <joint name="j" lower="-1" upper="1"/><sphere radius="5 cm"/></link>
    <sensors><joint_state name="j" joint="j"/></sensors></robot>
  <study name="limits">
    <parameter name="lower" path="//joint[@type or @lower]/@lower" min="-1" max="0"/>
    <parameter name="upper" path="//joint[@lower]/@upper" min="0" max="1"/>
    <objective maximize="final(r/j/angle)"/>
    <random/>
  </study>
</scenario>)xml");
  ASSERT_EQ(file.errors(), "");
  const Evaluation evaluation = evaluate_fresh(file.setup(), {0.0, 0.0});
  EXPECT_EQ(evaluation.verdict, Evaluation::Verdict::kInvalid);
  EXPECT_NE(evaluation.reason, "");
}

}  // namespace
}  // namespace lockstep
