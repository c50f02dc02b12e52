#include "control/plan.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

double Bezier::value(double u) const {
  std::array<double, 6> p = points;
  for (std::size_t left = degree; left > 0; --left) {
    for (std::size_t i = 0; i < left; ++i) p[i] += u * (p[i + 1] - p[i]);
  }
  return p[0];
}

Bezier Bezier::derivative() const {
  Bezier result;
  result.degree = degree - 1;
  for (std::size_t i = 0; i < degree; ++i) {
    result.points[i] = static_cast<double>(degree) * (points[i + 1] - points[i]);
  }
  return result;
}

std::pair<Bezier, Bezier> Bezier::halves() const {
  std::pair<Bezier, Bezier> result{*this, *this};
  for (std::size_t left = degree; left > 0; --left) {
    for (std::size_t i = 0; i < left; ++i) {
      result.second.points[i] = 0.5 * (result.second.points[i] + result.second.points[i + 1]);
    }
    result.first.points[degree - left + 1] = result.second.points[0];
  }
  return result;
}

std::optional<double> find_excess(const Bezier& curve, double lower, double upper) {
  struct Section {
    Bezier curve;
    int depth = 0;
  };
  // A section of 2^-kMaxDepth of the curve is represented by its ends.
  constexpr int kMaxDepth = 24;
  std::array<Section, kMaxDepth + 2> open;
  std::size_t count = 1;
  open[0] = {curve, 0};
  const auto is_outside = [&](double value) { return !(value >= lower && value <= upper); };
  while (count > 0) {
    const Section section = open[--count];
    const auto& points = section.curve.points;
    const std::size_t degree = section.curve.degree;
    for (const double end : {points[0], points[degree]}) {
      if (is_outside(end)) return end;
    }
    if (section.depth == kMaxDepth || std::none_of(points.begin(), points.begin() + degree + 1, is_outside))
      continue;
    const auto [first, second] = section.curve.halves();
    open[count++] = {second, section.depth + 1};
    open[count++] = {first, section.depth + 1};
  }
  return std::nullopt;
}

Plan::Moment Plan::moment(double time) const {
  if (loop && time > 0.0) time = std::fmod(time, duration());
  time = std::clamp(time, 0.0, duration());
  const auto next = std::upper_bound(times.begin() + 1, times.end() - 1, time);
  const auto row = static_cast<std::size_t>(next - times.begin()) - 1;
  return {row, (time - times[row]) / (times[row + 1] - times[row])};
}

Bezier Plan::piece(std::size_t index, std::size_t row) const {
  const PlanCurve& curve = curves[index];
  const double h = times[row + 1] - times[row];
  const double p0 = curve.position[row];
  const double p1 = curve.position[row + 1];
  if (interpolation == Interpolation::kLinear) return {{p0, p1}, 1};
  const double v0 = curve.velocity[row] * h;
  const double v1 = curve.velocity[row + 1] * h;
  if (interpolation == Interpolation::kCubic) return {{p0, p0 + v0 / 3.0, p1 - v1 / 3.0, p1}, 3};
  const double a0 = curve.acceleration[row] * h * h;
  const double a1 = curve.acceleration[row + 1] * h * h;
  return {
      {p0, p0 + v0 / 5.0, p0 + 2.0 * v0 / 5.0 + a0 / 20.0, p1 - 2.0 * v1 / 5.0 + a1 / 20.0, p1 - v1 / 5.0, p1},
      5};
}

namespace {

/// The velocities that make the acceleration continuous at every inner row, and at the ends too if the plan
/// loops; otherwise it rests at the ends. With slopes d and lengths h of the pieces before and after row i:
///
///     v[i-1] / h0 + 2 v[i] (1 / h0 + 1 / h1) + v[i+1] / h1 = 3 (d0 / h0 + d1 / h1)
std::vector<double> spline_velocities(const Plan& plan, const std::vector<double>& position) {
  const std::size_t pieces = position.size() - 1;
  std::vector<double> v(position.size(), 0.0);
  // Gauss-Seidel: each row weighs twice its neighbours, so a sweep at least halves the error. After this many
  // sweeps it is below the precision of a double.
  constexpr int kSweeps = 56;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = plan.loop ? 0 : 1; i < pieces; ++i) {
      const std::size_t before = i == 0 ? pieces - 1 : i - 1;
      const double h0 = plan.times[before + 1] - plan.times[before];
      const double h1 = plan.times[i + 1] - plan.times[i];
      const double d0 = (position[before + 1] - position[before]) / h0;
      const double d1 = (position[i + 1] - position[i]) / h1;
      v[i] = (h1 * (3.0 * d0 - v[before]) + h0 * (3.0 * d1 - v[i + 1])) / (2.0 * (h0 + h1));
      if (i == 0) v[pieces] = v[0];
    }
  }
  return v;
}

}  // namespace

void complete(Plan& plan) {
  if (plan.interpolation == Interpolation::kLinear) return;
  for (PlanCurve& curve : plan.curves) {
    const std::size_t rows = curve.position.size();
    if (curve.velocity.empty()) {
      curve.velocity = plan.interpolation == Interpolation::kCubic ? spline_velocities(plan, curve.position)
                                                                   : std::vector<double>(rows, 0.0);
    }
    if (curve.acceleration.empty()) curve.acceleration.assign(rows, 0.0);
  }
}

}  // namespace lockstep
