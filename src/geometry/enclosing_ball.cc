#include "geometry/enclosing_ball.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// The smallest ball with all points on its surface; empty (radius < 0) if there is none.
Ball ball_through(const std::vector<Vec3>& support) {
  if (support.empty()) return {};
  const Vec3 origin = support[0];
  const auto count = static_cast<Eigen::Index>(support.size()) - 1;
  if (count == 0) return {origin, 0.0};
  Eigen::MatrixXd edges(3, count);
  for (Eigen::Index i = 0; i < count; ++i) edges.col(i) = support[static_cast<std::size_t>(i) + 1] - origin;
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(edges.transpose() * edges);
  if (!lu.isInvertible()) return {};
  const Eigen::VectorXd weights = lu.solve(0.5 * edges.colwise().squaredNorm().transpose());
  const Vec3 center = edges * weights;
  return {origin + center, center.norm()};
}

bool contains(const Ball& ball, const Vec3& point) {
  constexpr double kRounding = 1e-12;
  return ball.radius >= 0.0 &&
         (point - ball.center).squaredNorm() <= ball.radius * ball.radius * (1.0 + kRounding);
}

/// Welzl's algorithm with move-to-front: a point outside moves to the front and is tested early next time.
Ball grow(std::vector<Vec3>& points, std::size_t end, std::vector<Vec3>& support) {
  Ball ball = ball_through(support);
  if (support.size() == 4) return ball;
  for (std::size_t i = 0; i < end; ++i) {
    if (contains(ball, points[i])) continue;
    support.push_back(points[i]);
    const Ball larger = grow(points, i, support);
    support.pop_back();
    if (larger.radius <= ball.radius) continue;  // rounding: the point is on the surface
    ball = larger;
    std::rotate(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i),
                points.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return ball;
}

}  // namespace

Ball enclosing_ball(std::vector<Vec3>& points) {
  std::vector<Vec3> support;
  Ball ball = grow(points, points.size(), support);
  // Include points that rounding put outside.
  for (const Vec3& point : points) ball.radius = std::max(ball.radius, (point - ball.center).norm());
  return ball;
}

}  // namespace lockstep
