#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

/// Vectors, rotations and poses, on Eigen's types.
///
/// Units are SI and radians, axes are right-handed, z points up. Quaternions are (w, x, y, z) in every text and
/// binary format; note that Eigen's coeffs() has another order.
///
/// Names carry frames: X_AB is the pose of frame B in frame A, R_AB its rotation, p_AB_C the vector from A's
/// origin to B's origin in axes of C, v_AB_C and w_AB_C linear and angular velocity. W is the world, B a body,
/// S a site or sensor.
namespace lockstep {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// X_AB: where frame B is in frame A. A point with coordinates p_B in B has coordinates `X_AB * p_B` in A.
struct Pose {
  Vec3 p = Vec3::Zero();      ///< p_AB_A, m
  Quat q = Quat::Identity();  ///< R_AB, unit length

  /// p_A = R_AB p_B + p_AB_A
  Vec3 operator*(const Vec3& p_B) const { return p + q * p_B; }
  /// X_AC = X_AB X_BC
  Pose operator*(const Pose& X_BC) const { return {p + q * X_BC.p, q * X_BC.q}; }
  /// X_BA. Relies on q having unit length.
  Pose inverse() const {
    const Quat q_inv = q.conjugate();
    return {-(q_inv * p), q_inv};
  }
};

/// Equal bit for bit up to the sign of zero; q and -q, although the same rotation, are different.
inline bool operator==(const Pose& a, const Pose& b) {
  return a.p == b.p && a.q.coeffs() == b.q.coeffs();
}

/// The shortest rotation that turns one direction into another; neither has to be of unit length.
Quat rotation_between(const Vec3& from, const Vec3& to);

/// Velocity of a frame B seen from the world, expressed in world axes. Accelerations use it, too, in m/s^2 and
/// rad/s^2.
struct Twist {
  Vec3 linear = Vec3::Zero();   ///< v_WB_W of the origin of B, m/s
  Vec3 angular = Vec3::Zero();  ///< w_WB_W, rad/s
};

/// A force through a point and a torque, expressed in world axes. The function that takes or gives one says
/// which point.
struct Wrench {
  Vec3 force = Vec3::Zero();   ///< N
  Vec3 torque = Vec3::Zero();  ///< N m
};

}  // namespace lockstep
