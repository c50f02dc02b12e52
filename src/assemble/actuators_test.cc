#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "assemble/assemble.h"
#include "base/random.h"
#include "scenario/read.h"

/// The actuators on the default engine, held against closed forms. The step is 1 ms.
namespace lockstep {
namespace {

constexpr double kG = 9.81;     // m/s^2
constexpr double kStep = 1e-3;  // s
constexpr double kRounding = 1e-9;

class Sim {
 public:
  /// A scenario with this inside.
  explicit Sim(const std::string& inside) : simulation_(make(inside)) {}

  void run(std::int64_t steps) {
    const Status status = simulation_.run(steps);
    ASSERT_TRUE(status.ok()) << to_string(status);
  }
  /// Runs until the condition holds; the number of steps taken.
  template <typename Condition>
  std::int64_t run_until(Condition condition) {
    constexpr std::int64_t kMost = 100'000;
    while (!condition() && simulation_.now().step < kMost && simulation_.step().ok()) {
    }
    return simulation_.now().step;
  }
  /// Of the row of the last step, which describes the instant before it.
  double signal(const std::string& name) const { return simulation_.row()[*simulation_.signals().find(name)]; }
  double position(const std::string& joint) const {
    return simulation_.world().joint_position(*simulation_.model().find_joint(joint))[0];
  }
  double speed(const std::string& joint) const {
    return simulation_.world().joint_velocity(*simulation_.model().find_joint(joint))[0];
  }
  Vec3 place(const std::string& body) const {
    return simulation_.world().body_pose(*simulation_.model().find_body(body)).p;
  }
  Twist velocity(const std::string& body) const {
    return simulation_.world().body_velocity(*simulation_.model().find_body(body));
  }
  Simulation& simulation() { return simulation_; }

 private:
  static Simulation make(const std::string& inside) {
    const Scenario scenario = read_scenario(
        Document::read_text("<scenario name=\"s\" step=\"1 ms\">" + inside + "</scenario>", "s.xml", "."));
    Diagnostics diagnostics;
    return assemble(scenario, Assets(scenario, "."), default_registry(), diagnostics);
  }

  Simulation simulation_;
};

/// A wheel of 0.02 kg m^2 that turns about the vertical.
std::string wheel(const std::string& actuator, const std::string& events = "") {
  return R"(<robot name="r"><link name="stand"/><link name="wheel" parent="stand"><joint name="axle"/>
      <inertial mass="1" diagonal="0.1 0.1 0.02"/></link><actuators>)" +
         actuator + "</actuators></robot>" + events;
}
constexpr double kInertia = 0.02;

/// A carriage of 2 kg that moves up and down.
std::string lift(const std::string& actuator, const std::string& events = "") {
  return R"(<robot name="r"><link name="rail"/><link name="cabin" parent="rail"><joint name="lift" type="slide"/>
      <inertial mass="2" diagonal="0.1 0.1 0.1"/></link><actuators>)" +
         actuator + "</actuators></robot>" + events;
}
constexpr double kCabin = 2.0;  // kg

std::string set(const std::string& at, const std::string& signal, const std::string& value) {
  return R"(<event action="set" at=")" + at + R"(" target=")" + signal + R"(" value=")" + value + R"("/>)";
}

// motor

TEST(Motor, WithConstantTorqueRunsUpInInertiaTimesSpeedByTorque) {
  Sim sim(wheel(R"(<motor name="m" joint="axle" initial="2">
      <point current="0" torque="0"/><point current="4" torque="0.4"/></motor>)"));
  // 0.2 N m make 10 rad/s^2: 5 rad/s after half a second.
  EXPECT_EQ(sim.run_until([&] { return sim.speed("r/axle") >= 5.0 - kRounding; }), 500);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), 0.2);
}

