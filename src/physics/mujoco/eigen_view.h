#pragma once

#include "lockstep/math.h"

/// Views of MuJoCo's arrays as Eigen vectors and matrices.
namespace lockstep {

inline Eigen::Map<Vec3> vec3(double* x) {
  return Eigen::Map<Vec3>(x);
}
inline Eigen::Map<const Vec3> vec3(const double* x) {
  return Eigen::Map<const Vec3>(x);
}

using RowMajorMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
inline Eigen::Map<const RowMajorMat3> mat3(const double* x) {
  return Eigen::Map<const RowMajorMat3>(x);
}

inline Quat quat(const double* x) {
  return {x[0], x[1], x[2], x[3]};
}
inline void set_quat(double* x, const Quat& q) {
  x[0] = q.w();
  vec3(x + 1) = q.vec();
}

}  // namespace lockstep
