#include "actuators/characteristic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lockstep {
namespace {

Characteristic make(std::vector<CharacteristicPoint> points) {
  Diagnostics diagnostics;
  auto made = Characteristic::make(std::move(points), {}, "motor", diagnostics);
  diagnostics.throw_if_errors();
  return *made;
}

CharacteristicPoint at(double current, double torque) {
  return {.current = current, .speed = {}, .torque = torque, .place = {}};
}
CharacteristicPoint at(double current, double speed, double torque) {
  return {.current = current, .speed = speed, .torque = torque, .place = {}};
}

std::vector<CharacteristicPoint> read(std::string_view text) {
  return read_characteristic({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "m.csv");
}

std::string error_of_reading(std::string_view text) {
  try {
    (void)read(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Characteristic, IsLinearBetweenPointsAndConstantBeyondTheLast) {
  const Characteristic motor = make({at(4.0, 0.5), at(0.0, 0.0), at(2.0, 0.4)});
  EXPECT_DOUBLE_EQ(motor.torque(1.0, 0.0), 0.2);
  EXPECT_DOUBLE_EQ(motor.torque(2.0, 0.0), 0.4);
  EXPECT_DOUBLE_EQ(motor.torque(3.0, 99.0), 0.45);
  EXPECT_DOUBLE_EQ(motor.torque(100.0, 0.0), 0.5);
}

TEST(Characteristic, IsMirroredIfItStartsAtZeroCurrent) {
  const Characteristic motor =
      make({at(0.0, 0.0, 0.0), at(0.0, 10.0, 0.0), at(2.0, 0.0, 0.4), at(2.0, 10.0, 0.2)});
  EXPECT_DOUBLE_EQ(motor.torque(-2.0, -5.0), -0.3);
  EXPECT_DOUBLE_EQ(motor.torque(-1.0, 0.0), -0.2);
  // Driven backwards it is off the grid, where the torque is that at standstill.
  EXPECT_DOUBLE_EQ(motor.torque(2.0, -5.0), 0.4);
}

TEST(Characteristic, IsNotMirroredIfItHasNegativeCurrents) {
  const Characteristic motor = make({at(-1.0, -0.1), at(1.0, 0.3)});
  EXPECT_DOUBLE_EQ(motor.torque(0.0, 0.0), 0.1);
  EXPECT_DOUBLE_EQ(motor.torque(-5.0, 0.0), -0.1);
}

TEST(Characteristic, ReproducesABilinearFunction) {
  const auto torque = [](double i, double w) { return 0.3 * i - 0.01 * w + 0.002 * i * w; };
  std::vector<CharacteristicPoint> points;
  for (const double i : {-2.0, 0.0, 1.0, 5.0}) {
    for (const double w : {-30.0, -10.0, 40.0}) points.push_back(at(i, w, torque(i, w)));
  }
  const Characteristic motor = make(points);
  constexpr double kRounding = 1e-14;
  for (const double i : {-1.7, -0.2, 0.6, 1.0, 4.9}) {
    for (const double w : {-29.0, -10.0, 0.0, 33.0}) EXPECT_NEAR(motor.torque(i, w), torque(i, w), kRounding);
  }
}

TEST(Characteristic, ReturnsNanForNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(make({at(0.0, 0.0), at(1.0, 1.0)}).torque(nan, 0.0)));
}

TEST(CharacteristicReader, ReadsColumnsInAnyOrderWithTheirUnits) {
  const auto points = read("\xEF\xBB\xBFtorque [mN*m]; current [mA] ;speed [rpm]\r\n\r\n250;500;60\r\n");
  ASSERT_EQ(points.size(), 1U);
  EXPECT_DOUBLE_EQ(points[0].torque, 0.25);
  EXPECT_DOUBLE_EQ(points[0].current, 0.5);
  EXPECT_DOUBLE_EQ(*points[0].speed, 2.0 * 3.14159265358979323846);
  EXPECT_EQ(points[0].place.line, 3);
  EXPECT_FALSE(read("current,torque\n1,2\n")[0].speed);
}

TEST(CharacteristicReader, ReportsThePlaceOfAnError) {
  EXPECT_EQ(error_of_reading(""),
            "m.csv: error: characteristic: the file is empty; expected a line such as 'current,torque'\n");
  EXPECT_EQ(error_of_reading("current,torqe\n"),
            "m.csv:1:9: error: characteristic: unknown quantity 'torqe'; did you mean 'torque'?\n");
  EXPECT_EQ(error_of_reading("current,speed\n"),
            "m.csv:1:1: error: characteristic: there is no column 'torque'\n");
  EXPECT_EQ(error_of_reading("current,torque,current\n"),
            "m.csv:1:16: error: characteristic: duplicate column 'current'\n");
  EXPECT_EQ(error_of_reading("current [A,torque\n"),
            "m.csv:1:1: error: characteristic: 'current [A' has no ']'\n");
  EXPECT_EQ(error_of_reading("current,torque\n1,2,3\n"),
            "m.csv:2:1: error: characteristic: 3 numbers; expected 2, as in the header\n");
  EXPECT_EQ(error_of_reading("current,torque\n\n1,2\n1 2,3\n"),
            "m.csv:4:1: error: characteristic: current: 2 numbers; expected one\n");
  EXPECT_EQ(
      error_of_reading("current,torque\n1,x\n"),
      "m.csv:2:3: error: characteristic: torque: 'x' is not a number; expected a torque such as '0.5' or '5 "
      "N*m'\n");
  EXPECT_EQ(
      error_of_reading("current [kg],torque\n1,2\n"),
      "m.csv:2:1: error: characteristic: current: unit 'kg' does not fit; expected a current in 'A', such as "
      "'20 mA'\n");
}

}  // namespace
}  // namespace lockstep