TEST(Motor, WhoseTorqueFallsWithSpeedRunsUpExponentially) {
  Sim sim(wheel(R"(<motor name="m" joint="axle" initial="1">
      <point current="0" speed="0" torque="0"/><point current="0" speed="40" torque="0"/>
      <point current="1" speed="0" torque="1"/><point current="1" speed="40" torque="0"/></motor>)"));
  const double time_constant = kInertia * 40.0 / 1.0;
  // To half the no-load speed it takes ln 2 time constants, 554.5 steps.
  const std::int64_t steps = sim.run_until([&] { return sim.speed("r/axle") >= 20.0; });
  EXPECT_NEAR(static_cast<double>(steps), time_constant * std::numbers::ln2 / kStep, 1.0);
  sim.run(20'000);
  EXPECT_NEAR(sim.speed("r/axle"), 40.0, 1e-6);
}

TEST(Motor, BehindAGearLiftsWithTheSpeedAtWhichItsForceIsTheWeight) {
  Sim sim(lift(R"(<motor name="m" joint="lift" initial="1" gear="100 rad/m" efficiency="0.8">
      <point current="0" speed="0" torque="0"/><point current="0" speed="200" torque="0"/>
      <point current="1" speed="0" torque="0.5"/><point current="1" speed="200" torque="0"/></motor>)"));
  sim.run(5000);
  const double stall = 100.0 * 0.8 * 0.5;
  EXPECT_NEAR(sim.speed("r/lift"), 200.0 / 100.0 * (1.0 - kCabin * kG / stall), kRounding);
  EXPECT_NEAR(sim.signal("r/m/force"), kCabin * kG, kRounding);
}

TEST(Motor, TakesNoMoreThanItsLargestCurrentInEitherDirection) {
  Sim sim(wheel(R"(<motor name="m" joint="axle" initial="100" max_current="2">
      <point current="0" torque="0"/><point current="4" torque="0.4"/></motor>)",
                set("1 s", "r/m/current", "-100")));
  sim.run(1);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), 0.2);
  sim.run(1000);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), -0.2);
}

TEST(Motor, RunsTheSameWithItsFilePackedIntoTheScenario) {
  const std::filesystem::path file = LOCKSTEP_SOURCE_DIR "/scenarios/motor-hoist.xml";
  const auto hash_of = [](const Document& document) {
    const Scenario scenario = read_scenario(document);
    Diagnostics diagnostics;
    Simulation simulation =
        assemble(scenario, Assets(scenario, document.root_folder()), default_registry(), diagnostics);
    EXPECT_TRUE(simulation.run(100).ok());
    return simulation.hash();
  };
  const Document document = Document::read_file(file);
  EXPECT_EQ(hash_of(Document::read_text(pack(document), "packed.xml", "/nowhere")), hash_of(document));
}

// servo

TEST(Servo, GivesStiffnessTimesErrorMinusDampingTimesSpeed) {
  Sim sim(wheel(R"(<servo name="m" joint="axle" stiffness="3" damping="0.1" initial="0.5 rad"/>)"));
  sim.run(100);
  const double q = sim.position("r/axle");
  const double v = sim.speed("r/axle");
  sim.run(1);
  EXPECT_DOUBLE_EQ(sim.signal("r/m/torque"), 3.0 * (0.5 - q) - 0.1 * v);
}

TEST(Servo, GoesNoFasterThanItsLargestSpeed) {
  Sim sim(wheel(
      R"(<servo name="m" joint="axle" stiffness="50" damping="2" max_speed="0.5 rad/s" initial="2 rad"/>)"));
  sim.run(2000);
  // Once it moves along, the joint is d/k times the speed behind a reference of 0.5 rad/s.
  EXPECT_NEAR(sim.speed("r/axle"), 0.5, kRounding);
  EXPECT_NEAR(sim.position("r/axle"), 0.5 * 2.0 - 2.0 / 50.0 * 0.5, kStep * 0.5 + kRounding);
  sim.run(4000);
  EXPECT_NEAR(sim.position("r/axle"), 2.0, kRounding);
}

// speed-servo

TEST(SpeedServo, IsSlowerThanAskedForByLoadOverGain) {
  Sim sim(lift(R"(<speed-servo name="m" joint="lift" gain="200 N*s/m" initial="0.5 m/s"/>)"));
  sim.run(1000);
  EXPECT_NEAR(sim.speed("r/lift"), 0.5 - kCabin * kG / 200.0, kRounding);
}

