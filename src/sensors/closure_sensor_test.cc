#include "sensors/closure_sensor.h"

#include <gtest/gtest.h>

#include "assemble/simulation_testing.h"

namespace lockstep {
namespace {

/// Two sliders whose ends start `gap` (m) apart, and a loop that pulls them together.
std::string make_robot_with_gap(const std::string& name, double gap) {
  return fmt::format(R"(<robot name="{}" position="0 0 5"><link name="base"/>
    <link name="a" parent="base"><joint name="a" type="slide" axis="1 0 0"/>
      <inertial mass="1" diagonal="0.01 0.01 0.01"/><site name="a"/></link>
    <link name="b" parent="base" position="{} 0 0"><joint name="b" type="slide" axis="1 0 0"/>
      <inertial mass="1" diagonal="0.01 0.01 0.01"/><site name="b"/></link>
    <loop name="l" a="a" b="b"/><sensors><closure name="c"/></sensors></robot>)",
                     name, gap);
}

TEST(ClosureSensor, ReadsTheLargestGapOfItsRobotOrOfAll) {
  Simulation simulation = simulate(make_robot_with_gap("narrow", 0.3e-3) + make_robot_with_gap("wide", 0.8e-3) +
                                   "<sensors><closure name='all'/></sensors>");
  run_to(simulation, 0.0);
  EXPECT_NEAR(read_signal(simulation, "narrow/c/gap"), 0.3e-3, 1e-15);
  EXPECT_NEAR(read_signal(simulation, "wide/c/gap"), 0.8e-3, 1e-15);
  EXPECT_NEAR(read_signal(simulation, "all/gap"), 0.8e-3, 1e-15);
}

TEST(ClosureSensor, ReadsZeroOnceALoopHasClosed) {
  Simulation simulation = simulate(make_robot_with_gap("r", 0.8e-3));
  run_to(simulation, 0.2);  // a hundred times the 2 ms time constant of the constraint
  EXPECT_LT(read_signal(simulation, "r/c/gap"), 1e-12);
}

TEST(ClosureSensor, RejectsAScenarioWithoutLoops) {
  try {
    simulate("<sensors><closure name='c'/></sensors>");
    FAIL() << "accepted a closure sensor without loops";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "s.xml:1:41: error: <closure> 'c': there is no <loop> in the scenario; expected at "
                 "least one\n");
  }
}

}  // namespace
}  // namespace lockstep
