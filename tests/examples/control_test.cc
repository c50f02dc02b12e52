#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "actuators/characteristic.h"
#include "delta_control.h"

namespace {

using Vector = std::array<double, 3>;

constexpr double kTenG = 98.1;  // m/s^2
const DeltaSettings kFast = delta_settings(0.0005, kTenG);

struct Reference {
  Vector p{}, v{}, a{};
};

Reference reference(double time) {
  Reference r;
  delta_path(&kFast, time, r.p.data(), r.v.data(), r.a.data());
  return r;
}

TEST(DeltaPath, GoesUp25MillimetresAcross305AndDown25AndBack) {
  const double start = delta_start_time(), cycle = delta_cycle_time(&kFast);
  const Vector pick = {-0.1525, 0.0, -0.425}, place = {0.1525, 0.0, -0.425};
  double highest = -1.0;
  for (int i = 0; i <= 3; ++i) {
    const Vector& expected = i % 2 == 0 ? pick : place;
    const Reference r = reference(start + i * cycle / 2.0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(r.p[axis], expected[axis], 1e-9);
      EXPECT_NEAR(r.v[axis], 0.0, 1e-9);
    }
  }
  for (double t = start; t < start + cycle; t += 1e-3) highest = std::max(highest, reference(t).p[2]);
  EXPECT_NEAR(highest, -0.4, 1e-9);
}

TEST(DeltaPath, ReachesTenGWithSmallOvershoot) {
  double largest = 0.0;
  for (double t = 0.0; t < 2.0; t += 1e-4) {
    const Vector a = reference(t).a;
    largest = std::max(largest, std::hypot(a[0], a[1], a[2]));
  }
  EXPECT_GE(largest, 0.9999 * kTenG);
  EXPECT_LT(largest, 1.05 * kTenG);
}

TEST(DeltaPath, ItsVelocityAndAccelerationAreTheDerivativesOfItsPosition) {
  constexpr double kStep = 1e-5, kDifference = 0.2;  // s, and the step times the largest jerk
  for (double t = 0.01; t < 1.5; t += 0.00137) {
    const Reference before = reference(t - kStep), now = reference(t), after = reference(t + kStep);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(now.v[axis], (after.p[axis] - before.p[axis]) / (2.0 * kStep), 1e-5);
      EXPECT_NEAR(now.a[axis], (after.v[axis] - before.v[axis]) / (2.0 * kStep), kDifference);
    }
  }
}

/// Potential energy of all moving bodies at these motor angles, J.
double potential_energy(const Vector& q) {
  Vector p{};
  EXPECT_TRUE(delta_forward(&kDeltaGeometry, q.data(), p.data()));
  double energy = 0.3 * 9.81 * p[2];
  for (const double angle : q) {
    const double elbow = -kDeltaGeometry.arm * std::sin(angle);
    energy += 9.81 * (0.18 * elbow / 2.0 + 0.06 * (elbow + p[2]) / 2.0);
  }
  return energy;
}

TEST(DeltaTorques, AtRestAreTheSlopeOfThePotentialEnergy) {
  DeltaMotion motion{};
  motion.p[0] = 0.1;
  motion.p[1] = -0.05;
  motion.p[2] = -0.42;
  Vector torque{};
  ASSERT_TRUE(delta_inverse_motion(&kDeltaGeometry, &motion));
  ASSERT_TRUE(delta_torques(&motion, torque.data()));
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < 3; ++i) {
    Vector before = {motion.q[0], motion.q[1], motion.q[2]}, after = before;
    before[i] -= kStep;
    after[i] += kStep;
    EXPECT_NEAR(torque[i], (potential_energy(after) - potential_energy(before)) / (2.0 * kStep), 1e-7);
  }
}

lockstep::Characteristic read_table() {
  const std::filesystem::path file =
      std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "scenarios/machines/motors/delta.csv";
  std::ifstream stream(file, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(stream), {}};
  lockstep::Diagnostics diagnostics;
  return lockstep::Characteristic::make(lockstep::read_characteristic(bytes, file.string()), {}, "table",
                                        diagnostics)
      .value();
}

TEST(DeltaCurrent, GivesTheTorqueOfTheMotorTable) {
  const lockstep::Characteristic table = read_table();
  for (double torque = -15.0; torque <= 15.0; torque += 0.37) {
    for (double rate = -30.0; rate <= 30.0; rate += 3.1) {
      const double current = delta_current(torque, rate);
      ASSERT_LT(std::abs(current), 12.0);
      EXPECT_NEAR(20.0 * 0.9 * table.torque(current, 20.0 * rate), torque, 1e-9);
    }
  }
}

TEST(DeltaCurrent, NeverExceedsTheMotorLimit) {
  EXPECT_EQ(delta_current(1000.0, 0.0), 12.0);
  EXPECT_EQ(delta_current(-1000.0, 5.0), -12.0);
}

}  // namespace