TEST(SpeedServo, AcceleratesWithItsLargestEffortUntilItIsNear) {
  Sim sim(lift(R"(<speed-servo name="m" joint="lift" gain="500" initial="3" max_effort="30 N"/>)"));
  sim.run(500);
  EXPECT_NEAR(sim.speed("r/lift"), (30.0 / kCabin - kG) * 0.5, kRounding);
}

TEST(SpeedServo, TakesALargerTargetForItsLargestSpeed) {
  Sim sim(wheel(R"(<speed-servo name="m" joint="axle" gain="1" initial="-10" max_speed="2 rad/s"/>)"));
  sim.run(2000);
  EXPECT_NEAR(sim.speed("r/axle"), -2.0, kRounding);
}

// trajectory

TEST(TrajectoryMotor, ArrivesAfterWayBySpeedAndStaysExactlyAtItsGoal) {
  Sim sim(wheel(
      R"(<trajectory name="m" joint="axle" stiffness="200" damping="4" velocity="0.7" goal="1.4 rad"/>)"));
  const auto at_goal = [&] {
    EXPECT_LE(sim.signal("r/m/reference"), 1.4);
    return sim.signal("r/m/at_goal") == 1.0;
  };
  // The row that says so is that of step 2000, which 2001 steps have been taken for.
  EXPECT_EQ(sim.run_until(at_goal), 2001);
  for (int i = 0; i < 2000; ++i) {
    sim.run(1);
    ASSERT_EQ(sim.signal("r/m/reference"), 1.4);
  }
  EXPECT_NEAR(sim.position("r/axle"), 1.4, 1e-12);
}

TEST(TrajectoryMotor, KeepsTheJointOnItsLineWithoutLag) {
  Sim sim(wheel(R"(<trajectory name="m" joint="axle" stiffness="200" damping="4" velocity="-0.7"/>)"));
  sim.run(3000);
  EXPECT_NEAR(sim.position("r/axle"), -0.7 * 3.0, kRounding);
  EXPECT_EQ(sim.signal("r/m/at_goal"), 0.0);
}

TEST(TrajectoryMotor, SwingsThroughItsGoalBySpeedByFrequencyTimesE) {
  // Critical damping: k = I w^2, d = 2 I w with w = 5 rad/s. After the stop the error is v t exp(-w t).
  Sim sim(
      wheel(R"(<trajectory name="m" joint="axle" stiffness="0.5" damping="0.2" velocity="0.7" goal="2.8"/>)"));
  double farthest = 0.0;
  for (int i = 0; i < 6000; ++i) {
    sim.run(1);
    farthest = std::max(farthest, sim.position("r/axle"));
  }
  const double overshoot = 0.7 / (5.0 * std::numbers::e);
  constexpr double kFirstOrderInTheStep = 2.0 * 5.0 * kStep;
  EXPECT_NEAR(farthest - 2.8, overshoot, kFirstOrderInTheStep * overshoot);
}

TEST(TrajectoryMotor, GoesToANewGoalWhateverTheSignOfItsVelocity) {
  Sim sim(wheel(R"(<trajectory name="m" joint="axle" stiffness="200" damping="4" velocity="0.5" goal="0.5"/>)",
                set("2 s", "r/m/goal", "-0.25")));
  sim.run(2000);
  EXPECT_EQ(sim.signal("r/m/reference"), 0.5);
  sim.run(1501);
  EXPECT_EQ(sim.signal("r/m/reference"), -0.25);
  EXPECT_EQ(sim.signal("r/m/at_goal"), 1.0);
}

