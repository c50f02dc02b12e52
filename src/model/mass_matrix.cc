#include "model/mass_matrix.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;  // angular, then linear at the origin of the world
using Mat6 = Eigen::Matrix<double, 6, 6>;

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

Mat6 spatial_inertia(const MassProperties& mass, const Pose& X_WB) {
  const Mat3 R = X_WB.q.toRotationMatrix();
  const Mat3 c = cross_matrix(X_WB * mass.center);
  Mat6 inertia;
  inertia << R * mass.inertia * R.transpose() - mass.mass * c * c, mass.mass * c, -mass.mass * c,
      mass.mass * Mat3::Identity();
  return inertia;
}

Vec6 turning(const Vec3& axis, const Vec3& point) {
  Vec6 twist;
  twist << axis, point.cross(axis);
  return twist;
}

Vec6 sliding(const Vec3& axis) {
  Vec6 twist;
  twist << Vec3::Zero(), axis;
  return twist;
}

/// The motion by each velocity of a joint, in its layout.
std::vector<Vec6> joint_twists(const JointModel& joint, const Pose& X_WB) {
  const Mat3 R = X_WB.q.toRotationMatrix();
  const Vec3 anchor = X_WB * joint.position;
  std::vector<Vec6> twists;
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kHinge:
      twists.push_back(turning(R * joint.axis, anchor));
      break;
    case JointType::kSlide:
      twists.push_back(sliding(R * joint.axis));
      break;
    case JointType::kFree:
      for (int i = 0; i < 3; ++i) twists.push_back(sliding(Vec3::Unit(i)));
      for (int i = 0; i < 3; ++i) twists.push_back(turning(R.col(i), X_WB.p));
      break;
    case JointType::kBall:
      for (int i = 0; i < 3; ++i) twists.push_back(turning(R.col(i), anchor));
      break;
  }
  return twists;
}

/// Mass and first moment, kg and kg m, of each body with everything below it.
struct MassSum {
  double mass = 0.0;
  Vec3 moment = Vec3::Zero();
};

}  // namespace

MassMatrix calc_mass_matrix(const Model& model, std::span<const Pose> poses) {
  MassMatrix result;
  int size = 0;
  for (const JointModel& joint : model.joints) {
    result.columns.push_back(size);
    size += static_cast<int>(velocity_count(joint.type));
  }
  result.matrix.setZero(size, size);

  // Composite rigid bodies: what each joint moves as one.
  std::vector<Mat6> composite(model.bodies.size(), Mat6::Zero());
  std::vector<std::vector<Vec6>> twists(model.bodies.size());
  for (std::size_t i = model.bodies.size() - 1; i > 0; --i) {
    const BodyModel& body = model.bodies[i];
    composite[i] += spatial_inertia(body.mass, poses[i]);
    composite[index(body.parent)] += composite[i];
    if (body.joint) twists[i] = joint_twists(model.joint(*body.joint), poses[i]);
  }
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    for (std::size_t k = 0; k < twists[i].size(); ++k) {
      const Vec6 momentum = composite[i] * twists[i][k];
      const int row = result.columns[index(*model.bodies[i].joint)] + static_cast<int>(k);
      for (std::size_t above = i; above > 0; above = index(model.bodies[above].parent)) {
        for (std::size_t l = 0; l < twists[above].size(); ++l) {
          const int column = result.columns[index(*model.bodies[above].joint)] + static_cast<int>(l);
          result.matrix(row, column) = result.matrix(column, row) = twists[above][l].dot(momentum);
        }
      }
      result.matrix(row, row) += model.joint(*model.bodies[i].joint).armature;
    }
  }
  return result;
}

void add_followers(const Model& model, MassMatrix& mass) {
  Eigen::MatrixXd& M = mass.matrix;
  for (const CouplingModel& coupling : model.couplings) {
    const int from = mass.columns[index(coupling.joint)], to = mass.columns[index(coupling.follows)];
    M.row(to) += coupling.ratio * M.row(from);
    M.col(to) += coupling.ratio * M.col(from);
    M.row(from).setZero();
    M.col(from).setZero();
    M(from, from) = 1.0;
  }
}

std::vector<WeightOnJoint> calc_weights(const Model& model, std::span<const Pose> poses) {
  std::vector<MassSum> below(model.bodies.size());
  std::vector<std::size_t> root(model.bodies.size());
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const std::size_t parent = index(model.bodies[i].parent);
    root[i] = parent == 0 ? i : root[parent];
  }
  for (std::size_t i = model.bodies.size() - 1; i > 0; --i) {
    const BodyModel& body = model.bodies[i];
    below[i].mass += body.mass.mass;
    below[i].moment += body.mass.mass * (poses[i] * body.mass.center);
    below[index(body.parent)].mass += below[i].mass;
    below[index(body.parent)].moment += below[i].moment;
  }
  const double gravity = model.gravity.norm();
  std::vector<WeightOnJoint> weights(model.bodies.size());
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].joint) continue;
    const JointModel& joint = model.joint(*model.bodies[i].joint);
    const auto load = [&](double mass, const Vec3& moment) {
      if (joint.type == JointType::kSlide) return gravity * mass;
      const Vec3 axis = poses[i].q * joint.axis;
      return gravity * axis.cross(moment - mass * (poses[i] * joint.position)).norm();
    };
    const MassSum& all = below[root[i]];
    weights[i] = {load(below[i].mass, below[i].moment),
                  load(all.mass - below[i].mass, all.moment - below[i].moment)};
  }
  return weights;
}

double calc_largest_rate(const Eigen::MatrixXd& mass_matrix, const Eigen::VectorXd& diagonal) {
  if (diagonal.size() == 0 || diagonal.maxCoeff() <= 0.0) return 0.0;
  const Eigen::LLT<Eigen::MatrixXd> factor(mass_matrix);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  // Power iteration on the symmetric S M^-1 S, S = diag(d)^1/2, which has the same eigenvalues.
  const Eigen::VectorXd root = diagonal.cwiseSqrt();
  Eigen::VectorXd v = root.cwiseMax(1e-3 * root.maxCoeff()).normalized();
  // An irregular start is not orthogonal to any eigenvector by symmetry.
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] *= 1.0 + 0.1 * std::sin(static_cast<double>(i + 1));
  v.normalize();
  constexpr int kMaxIterations = 200;
  constexpr double kPrecision = 1e-4;
  double rate = 0.0;
  for (int i = 0; i < kMaxIterations; ++i) {
    const Eigen::VectorXd next = root.cwiseProduct(factor.solve(root.cwiseProduct(v)));
    const double before = rate;
    rate = next.norm();
    if (!(rate > 0.0)) return 0.0;
    v = next / rate;
    if (std::abs(rate - before) < kPrecision * rate && i > 10) break;
  }
  return rate;
}

}  // namespace lockstep
