#include "suite/script.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder_testing.h"
#include "suite/run_suite.h"

namespace lockstep {
namespace {

/// A body that falls freely from rest in steps of 10 ms, so its height is z = -g t²/2 and its speed -g t.
constexpr std::string_view kFalling = R"(<scenario name="falling" step="10 ms">
  <engine integrator="rk4"/>
  <robot name="stone">
    <link name="top"/>
    <link name="body" parent="top"><joint name="fall" type="slide" axis="0 0 1"/><sphere radius="0.1" mass="1"/></link>
    <sensors><joint_state name="fall" joint="fall"/></sensors>
    <actuators><torque name="jet" joint="fall"/></actuators>
  </robot>
</scenario>)";

/// Runs one case with this script over the falling body.
class ScriptTest : public testing::Test {
 protected:
  ScriptTest() { std::ofstream(folder_.path() / "falling.xml") << kFalling; }

  Suite read(const std::string& cases) {
    const auto file = folder_.path() / "suite.xml";
    std::ofstream(file) << "<suite scenario='falling.xml'>\n" << cases << "\n</suite>\n";
    return read_suite(file);
  }

  CaseResult run(const std::string& script) {
    const Suite suite = read("<case name='c'>" + script + "</case>");
    Diagnostics diagnostics;
    return CaseRun(suite, suite.cases[0], registry_, diagnostics).run(folder_.path() / "c.rec", "test");
  }

  std::string errors(const std::string& cases) try {
    const Suite suite = read(cases);
    for (const Case& each : suite.cases) {
      Diagnostics diagnostics;
      const CaseRun run(suite, each, registry_, diagnostics);
    }
    return "";
  } catch (const UserError& error) {
    std::string text = error.what();
    const std::string prefix = folder_.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }

  TemporaryFolder folder_;
  Registry registry_ = default_registry();
};

TEST_F(ScriptTest, WaitsForATime) {
  const CaseResult result = run("<wait for='1 s'/><verify that='time == 1 s'/>");
  EXPECT_EQ(result.verdict, Verdict::kPassed);
  EXPECT_EQ(result.steps, 101);  // the row at 1 s is that of the 101st step
}

TEST_F(ScriptTest, WaitsForACondition) {
  // 1 m: sqrt(2 / 9.81) = 0.4515 s
  EXPECT_EQ(
      run("<wait until='stone/fall/position lt -1 m' within='1 s'/><verify that='time == 0.46 s'/>").verdict,
      Verdict::kPassed);
  EXPECT_EQ(run("<wait until='stone/fall/position lt -1 m' within='0.46 s'/>").verdict, Verdict::kPassed);
  EXPECT_EQ(run("<wait until='stone/fall/position lt -1 m' within='0.45 s'/>").verdict, Verdict::kFailed);
}

TEST_F(ScriptTest, AConditionMayHaveToHoldForATime) {
  EXPECT_EQ(run("<wait until='time ge 0.2 s' for='0.3 s' within='1 s'/><verify that='time == 0.5 s'/>").verdict,
            Verdict::kPassed);
  EXPECT_EQ(run("<wait until='time gt 0.2 s and time lt 0.3 s' for='0.3 s' within='1 s'/>").verdict,
            Verdict::kFailed);
}

TEST_F(ScriptTest, AFailedWaitEndsTheCase) {
  const CaseResult result = run("<wait until='time lt 0 s' within='0.5 s'/><wait for='10 s'/>");
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].text, "wait: 'time lt 0 s' does not hold within 0.5 s; time = 0.5 s");
  EXPECT_EQ(result.failures[0].place.line, 2);
  EXPECT_DOUBLE_EQ(result.failures[0].time, 0.5);
  EXPECT_EQ(result.steps, 51);
}

TEST_F(ScriptTest, AFailedVerificationDoesNotEndTheCase) {
  const CaseResult result =
      run("<verify that='time gt 1 s' name='late'/><verify that='time gt 2 s'/><wait for='3 s'/>");
  ASSERT_EQ(result.failures.size(), 2u);
  EXPECT_EQ(result.failures[0].text, "late: 'time gt 1 s' does not hold; time = 0 s");
  EXPECT_EQ(result.steps, 301);
}

TEST_F(ScriptTest, VerifiesThatSomethingHappensWithinATime) {
  EXPECT_EQ(run("<verify that='stone/fall/speed lt -4.9 m/s' within='0.5 s'/>").verdict, Verdict::kPassed);
  EXPECT_EQ(run("<verify that='stone/fall/speed lt -4.91 m/s' within='0.5 s'/>").verdict, Verdict::kFailed);
}

TEST_F(ScriptTest, VerifiesThatSomethingHoldsForATime) {
  EXPECT_EQ(run("<verify always='stone/fall/speed gt -4.91 m/s' for='0.5 s'/><wait for='1 s'/>").verdict,
            Verdict::kPassed);
  EXPECT_EQ(run("<verify always='stone/fall/speed gt -4.9 m/s' for='0.5 s'/><wait for='1 s'/>").verdict,
            Verdict::kFailed);
  EXPECT_EQ(run("<verify always='stone/fall/speed gt -4.91 m/s'/><wait for='0.51 s'/>").verdict,
            Verdict::kFailed);
}