TEST(TrajectoryMotor, GivesWayUnderALoadUnlessItHasAResetTime) {
  const auto off_goal = [](const std::string& reset) {
    Sim sim(
        lift(R"(<trajectory name="m" joint="lift" stiffness="5000" damping="200" velocity="0.5" goal="1" )" +
             reset + "/>"));
    sim.run(10'000);
    return 1.0 - sim.position("r/lift");
  };
  EXPECT_NEAR(off_goal(""), kCabin * kG / 5000.0, kRounding);
  EXPECT_NEAR(off_goal(R"(reset_time="0.2 s")"), 0.0, kRounding);
}

TEST(TrajectoryMotor, CutOffAtItsLargestEffortDoesNotWindUp) {
  // 10 N do not lift 2 kg: the cabin lies on its stop until the goal is there, too. The integral has not grown
  // in the meantime, to more than what it had when the 10 N were reached.
  Sim sim(R"(<robot name="r"><link name="rail"/><link name="cabin" parent="rail">
      <joint name="lift" type="slide" lower="0" upper="9"/><inertial mass="2" diagonal="0.1 0.1 0.1"/></link><actuators>
      <trajectory name="m" joint="lift" stiffness="5000" damping="20" reset_time="0.2" max_effort="10"
                  velocity="0.5" goal="1"/></actuators></robot>)" +
          set("5 s", "r/m/goal", "0"));
  sim.run(5000);
  EXPECT_EQ(sim.signal("r/m/force"), 10.0);
  EXPECT_NEAR(sim.position("r/lift"), 0.0, 1e-3);
  sim.run(2005);
  EXPECT_EQ(sim.signal("r/m/reference"), 0.0);
  EXPECT_LT(sim.signal("r/m/force"), 3.0);
}

// thruster

TEST(Thruster, AcceleratesAMassByForceOverMass) {
  Sim sim(R"(<object name="ball" position="0 0 5"><sphere radius="0.1" mass="4"/></object>
      <actuators><thruster name="jet" body="ball" axis="0 0 3" force="60" max_force="50 N"/></actuators>)");
  sim.run(1000);
  EXPECT_NEAR(sim.velocity("ball").linear.z(), 50.0 / 4.0 - kG, kRounding);
}

TEST(Thruster, TurnsABodyByTorqueOverInertia) {
  Sim sim(R"(<object name="ball" position="0 0 5"><sphere radius="0.5" mass="4"/></object>
      <actuators><thruster name="jet" body="ball" axis="0 1 0" torque="0.2 N*m"/></actuators>)");
  sim.run(1000);
  EXPECT_NEAR(sim.velocity("ball").angular.y(), 0.2 / (0.4 * 4.0 * 0.25), kRounding);
}

TEST(Thruster, AtASiteBesideTheCentreOfMassAlsoTurnsTheBody) {
  Sim sim(R"(<object name="ball" position="0 0 5"><sphere radius="0.5" mass="4"/>
        <site name="side" position="0.5 0 0" rpy="0 90 0 deg"/></object>
      <actuators><thruster name="jet" site="ball/side" axis="-1 0 0" force="1 N"/></actuators>)");
  // The site's x axis points down, so that the force pushes up at 0.5 m from the centre, against g.
  sim.run(1);
  EXPECT_NEAR(sim.velocity("ball").angular.y(), -0.5 * 1.0 / (0.4 * 4.0 * 0.25) * kStep, kRounding);
  EXPECT_NEAR(sim.velocity("ball").linear.z(), (1.0 / 4.0 - kG) * kStep, kRounding);
}

TEST(Thruster, TurnsWithItsBodyOnlyInItsOwnFrame) {
  const auto push = [](const std::string& frame) {
    Sim sim(R"(<object name="ball" position="0 0 5" rpy="0 90 0 deg"><sphere radius="0.1" mass="1"/></object>
        <actuators><thruster name="jet" body="ball" force="1 N" frame=")" +
            frame + R"("/></actuators>)");
    sim.run(1);
    return Vec3(sim.velocity("ball").linear + Vec3(0.0, 0.0, kG * kStep));
  };
  EXPECT_TRUE(push("own").isApprox(Vec3(kStep, 0.0, 0.0), kRounding));
  EXPECT_TRUE(push("world").isApprox(Vec3(0.0, 0.0, kStep), kRounding));
}

// magnet

/// A ball of 2 kg at a distance below a magnet that hangs at a height of 5 m.
std::string magnet(const std::string& attributes, double distance, const std::string& more) {
  return R"(<object name="crane" static="true" position="0 0 5"><sphere collide="false"/><site name="pole"/></object>
      <object name="ball" position="0 0 )" +
         fmt::format("{}", 5.0 - distance) + R"("><sphere radius="0.1" mass="2"/>
      <site name="eye"/></object><actuators><magnet name="m" a="crane/pole" b="ball/eye" )" +
         attributes + "/>" + more;
}

