#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep {

/// How a plan goes from one row to the next.
enum class Interpolation {
  kLinear,   ///< straight; the speed jumps at every row
  kCubic,    ///< with the velocities given, else the spline of continuous acceleration that begins and ends at
             ///< rest
  kQuintic,  ///< with the velocities and accelerations given; what is not given is zero: it rests at every row
};

/// A Bézier curve over 0…1. It never leaves the range of its control points, so that a limit can be proved to
/// hold without looking at every moment.
struct Bezier {
  std::array<double, 6> points{};
  std::size_t degree = 1;

  double value(double u) const;
  Bezier derivative() const;  ///< by u
  std::pair<Bezier, Bezier> halves() const;
};

/// A value of the curve that lies outside of lower…upper, if there is one.
std::optional<double> find_excess(const Bezier& curve, double lower, double upper);

/// What one column says, row by row.
struct PlanCurve {
  std::vector<double> position;
  std::vector<double> velocity;      ///< per second; empty: not given
  std::vector<double> acceleration;  ///< per second squared; empty: not given
};

/// A motion plan: curves over a common time. It is a function of time alone.
struct Plan {
  Interpolation interpolation = Interpolation::kLinear;
  bool loop = false;
  std::vector<double> times;  ///< s, increasing from 0; two or more
  std::vector<PlanCurve> curves;

  double duration() const { return times.back(); }

  /// Where a time stands: the row that it follows, and how far it is from there to the next, 0…1. Before the
  /// beginning that is the first row; after the end the last, or the plan again if it loops.
  struct Moment {
    std::size_t row = 0;
    double u = 0.0;
  };
  Moment moment(double time) const;

  /// A curve from a row to the next.
  Bezier piece(std::size_t curve, std::size_t row) const;
};

/// Fills in the velocities and accelerations that the interpolation needs and the plan does not give.
void complete(Plan& plan);

}  // namespace lockstep
