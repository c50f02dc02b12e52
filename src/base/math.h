#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

/// Vectors, rotations and poses. SI units, right-handed axes, z up, quaternions as (w, x, y, z) in every
/// text and binary format.
namespace lockstep {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// X_AB: where frame B is in frame A. A point p_B given in B lies at `X_AB * p_B` in A.
struct Pose {
  Vec3 p = Vec3::Zero();      ///< p_AB_A, m
  Quat q = Quat::Identity();  ///< R_AB, unit length

  Vec3 operator*(const Vec3& p_B) const { return p + q * p_B; }
  Pose operator*(const Pose& X_BC) const { return {p + q * X_BC.p, q * X_BC.q}; }
  Pose inverse() const {
    const Quat q_inv = q.conjugate();
    return {-(q_inv * p), q_inv};
  }
};

inline bool operator==(const Pose& a, const Pose& b) {
  return a.p == b.p && a.q.coeffs() == b.q.coeffs();
}

/// The shortest rotation that turns one direction into another; neither has to be of unit length.
Quat rotation_between(const Vec3& from, const Vec3& to);

/// Velocity of a frame B seen from the world, expressed in world axes.
struct Twist {
  Vec3 linear = Vec3::Zero();   ///< v_WB_W of the origin of B, m/s
  Vec3 angular = Vec3::Zero();  ///< w_WB_W, rad/s
};

/// A force through a point and a torque, expressed in world axes.
struct Wrench {
  Vec3 force = Vec3::Zero();   ///< N
  Vec3 torque = Vec3::Zero();  ///< N m
};

}  // namespace lockstep