TEST(Magnet, HoldsAMassThatSwingsWithTheRootOfStiffnessByMass) {
  // In one second a mass of 2 kg swings once on a spring of 2 (2 pi)^2 N/m, about where its weight stretches it
  // to.
  const double stiffness = 2.0 * 4.0 * std::numbers::pi * std::numbers::pi;
  Sim sim(magnet(fmt::format(R"(on="true" stiffness="{}" reach="1")", stiffness), 0.05, "</actuators>"));
  const double rest = 5.0 - 2.0 * kG / stiffness;
  constexpr double kPeriodIsSecondOrderInTheStep = 1e-5;
  sim.run(500);
  EXPECT_NEAR(sim.place("ball").z(), rest - (4.95 - rest), kPeriodIsSecondOrderInTheStep);
  sim.run(500);
  EXPECT_NEAR(sim.place("ball").z(), 4.95, kPeriodIsSecondOrderInTheStep);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0);
}

TEST(Magnet, GripsOnlyWhatIsWithinReachAndOnlyWhenSwitchedOn) {
  Sim sim(magnet(R"(stiffness="1000" damping="90" reach="0.1 m")", 0.05,
                 "</actuators>" + set("0.1 s", "m/on", "1") + set("1 s", "m/on", "0")));
  sim.run(101);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0) << "it has fallen from 0.05 m to 0.099 m below";
  sim.run(900);
  EXPECT_EQ(sim.signal("m/gripping"), 0.0);
  EXPECT_EQ(sim.signal("m/force"), 0.0);

  Sim late(magnet(R"(stiffness="1000" damping="90" reach="0.1 m")", 0.05,
                  "</actuators>" + set("0.2 s", "m/on", "1")));
  late.run(201);
  EXPECT_EQ(late.signal("m/gripping"), 0.0);
}

TEST(Magnet, LetsGoWhenLoadPlusWeightExceedItsLargestForce) {
  // The load grows as 40 N sin(2 pi 0.02 t); with the weight it reaches 30 N when the sine is (30 N - m g) / 40
  // N.
  Sim sim(magnet(R"(on="true" stiffness="20000" damping="400" reach="0.1" max_force="30 N")", 0.001,
                 R"(<thruster name="load" body="ball" axis="0 0 -1"/></actuators>
                 <controllers><sine name="grow" signal="load/force" amplitude="40" frequency="0.02 Hz"/></controllers>)"));
  sim.run(1);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0);
  const auto torn = sim.run_until([&] { return sim.signal("m/gripping") == 0.0; });
  const double expected = std::asin((30.0 - 2.0 * kG) / 40.0) / (2.0 * std::numbers::pi * 0.02);
  constexpr double kDampingAddsToTheForce = 0.01;
  EXPECT_NEAR(static_cast<double>(torn) * kStep, expected, kDampingAddsToTheForce);
  sim.run(5);
  EXPECT_EQ(sim.signal("m/gripping"), 0.0) << "still near, but torn off";
}

TEST(Magnet, GripsAgainAfterItWasTornOffOnlyWhenSwitchedOffAndOn) {
  // 1000 N/m at 50 mm are more than 30 N; rising at 1 m/s the ball is within 30 mm after 24 ms.
  const std::string scenario =
      R"(<object name="crane" static="true" position="0 0 5"><sphere collide="false"/><site name="pole"/></object>
      <object name="ball" position="0 0 4.95" velocity="0 0 1"><sphere radius="0.1" mass="2"/><site name="eye"/></object>
      <actuators><magnet name="m" a="crane/pole" b="ball/eye" on="true" stiffness="1000" reach="1" max_force="30"/>
      </actuators>)";
  Sim torn(scenario);
  torn.run(31);
  EXPECT_EQ(torn.signal("m/gripping"), 0.0);
  Sim switched(scenario + set("0.029 s", "m/on", "0") + set("0.03 s", "m/on", "1"));
  switched.run(31);
  EXPECT_EQ(switched.signal("m/gripping"), 1.0);
}

