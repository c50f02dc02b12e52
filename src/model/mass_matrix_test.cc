#include "model/mass_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "model/kinematics.h"
#include "physics/model_builder_testing.h"

namespace lockstep {
namespace {

constexpr double kMatrixRounding = 1e-12;

/// A point mass at the end of a weightless rod of length 0.5 m, and another rod of 0.3 m on it.
SmallModel make_double_pendulum() {
  SmallModel small;
  const Vec3 hardly(1e-15, 1e-15, 1e-15);
  const BodyId upper = small.add_body("upper", kWorldBody, {}, 2.0, hardly, {0.5, 0.0, 0.0});
  small.add_joint(upper, JointType::kHinge);
  const BodyId lower =
      small.add_body("lower", upper, {{0.5, 0.0, 0.0}, Quat::Identity()}, 3.0, hardly, {0.3, 0.0, 0.0});
  small.add_joint(lower, JointType::kHinge);
  for (JointModel& joint : small.model.joints) joint.axis = Vec3::UnitY();
  return small;
}

TEST(MassMatrix, OfADoublePendulumIsItsClosedForm) {
  const SmallModel small = make_double_pendulum();
  for (const double angle : {0.0, 0.7, 3.0}) {
    const double q[] = {0.4, angle};
    const MassMatrix M = calc_mass_matrix(small.model, calc_poses(small.model, q));
    // m1 = 2, l1 = 0.5, m2 = 3, l2 = 0.3, the second angle relative to the first rod.
    const double m22 = 3.0 * 0.09, coupled = 3.0 * 0.5 * 0.3 * std::cos(angle);
    EXPECT_NEAR(M.matrix(1, 1), m22, kMatrixRounding);
    EXPECT_NEAR(M.matrix(0, 1), m22 + coupled, kMatrixRounding);
    EXPECT_NEAR(M.matrix(0, 0), (2.0 + 3.0) * 0.25 + m22 + 2.0 * coupled, kMatrixRounding);
  }
}

TEST(MassMatrix, OfAFreeBodyIsItsMassAndInertia) {
  SmallModel small;
  const Pose pose{{1.0, 2.0, 3.0}, Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()))};
  const BodyId body = small.add_body("body", kWorldBody, pose, 2.0, {1.0, 2.0, 2.5});
  small.add_joint(body, JointType::kFree);
  small.model.joints[0].initial_position = {1.0, 2.0, 3.0, pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z()};
  const MassMatrix M = calc_mass_matrix(small.model, calc_initial_poses(small.model));
  Eigen::VectorXd diagonal(6);
  diagonal << 2.0, 2.0, 2.0, 1.0, 2.0, 2.5;
  EXPECT_LT((M.matrix - Eigen::MatrixXd(diagonal.asDiagonal())).cwiseAbs().maxCoeff(), kMatrixRounding);
}

TEST(MassMatrix, OfAGearTrainIsTheSumOfRatiosSquared) {
  SmallModel small;
  for (const double inertia : {2.0, 0.5}) {
    const BodyId wheel = small.add_body("wheel", kWorldBody, {}, 1.0, Vec3::Constant(inertia));
    small.add_joint(wheel, JointType::kHinge);
  }
  small.model.couplings.push_back(
      {.name = "gear", .joint = JointId{1}, .follows = JointId{0}, .ratio = -3.0, .offset = 0.0});
  MassMatrix M = calc_mass_matrix(small.model, calc_initial_poses(small.model));
  add_followers(small.model, M);
  EXPECT_NEAR(M.matrix(0, 0), 2.0 + 9.0 * 0.5, kMatrixRounding);
  EXPECT_EQ(M.matrix(0, 1), 0.0);
}

TEST(MassMatrix, WeightsAreMassTimesLever) {
  const SmallModel small = make_double_pendulum();
  const double straight[] = {0.0, 0.0};
  const auto weights = calc_weights(small.model, calc_poses(small.model, straight));
  EXPECT_NEAR(weights[1].below, 9.81 * (2.0 * 0.5 + 3.0 * 0.8), 1e-9);
  EXPECT_NEAR(weights[2].below, 9.81 * 3.0 * 0.3, 1e-9);
  EXPECT_NEAR(weights[1].above, 0.0, 1e-9);
  EXPECT_NEAR(weights[2].above, 0.0, 1e-9);  // the upper mass is on the axis of the lower joint
}

TEST(MassMatrix, TheLargestRateIsThatOfAnEigenvalueSolver) {
  const SmallModel small = make_double_pendulum();
  const double q[] = {0.0, 1.0};
  const Eigen::MatrixXd M = calc_mass_matrix(small.model, calc_poses(small.model, q)).matrix;
  const Eigen::Vector2d d(4.0, 0.3);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(d.asDiagonal().toDenseMatrix(), M);
  EXPECT_NEAR(calc_largest_rate(M, d) / solver.eigenvalues().maxCoeff(), 1.0, 1e-3);
  EXPECT_EQ(calc_largest_rate(M, Eigen::Vector2d::Zero()), 0.0);
}

}  // namespace
}  // namespace lockstep