TEST_F(ScriptTest, VerifiesFormulasOverAllRowsFromThere) {
  // From 1 s to 2 s it falls 3/2 g = 14.715 m.
  const std::string script =
      "<wait for='1 s'/><verify finally='abs(distance(stone/fall/position) - 14.715 m) lt 1 mm'";
  EXPECT_EQ(run(script + " for='1 s'/>").verdict, Verdict::kPassed);
  EXPECT_EQ(run(script + "/><wait for='1 s'/>").verdict, Verdict::kPassed);
  const CaseResult result = run(script + "/><wait for='0.5 s'/>");
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_NE(result.failures[0].text.find("distance 6.13125 m"), std::string::npos) << result.failures[0].text;
}

TEST_F(ScriptTest, WhatFollowsAStimulusSeesIt) {
  EXPECT_EQ(run("<stimulus action='set' target='stone/jet/force' value='9.81'/>"
                "<verify that='stone/jet/force == 9.81 N'/>"
                "<wait for='1 s'/>"
                "<verify that='abs(stone/fall/position) lt 1 um'/>"
                "<stimulus action='set' target='stone/jet/force' value='0'/>"
                "<verify that='time == 1.01 s and stone/jet/force == 0 N'/>")
                .verdict,
            Verdict::kPassed);
}

TEST_F(ScriptTest, AStoppedRunFailsIfTheScriptGoesOn) {
  const CaseResult result = run("<stimulus action='stop'/><verify that='time gt 1 s' within='2 s'/>");
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  ASSERT_FALSE(result.failures.empty());
  EXPECT_NE(result.failures.back().text.find("the run ended before the script"), std::string::npos);
}

TEST_F(ScriptTest, ChangesTheScenario) {
  EXPECT_EQ(run("<change path='/scenario/@gravity' value='0 0 0'/><verify always='stone/fall/speed == 0 m/s'/>"
                "<wait for='1 s'/>")
                .verdict,
            Verdict::kPassed);
}

TEST_F(ScriptTest, ReportsErrorsWithTheirPlace) {
  EXPECT_EQ(
      errors("<case name='c'>\n<wait until='stone/fal/speed lt 1 m/s' within='1 s'/>\n"
             "<stimulus action='set' target='stone/jet/forc' value='1'/>\n"
             "<verify finally='max(stone/fall/speed) lt 1 kg'/>\n<wait for='15 ms'/></case>"),
      "suite.xml:3:1: error: wait: until, character 1: unknown signal 'stone/fal/speed'; did you mean "
      "'stone/fall/speed'?\n"
      "suite.xml:4:1: error: stimulus: unknown signal 'stone/jet/forc'; did you mean 'stone/jet/force'?\n"
      "suite.xml:5:1: error: verify: finally, character 26: this has 'kg', but what is before it has 'm/s'\n"
      "suite.xml:6:1: error: for 0.015 s is not a multiple of the physics step (0.01 s)\n");
  EXPECT_EQ(errors("<case name='c'>\n<change path='//joint/@dampng' value='1'/><wait for='1 s'/></case>"),
            "suite.xml:3:1: error: <joint> has no attribute 'dampng'; did you mean 'damping'?\n");
  EXPECT_EQ(errors("<case name='c' scenario='other.xml'><wait for='1 s'/></case>"),
            "suite.xml:2:1: error: case 'c': there is no scenario file 'other.xml'\n");
  EXPECT_EQ(errors("<case name='c' controller='true'><wait for='1 s'/></case>"),
            "suite.xml:2:1: error: case 'c': the scenario has no connection for its controller\n");
}

TEST_F(ScriptTest, RejectsCasesThatCannotEndOrShareAName) {
  EXPECT_EQ(errors("<case name='c'/>\n<case name='d'><wait until='time gt 1 s'/></case>\n"
                   "<case name='d'><wait for='1 s'/></case>"),
            "suite.xml:2:7: error: case 'c': has no script; expected <wait> or <verify>\n"
            "suite.xml:3:16: error: <wait>: 'until' needs a time limit in 'within'\n"
            "suite.xml:4:1: error: case 'd': another case has that name\n");
}

TEST(Junit, EscapesAndCounts) {
  const Suite suite{.name = "a<b"};
  const std::vector<CaseResult> results = {
      {.name = "one", .verdict = Verdict::kPassed, .time = 1.5},
      {.name = "two",
       .verdict = Verdict::kFailed,
       .failures = {{{"s.xml", 3, 4}, 0.5, "'a < b'"}},
       .time = 2.0},
      {.name = "three", .verdict = Verdict::kError, .failures = {{{"s.xml", 5, 6}, 0.0, "interrupted"}}}};
  const std::string text = write_junit(suite, results);
  EXPECT_NE(text.find(R"(<testsuite name="a&lt;b" tests="3" failures="1" errors="1" time="3.500000">)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("a &lt; b"), std::string::npos);
  EXPECT_NE(text.find("s.xml:3:4: at 0.5 s: "), std::string::npos);
  EXPECT_NE(text.find(R"(<error message="interrupted">)"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