TEST(Magnet, BetweenTwoFreeBodiesKeepsTheirMomentumAndAddsNoEnergy) {
  Sim sim(R"(<object name="a"><sphere radius="0.1" mass="1"/><site name="s" position="0.1 0 0"/></object>
      <object name="b" position="0.25 0.02 0" velocity="-0.1 0.3 0.2" angular_velocity="1 2 3"><sphere radius="0.1" mass="3"/>
        <site name="s" position="-0.1 0.03 0"/></object>
      <contact a="default" b="default" collide="false"/>
      <actuators><magnet name="m" a="a/s" b="b/s" on="true" reach="0.1" stiffness="200" damping="2"
        torsional_stiffness="0.5" torsional_damping="0.01"/>
        <thruster name="up" body="a" axis="0 0 1" frame="world" force="9.81"/>
        <thruster name="up2" body="b" axis="0 0 1" frame="world" force="29.43"/></actuators>)");
  const World& world = sim.simulation().world();
  const Momentum before = world.report({.momentum = true}).momentum;
  const double energy =
      world.report({.energy = true}).energy.kinetic + 0.5 * 200.0 * Vec3(0.05, 0.05, 0.0).squaredNorm();
  sim.run(6000);
  EXPECT_EQ(sim.signal("m/gripping"), 1.0);
  EXPECT_TRUE(world.report({.momentum = true}).momentum.linear.isApprox(before.linear, kRounding));
  EXPECT_TRUE(world.report({.momentum = true}).momentum.angular.isApprox(before.angular, 1e-6));
  EXPECT_LT(world.report({.energy = true}).energy.kinetic, energy);
  // In the end they turn as one.
  EXPECT_NEAR((sim.velocity("a").angular - sim.velocity("b").angular).norm(), 0.0, 0.05);
}

TEST(Magnet, WithATorsionalSpringTurnsWithTheRootOfStiffnessByInertia) {
  // 0.4 m r^2 = 8 g m^2; once around in a second with (2 pi)^2 times that.
  const double inertia = 0.4 * 2.0 * 0.01;
  const double stiffness = inertia * 4.0 * std::numbers::pi * std::numbers::pi;
  Sim sim(fmt::format(
      R"(<object name="crane" static="true" position="0 0 5"><sphere collide="false"/><site name="pole"/></object>
      <object name="ball" position="0 0 5" angular_velocity="0 0 1"><sphere radius="0.1" mass="2"/><site name="eye"/></object>
      <actuators><magnet name="m" a="crane/pole" b="ball/eye" on="true" stiffness="1e5" damping="500" reach="0.01"
      torsional_stiffness="{}"/></actuators>)",
      stiffness));
  sim.run(500);
  EXPECT_NEAR(sim.velocity("ball").angular.z(), -1.0, 1e-4);
  sim.run(500);
  EXPECT_NEAR(sim.velocity("ball").angular.z(), 1.0, 1e-4);
}

// lock

std::string dropper(const std::string& lock, const std::string& events, const std::string& robot = "r") {
  return R"(<robot name=")" + robot +
         R"(" position="3 0 5"><link name="hook"/><link name="load" parent="hook" position="0 0 -0.5">
      <joint name="lock" type="fixed" detachable="true"/><sphere radius="0.1" mass="2"/></link>
      <actuators>)" +
         lock + "</actuators></robot>" + events;
}

TEST(Lock, LetsItsPartFallFreelyFromTheStepOfTheCommandOn) {
  Sim sim(dropper(R"(<lock name="l" joint="lock"/>)", set("0.1 s", "r/l/hold", "0")));
  sim.run(100);
  const double z = sim.place("r/load").z();
  EXPECT_EQ(sim.signal("r/l/holding"), 1.0);
  EXPECT_NEAR(z, 4.5, 1e-4);
  const double v = sim.velocity("r/load").linear.z();
  sim.run(200);
  EXPECT_EQ(sim.signal("r/l/holding"), 0.0);
  // Sum of 200 steps of Euler, each with the speed at its end.
  EXPECT_NEAR(sim.place("r/load").z(), z + v * 0.2 - kG * kStep * kStep * 200.0 * 201.0 / 2.0, kRounding);
}

TEST(Lock, TakesBackOnlyWhatIsWithinReach) {
  const std::string events = set("0.1 s", "r/l/hold", "0") + set("0.15 s", "r/l/hold", "1");
  Sim near(dropper(R"(<lock name="l" joint="lock" reach="2 cm"/>)", events));
  near.run(1000);
  EXPECT_EQ(near.signal("r/l/holding"), 1.0) << "it fell 12.5 mm";
  EXPECT_NEAR(near.place("r/load").z(), 4.5, 1e-3);
  Sim far(dropper(R"(<lock name="l" joint="lock" reach="1 cm"/>)", events));
  far.run(1000);
  EXPECT_EQ(far.signal("r/l/holding"), 0.0);
}

