#include "actuators/dc_motor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "actuators/rigs_testing.h"

namespace lockstep {
namespace {

// stall torque 0.4 N m, no-load speed 8 rad/s on 0.02 kg m^2: time constant J w0 / M = 0.4 s.
constexpr const char* kMotor = "<dc_motor name='m' joint='axle' stall_torque='0.4' no_load_speed='8'/>";
constexpr double kTimeConstant = kInertia * 8.0 / 0.4;

std::string drive(const std::string& duty) {
  return wheel(kMotor, set("0 s", "r/m/coast", "0") + set("0 s", "r/m/duty", duty));
}

TEST(DcMotor, ApproachesItsSpeedExponentially) {
  Sim sim(drive("0.5"));
  sim.run(400);
  const double expected = 0.5 * 8.0 * (1.0 - std::exp(-0.4 / kTimeConstant));
  EXPECT_NEAR(sim.speed("r/axle"), expected, 0.005 * expected);  // one step of 1 ms in 0.4 s
  sim.run(4000);
  EXPECT_NEAR(sim.speed("r/axle"), 4.0, 1e-3);
}

TEST(DcMotor, ExertsNothingWhileItsBridgeIsOpen) {
  Sim sim(wheel(kMotor, set("0 s", "r/m/duty", "1")));
  sim.run(100);
  EXPECT_EQ(sim.speed("r/axle"), 0.0);
  EXPECT_EQ(sim.signal("r/m/torque"), 0.0);
}

TEST(DcMotor, BrakesWithShortedTerminalsAndCoastsWithOpenOnes) {
  const std::string run_up = set("0 s", "r/m/coast", "0") + set("0 s", "r/m/duty", "1");
  Sim brake(wheel(kMotor, run_up + set("4 s", "r/m/duty", "0")));
  Sim coast(wheel(kMotor, run_up + set("4 s", "r/m/coast", "1")));
  brake.run(4000);
  coast.run(4000);
  const double fast = coast.speed("r/axle");
  brake.run(400);
  coast.run(400);
  EXPECT_NEAR(brake.speed("r/axle"), fast * std::exp(-0.4 / kTimeConstant), 0.005 * fast);
  EXPECT_NEAR(coast.speed("r/axle"), fast, kRounding);
}

TEST(DcMotor, ClampsItsDuty) {
  Sim sim(drive("7"));
  sim.run(1);
  EXPECT_NEAR(sim.signal("r/m/torque"), 0.4, kRounding);
}

TEST(DcMotor, RejectsASlide) {
  const std::string errors = errors_of_text("<scenario name='s' step='1 ms'>" +
                                            lift("<dc_motor name='m' joint='lift'/>") + "</scenario>");
  EXPECT_NE(errors.find("joint 'lift' is a slide; expected a hinge"), std::string::npos) << errors;
}

}  // namespace
}  // namespace lockstep
