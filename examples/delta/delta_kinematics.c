#include "delta_kinematics.h"

#include <math.h>

/* Below this a length (in m) or a determinant counts as zero. */
static const double kNothing = 1e-12;

/* Directions of the arms; sqrt(3)/2 to the last digit. */
static const double kOutward[3][3] = {
    {1.0, 0.0, 0.0}, {-0.5, 0.86602540378443865, 0.0}, {-0.5, -0.86602540378443865, 0.0}};

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* forward u_i - down z: a vector in the plane of an arm. */
static void in_plane_of_arm(int i, double forward, double down, double result[3]) {
  for (int axis = 0; axis < 3; ++axis) result[axis] = forward * kOutward[i][axis];
  result[2] -= down;
}

int delta_inverse(const DeltaGeometry* g, const double p[3], double q[3]) {
  for (int i = 0; i < 3; ++i) {
    /* |w - e| = rod is A cos q + B sin q = C. */
    const double outward = dot(p, kOutward[i]) + g->plate - g->base;
    const double A = 2.0 * g->arm * outward;
    const double B = -2.0 * g->arm * p[2];
    const double sideways_squared = dot(p, p) - p[2] * p[2] - pow(dot(p, kOutward[i]), 2.0);
    const double C = outward * outward + sideways_squared + p[2] * p[2] + g->arm * g->arm - g->rod * g->rod;
    const double reach = sqrt(A * A + B * B);
    if (!(fabs(C) <= reach) || reach < kNothing) return 0;
    q[i] = atan2(B, A) - acos(C / reach);
  }
  return 1;
}

int delta_forward(const DeltaGeometry* g, const double q[3], double p[3]) {
  /* The plate lies on three spheres of radius rod, about the elbows shifted inwards by the plate. */
  double center[3][3], x[3], y[3], z[3];
  for (int i = 0; i < 3; ++i) {
    in_plane_of_arm(i, g->base - g->plate + g->arm * cos(q[i]), g->arm * sin(q[i]), center[i]);
  }
  /* Axes x, y in the plane of the centres, z normal to it. */
  for (int axis = 0; axis < 3; ++axis) {
    x[axis] = center[1][axis] - center[0][axis];
    y[axis] = center[2][axis] - center[0][axis];
  }
  const double d = sqrt(dot(x, x));
  if (d < kNothing) return 0;
  for (int axis = 0; axis < 3; ++axis) x[axis] /= d;
  const double i = dot(x, y);
  for (int axis = 0; axis < 3; ++axis) y[axis] -= i * x[axis];
  const double j = sqrt(dot(y, y));
  if (j < kNothing) return 0;
  for (int axis = 0; axis < 3; ++axis) y[axis] /= j;
  cross(x, y, z);

  const double along_x = d / 2.0;
  const double along_y = (i * i + j * j) / (2.0 * j) - i / j * along_x;
  const double square = g->rod * g->rod - along_x * along_x - along_y * along_y;
  if (!(square >= 0.0)) return 0;
  const double along_z = z[2] > 0.0 ? -sqrt(square) : sqrt(square);
  for (int axis = 0; axis < 3; ++axis) {
    p[axis] = center[0][axis] + along_x * x[axis] + along_y * y[axis] + along_z * z[axis];
  }
  return 1;
}

void delta_elbow_lever(const DeltaGeometry* g, int i, double q, double lever[3]) {
  in_plane_of_arm(i, -g->arm * sin(q), g->arm * cos(q), lever);
}

/* The rod s = w - e and the derivative b = de/dq of its elbow. */
static void rod_and_lever(const DeltaGeometry* g, int i, const double p[3], double q, double s[3],
                          double b[3]) {
  in_plane_of_arm(i, g->base - g->plate + g->arm * cos(q), g->arm * sin(q), s);
  for (int axis = 0; axis < 3; ++axis) s[axis] = p[axis] - s[axis];
  delta_elbow_lever(g, i, q, b);
}

int delta_inverse_jacobian(const DeltaGeometry* g, const double p[3], const double q[3], double k[3][3]) {
  for (int i = 0; i < 3; ++i) {
    double s[3], b[3];
    rod_and_lever(g, i, p, q[i], s, b);
    const double leverage = dot(s, b);
    if (fabs(leverage) < kNothing) return 0;
    for (int axis = 0; axis < 3; ++axis) k[i][axis] = s[axis] / leverage;
  }
  return 1;
}

int delta_torques_for_force(const double k[3][3], const double force[3], double torque[3]) {
  /* Cramer's rule on k_0 t_0 + k_1 t_1 + k_2 t_2 = force, where k_i are the rows of k. */
  double k12[3], k20[3], k01[3];
  cross(k[1], k[2], k12);
  cross(k[2], k[0], k20);
  cross(k[0], k[1], k01);
  const double determinant = dot(k[0], k12);
  if (fabs(determinant) < kNothing) return 0;
  torque[0] = dot(force, k12) / determinant;
  torque[1] = dot(force, k20) / determinant;
  torque[2] = dot(force, k01) / determinant;
  return 1;
}

int delta_inverse_motion(const DeltaGeometry* g, DeltaMotion* m) {
  if (!delta_inverse(g, m->p, m->q)) return 0;
  for (int i = 0; i < 3; ++i) {
    double s[3], b[3], to_axis[3], s_rate[3], b_rate[3];
    rod_and_lever(g, i, m->p, m->q[i], s, b);
    in_plane_of_arm(i, -g->arm * cos(m->q[i]), -g->arm * sin(m->q[i]), to_axis);
    const double leverage = dot(s, b);
    if (fabs(leverage) < kNothing) return 0;
    /* s.s is constant: s.s' = 0 gives the rate, its derivative s'.s' + s.s'' = 0 the acceleration. */
    const double rate = dot(s, m->v) / leverage;
    for (int axis = 0; axis < 3; ++axis) {
      s_rate[axis] = m->v[axis] - b[axis] * rate;
      b_rate[axis] = to_axis[axis] * rate;
    }
    const double acc = (dot(s, m->a) + dot(s_rate, s_rate) - dot(s, b_rate) * rate) / leverage;
    m->rate[i] = rate;
    m->acc[i] = acc;
    for (int axis = 0; axis < 3; ++axis) m->elbow_acc[i][axis] = b[axis] * acc + b_rate[axis] * rate;
  }
  return 1;
}
