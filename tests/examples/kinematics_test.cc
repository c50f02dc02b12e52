#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "delta_kinematics.h"

namespace {

using Vector = std::array<double, 3>;

constexpr DeltaGeometry kGeometry = {.base = 0.125, .arm = 0.225, .rod = 0.5, .plate = 0.05};
constexpr double kRounding = 1e-12;

/// Positions throughout the workspace of the plate.
std::vector<Vector> places() {
  std::vector<Vector> all;
  for (const double x : {-0.16, -0.05, 0.0, 0.11}) {
    for (const double y : {-0.12, 0.0, 0.07, 0.15}) {
      for (const double z : {-0.34, -0.4, -0.46}) all.push_back({x, y, z});
    }
  }
  return all;
}

/// The plate at p, moving as x(t) = p + v t + a t^2 / 2.
Vector angles_after(const Vector& p, const Vector& v, const Vector& a, double t) {
  Vector moved{}, q{};
  for (std::size_t i = 0; i < 3; ++i) moved[i] = p[i] + v[i] * t + a[i] * t * t / 2.0;
  EXPECT_TRUE(delta_inverse(&kGeometry, moved.data(), q.data()));
  return q;
}

TEST(DeltaKinematics, WithLevelArmsARodIsTheHypotenuseOfA3To4To5Triangle) {
  const Vector level = {0.0, 0.0, 0.0};
  Vector p{}, q{};
  ASSERT_TRUE(delta_forward(&kGeometry, level.data(), p.data()));
  EXPECT_NEAR(p[0], 0.0, kRounding);
  EXPECT_NEAR(p[1], 0.0, kRounding);
  EXPECT_NEAR(p[2], -0.4, kRounding);
  ASSERT_TRUE(delta_inverse(&kGeometry, p.data(), q.data()));
  for (const double angle : q) EXPECT_NEAR(angle, 0.0, kRounding);
}

TEST(DeltaKinematics, InverseKeepsTheRodsAtTheirLengthWithTheElbowsOutwards) {
  for (const Vector& p : places()) {
    Vector q{};
    ASSERT_TRUE(delta_inverse(&kGeometry, p.data(), q.data()));
    for (std::size_t i = 0; i < 3; ++i) {
      const double azimuth = 2.0 * std::numbers::pi / 3.0 * static_cast<double>(i);
      const double forward = kGeometry.base - kGeometry.plate + kGeometry.arm * std::cos(q[i]);
      const double length = std::hypot(p[0] - forward * std::cos(azimuth), p[1] - forward * std::sin(azimuth),
                                       p[2] + kGeometry.arm * std::sin(q[i]));
      EXPECT_NEAR(length, kGeometry.rod, kRounding);
      EXPECT_LT(std::abs(q[i]), std::numbers::pi / 2.0);
    }
  }
}

TEST(DeltaKinematics, ForwardUndoesInverse) {
  for (const Vector& p : places()) {
    Vector q{}, back{};
    ASSERT_TRUE(delta_inverse(&kGeometry, p.data(), q.data()));
    ASSERT_TRUE(delta_forward(&kGeometry, q.data(), back.data()));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back[i], p[i], kRounding);
  }
}

TEST(DeltaKinematics, ReportsPositionsOutOfReach) {
  const Vector below = {0.0, 0.0, -0.8}, aside = {0.6, 0.0, -0.4}, straight_up = {-1.5, -1.5, 1.5};
  Vector result{};
  EXPECT_FALSE(delta_inverse(&kGeometry, below.data(), result.data()));
  EXPECT_FALSE(delta_inverse(&kGeometry, aside.data(), result.data()));
  const DeltaGeometry short_rods = {.base = 0.125, .arm = 0.225, .rod = 0.1, .plate = 0.05};
  EXPECT_FALSE(delta_forward(&short_rods, straight_up.data(), result.data()));
}

TEST(DeltaKinematics, TheInverseJacobianIsTheDerivativeOfTheAngles) {
  constexpr double kStep = 1e-6, kDifference = 1e-8;
  for (const Vector& p : places()) {
    Vector q{};
    double k[3][3];
    ASSERT_TRUE(delta_inverse(&kGeometry, p.data(), q.data()));
    ASSERT_TRUE(delta_inverse_jacobian(&kGeometry, p.data(), q.data(), k));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vector along{};
      along[axis] = 1.0;
      const Vector after = angles_after(p, along, {}, kStep), before = angles_after(p, along, {}, -kStep);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(k[i][axis], (after[i] - before[i]) / (2.0 * kStep), kDifference);
      }
    }
  }
}

TEST(DeltaKinematics, TheTorquesOfAForceDoItsWork) {
  const Vector force = {3.0, -7.0, 20.0}, velocity = {0.4, 1.3, -0.2};
  for (const Vector& p : places()) {
    Vector q{}, torque{};
    double k[3][3];
    ASSERT_TRUE(delta_inverse(&kGeometry, p.data(), q.data()));
    ASSERT_TRUE(delta_inverse_jacobian(&kGeometry, p.data(), q.data(), k));
    ASSERT_TRUE(delta_torques_for_force(k, force.data(), torque.data()));
    double power_of_motors = 0.0, power_at_plate = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      power_of_motors += torque[i] * (k[i][0] * velocity[0] + k[i][1] * velocity[1] + k[i][2] * velocity[2]);
      power_at_plate += force[i] * velocity[i];
    }
    EXPECT_NEAR(power_of_motors, power_at_plate, 1e-9);
  }
}

TEST(DeltaKinematics, RatesAndAccelerationsAreTheDerivativesOfTheAngles) {
  constexpr double kStep = 1e-4, kDifference = 2e-4;  // s, and its truncation error in rad/s^2
  const Vector v = {1.0, -0.5, 0.3}, a = {20.0, 5.0, -10.0};
  for (const Vector& p : places()) {
    DeltaMotion motion{};
    for (std::size_t i = 0; i < 3; ++i) {
      motion.p[i] = p[i];
      motion.v[i] = v[i];
      motion.a[i] = a[i];
    }
    ASSERT_TRUE(delta_inverse_motion(&kGeometry, &motion));
    const Vector before = angles_after(p, v, a, -kStep), now = angles_after(p, v, a, 0.0),
                 after = angles_after(p, v, a, kStep);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(motion.q[i], now[i], kRounding);
      EXPECT_NEAR(motion.rate[i], (after[i] - before[i]) / (2.0 * kStep), kDifference);
      EXPECT_NEAR(motion.acc[i], (after[i] - 2.0 * now[i] + before[i]) / (kStep * kStep), kDifference);
    }
  }
}

}  // namespace