TEST(Lock, MayBeOpenFromTheStart) {
  Sim sim(dropper(R"(<lock name="l" joint="lock" hold="false"/>)", ""));
  sim.run(1);
  EXPECT_NEAR(sim.velocity("r/load").linear.z(), -kG * kStep, kRounding);
}

// all of them

TEST(Actuators, OfTheManualCanBeAssembled) {
  std::ifstream manual(LOCKSTEP_SOURCE_DIR "/docs/actuators.md");
  std::string examples;
  bool inside = false;
  int count = 0;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with("```")) {
      inside = line == "```xml";
      count += inside ? 1 : 0;
    } else if (inside) {
      examples += line + "\n";
    }
  }
  EXPECT_EQ(count, 8) << "one per kind";
  std::string links = R"(<link name="base"><sphere/></link>)";
  for (const char* joint : {R"("hip")", R"("axle")", R"("elbow")", R"("left-wheel")", R"("rope" type="slide")",
                            R"("lift" type="slide")", R"("coupling" type="fixed" detachable="true")"}) {
    links +=
        fmt::format(R"(<link name="l{}" parent="base"><joint name={}/><sphere/></link>)", links.size(), joint);
  }
  const Scenario scenario =
      read_scenario(Document::read_text(R"(<scenario name="s"><robot name="r">)" + links +
                                            R"(<link name="head" parent="base"><joint name="neck"/><sphere/>
      <site name="pole"/></link><actuators>)" +
                                            examples + R"(</actuators></robot>
      <object name="block"><sphere/><site name="top"/></object></scenario>)",
                                        "s.xml", "."));
  Diagnostics diagnostics;
  EXPECT_NO_THROW(
      assemble(scenario, Assets(scenario, LOCKSTEP_SOURCE_DIR "/scenarios"), default_registry(), diagnostics));
}

TEST(Actuators, GoOnFromASnapshotOfARandomStepAsIfNeverInterrupted) {
  const std::string scenario = wheel(
      R"(<servo name="servo" joint="axle" stiffness="3" damping="0.1" max_speed="1" initial="0.5"/>
      <speed-servo name="speed" joint="axle" gain="0.1" max_effort="0.1" initial="0.3"/>
      <trajectory name="trajectory" joint="axle" stiffness="20" damping="0.4" reset_time="0.1" velocity="0.7" goal="0.2"/>
      <motor name="motor" joint="axle" initial="1"><point current="0" torque="0"/><point current="2" torque="0.1"/></motor>
      <torque name="torque" joint="axle" initial="0.01"/>)",
      dropper(R"(<lock name="l" joint="lock" reach="0.05"/>)", "", "d") +
          magnet(R"(stiffness="500" damping="5" torsional_stiffness="1" reach="0.2" max_force="60")", 0.05,
                 R"(<thruster name="load" body="ball" axis="1 2 3" torque="0.1"/></actuators>)") +
          set("0.05 s", "m/on", "1") + set("0.15 s", "load/force", "-60") + set("0.1 s", "d/l/hold", "0") +
          set("0.15 s", "d/l/hold", "1") + set("0.25 s", "r/trajectory/has_goal", "0"));

  constexpr std::int64_t kEnd = 400;
  Sim straight(scenario);
  straight.run(kEnd);
  Random chance(2026, "snapshots");
  for (int i = 0; i < 20; ++i) {
    const auto at = 1 + static_cast<std::int64_t>(chance.uniform() * static_cast<double>(kEnd - 1));
    Sim first(scenario);
    first.run(at);
    StateWriter writer;
    first.simulation().save(writer);
    Sim second(scenario);
    second.simulation().restore(writer.bytes());
    second.run(kEnd - at);
    EXPECT_EQ(second.simulation().hash(), straight.simulation().hash()) << "saved at step " << at;
  }
}

}  // namespace
}  // namespace lockstep
