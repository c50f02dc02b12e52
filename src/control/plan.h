#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep {

/// Interpolation between the rows of a motion plan.
enum class Interpolation {
  kLinear,   ///< straight lines; the speed jumps at every row
  kCubic,    ///< Hermite with the given velocities, else the spline with continuous acceleration that starts
             ///< and ends at rest
  kQuintic,  ///< Hermite with the given velocities and accelerations; those not given are zero: it rests at
             ///< every row
};

/// A Bézier curve over 0…1. It never leaves the range of its control points, so that limits can be proved for
/// the whole curve without sampling it.
struct Bezier {
  std::array<double, 6> points{};
  std::size_t degree = 1;

  double value(double u) const;
  Bezier derivative() const;  ///< by u
  std::pair<Bezier, Bezier> halves() const;
};

/// A value of the curve outside of lower…upper, if there is one.
std::optional<double> find_excess(const Bezier& curve, double lower, double upper);

/// The values of one column, row by row, in SI units.
struct PlanCurve {
  std::vector<double> position;
  std::vector<double> velocity;      ///< per second; empty: not given
  std::vector<double> acceleration;  ///< per second squared; empty: not given
};

/// A motion plan: curves over a common time. It is a pure function of time.
struct Plan {
  Interpolation interpolation = Interpolation::kLinear;
  bool loop = false;
  std::vector<double> times;  ///< s, increasing from 0; two or more
  std::vector<PlanCurve> curves;

  double duration() const { return times.back(); }

  /// A position in the plan: the row before it, and the fraction 0…1 of the way to the next row. Before the
  /// start that is the first row; after the end the last, or the plan again if it loops.
  struct Moment {
    std::size_t row = 0;
    double u = 0.0;
  };
  Moment moment(double time) const;

  /// The piece of a curve from a row to the next.
  Bezier piece(std::size_t curve, std::size_t row) const;
};

/// Computes the velocities and accelerations that the interpolation needs and the plan does not give.
void complete(Plan& plan);

}  // namespace lockstep
