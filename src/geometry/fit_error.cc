#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/fit.h"
#include "geometry/fit_internal.h"
#include "geometry/mass.h"
#include "geometry/mesh_topology.h"
#include "geometry/shape_distance.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

// The fit error is the two-sided Hausdorff distance between the surface of the mesh and the outer surface of
// the union of the shapes:
//
//   largest = max( sup over the mesh   of the distance to the nearest shape surface,
//                  sup over each shape of the distance to the mesh, outside of the other shapes )
//
// Sampling gives a lower bound, but a user needs an upper one. It is found by branch and bound. A distance d is
// 1-Lipschitz, so over a triangle with centroid c and radius r (of the farthest corner)
//
//   d(c) <= sup d <= min(d(c) + r, bound(triangle)),
//
// where bound() uses that the distance to a convex body is largest at a corner: it is tight where surfaces
// coincide, which r is not. `reached` is the largest d(c) found so far. Triangles are kept in a heap by their
// upper bound. The first one is split into four until no bound exceeds reached + tolerance, which is the
// result: never too small, at most `tolerance` too large.
//
// The total overestimate is `precision` times the size (bounding box diagonal), 0.5 % in results. It has three
// shares: 0.6 is the tolerance, 0.15 the deviation of the tessellated round shapes, 0.25 the slack (see
// slack()).

Triangle triangle_of(const Mesh& mesh, const std::array<std::uint32_t, 3>& face) {
  return {mesh.vertices[face[0]], mesh.vertices[face[1]], mesh.vertices[face[2]]};
}

std::array<Triangle, 4> quartered(const Triangle& t) {
  const Vec3 ab = 0.5 * (t[0] + t[1]), bc = 0.5 * (t[1] + t[2]), ca = 0.5 * (t[2] + t[0]);
  return {Triangle{t[0], ab, ca}, Triangle{ab, t[1], bc}, Triangle{ca, bc, t[2]}, Triangle{ab, bc, ca}};
}

/// An upper bound, at most `tolerance` too large, of a distance over the visible part of a surface. Returns
/// early with a larger value once it exceeds `limit`. `is_hidden(point, radius)`: whether the whole ball is
/// hidden. Values up to `floor` do not matter: the result is then that bound of `floor`.
///
/// `distance.find(point, enough)` returns the distance, or any value that is at least the distance and at most
/// `enough`. `distance.bound(triangle, near)` is an upper bound over a triangle.
template <typename Distance, typename Hidden>
double calc_upper_bound(const Mesh& surface, double tolerance, double floor, double limit,
                        const Distance& distance, const Hidden& is_hidden) {
  struct Facet {
    double bound;
    Triangle triangle;
  };
  const auto is_lower = [](const Facet& a, const Facet& b) { return a.bound < b.bound; };
  double reached = floor;
  std::vector<Facet> waiting;
  const auto can_rise = [&](double bound) { return bound > reached + tolerance; };
  const auto visit = [&](const Triangle& triangle) {
    const Vec3 at = middle(triangle);
    double radius = 0.0;
    for (const Vec3& corner : triangle) radius = std::max(radius, (corner - at).norm());
    if (is_hidden(at, radius)) return false;
    // Most triangles are discarded here, by a cheap distance.
    const auto near = distance.find(at, reached + tolerance - radius);
    const double value = near.distance;
    if (!can_rise(value + radius)) return false;
    // A partly hidden triangle is split until its pieces are hidden or visible, or negligible in size.
    if (radius <= 0.1 * tolerance || !is_hidden(at, 0.0)) reached = std::max(reached, value);
    const double bound = std::min(value + radius, distance.bound(triangle, near));
    if (!can_rise(bound)) return false;
    waiting.push_back({bound, triangle});
    return true;
  };
  for (const auto& face : surface.faces) {
    visit(triangle_of(surface, face));
    if (reached > limit) return reached + tolerance;
  }
  waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                               [&](const Facet& piece) { return !can_rise(piece.bound); }),
                waiting.end());
  std::make_heap(waiting.begin(), waiting.end(), is_lower);
  while (!waiting.empty() && can_rise(waiting.front().bound) && reached <= limit) {
    const Triangle triangle = waiting.front().triangle;
    std::pop_heap(waiting.begin(), waiting.end(), is_lower);
    waiting.pop_back();
    for (const Triangle& quarter : quartered(triangle)) {
      if (visit(quarter)) std::push_heap(waiting.begin(), waiting.end(), is_lower);
    }
  }
  return reached + tolerance;
}

/// The reversed bits of a number as a fraction (van der Corput): evenly spread, for any count of them.
double spread(std::uint32_t number) {
  double fraction = 0.0;
  for (double bit = 0.5; number > 0; number >>= 1, bit *= 0.5) fraction += (number & 1u) != 0 ? bit : 0.0;
  return fraction;
}

/// The mean of a function over a surface, without the points where it is negative. By samples at equal steps of
/// area: CAD programs make long slivers, which would need thousands of pieces to be cut small.
template <typename Function>
double calc_mean(const Mesh& surface, const Function& function) {
  constexpr std::uint32_t kSamples = 2000;
  double whole = 0.0;
  const auto area_of = [](const Triangle& t) { return 0.5 * (t[1] - t[0]).cross(t[2] - t[0]).norm(); };
  for (const auto& face : surface.faces) whole += area_of(triangle_of(surface, face));
  const double step = whole / kSamples;
  double sum = 0.0, before = 0.0;  // area of the faces before this one
  std::uint32_t next = 0;
  std::size_t counted = 0;
  for (const auto& face : surface.faces) {
    const Triangle t = triangle_of(surface, face);
    const double area = area_of(t);
    for (; next < kSamples && (next + 0.5) * step < before + area; ++next) {
      const double out = std::sqrt(std::max((next + 0.5) * step - before, 0.0) / area), side = spread(next);
      const double value = function(t[0] + out * (t[1] - t[0]) + out * side * (t[2] - t[1]));
      if (value < 0.0) continue;
      sum += value;
      ++counted;
    }
    before += area;
  }
  return counted > 0 ? sum / static_cast<double>(counted) : 0.0;
}

/// The volume of the union of shapes: of each, the fraction outside of those before it, by sampling.
double calc_union_volume(const std::vector<FittedShape>& shapes, const std::vector<ShapeDistance>& distances) {
  constexpr int kSamples = 4000;  // in the bounding box of each; shapes overlap little
  Random random(1, "union volume");
  double volume = 0.0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Eigen::AlignedBox3d bounds;
    for (const Vec3& vertex : surface_of(shapes[i], std::cbrt(calc_volume(shapes[i])) / 20.0).vertices)
      bounds.extend(vertex);
    int inside = 0, fresh = 0;
    for (int sample = 0; i > 0 && sample < kSamples; ++sample) {
      const Vec3 part(random.uniform(), random.uniform(), random.uniform());
      const Vec3 at = bounds.min() + part.cwiseProduct(bounds.sizes());
      if (!distances[i].is_within(at, 0.0)) continue;
      ++inside;
      const bool is_known = std::any_of(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const ShapeDistance& other) { return other.is_within(at, 0.0); });
      if (!is_known) ++fresh;
    }
    volume += calc_volume(shapes[i]) * (inside == 0 ? 1.0 : static_cast<double>(fresh) / inside);
  }
  return volume;
}

struct AtPoint {
  double distance;
  Vec3 point;
};

/// Distance to the nearest surface of the shapes.
struct ToShapes {
  AtPoint find(const Vec3& p, double enough) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (const ShapeDistance& distance : distances) {
      nearest = std::min(nearest, distance.unsigned_distance(p, enough));
      if (nearest <= enough) break;
    }
    return {nearest, p};
  }
  double operator()(const Vec3& p) const { return find(p, 0.0).distance; }
  double bound(const Triangle& triangle, const AtPoint& at) const {
    double least = std::numeric_limits<double>::infinity();
    for (const ShapeDistance& distance : distances) least = std::min(least, distance.bound(triangle, at.point));
    return least;
  }
  const std::vector<ShapeDistance>& distances;
};

/// Distance from the union of the shapes; 0 inside.
struct OutOfShapes {
  AtPoint find(const Vec3& p, double /*enough*/) const {
    double least = std::numeric_limits<double>::infinity();
    for (const ShapeDistance& distance : distances) {
      least = std::min(least, distance.distance_outside(p));
      if (least == 0.0) break;
    }
    return {least, p};
  }
  double bound(const Triangle& triangle, const AtPoint& /*at*/) const {
    double least = std::numeric_limits<double>::infinity();
    for (const ShapeDistance& distance : distances) least = std::min(least, distance.bound_outside(triangle));
    return least;
  }
  const std::vector<ShapeDistance>& distances;
};

/// The mesh and the shapes to compare.
struct Comparison {
  Comparison(const Mesh& from, const MeshDistance& to_from, const std::vector<FittedShape>& to)
      : mesh(from), to_mesh(to_from), shapes(to), size(calc_size(from)), distances(to.begin(), to.end()) {}

  /// Whether the ball around a point is inside, or closer than `slack` to, a shape other than `own`.
  bool is_hidden(std::size_t own, const Vec3& p, double radius, double slack) const {
    for (std::size_t j = 0; j < distances.size(); ++j) {
      if (j != own && distances[j].is_within(p, slack - radius)) return true;
    }
    return false;
  }
  /// Whether each face has all its corners in one of the shapes. Shapes are convex, so the face is inside.
  bool is_contained() const {
    const double rounding = 1e-9 * size;
    std::vector<std::vector<bool>> holds;  // by shape and vertex
    for (const ShapeDistance& distance : distances) {
      std::vector<bool>& vertices = holds.emplace_back();
      for (const Vec3& vertex : mesh.vertices) vertices.push_back(distance.is_within(vertex, rounding));
    }
    return std::all_of(mesh.faces.begin(), mesh.faces.end(), [&](const auto& face) {
      return std::any_of(holds.begin(), holds.end(), [&](const std::vector<bool>& vertices) {
        return vertices[face[0]] && vertices[face[1]] && vertices[face[2]];
      });
    });
  }
  /// Where shapes overlap or touch, their surfaces are inside the union. Touching shapes coincide only within
  /// rounding, so points closer than the slack to another shape count as inside; the bound grows by as much.
  double slack(double precision) const { return shapes.size() > 1 ? 0.25 * precision * size : 0.0; }

  static constexpr double kFar = std::numeric_limits<double>::infinity();
  const Mesh& mesh;
  const MeshDistance& to_mesh;
  const std::vector<FittedShape>& shapes;
  double size;
  std::vector<ShapeDistance> distances;
};

bool never(const Vec3& /*p*/, double /*radius*/) {
  return false;
}

double calc_largest(const Comparison& both, double precision, double limit) {
  const double tolerance = 0.6 * precision * both.size, deviation = 0.15 * precision * both.size;
  const double slack = both.slack(precision);
  double largest = calc_upper_bound(both.mesh, tolerance, 0.0, limit, ToShapes{both.distances}, never);
  for (std::size_t i = 0; i < both.shapes.size() && largest - tolerance <= limit; ++i) {
    const auto is_hidden = [&](const Vec3& p, double radius) { return both.is_hidden(i, p, radius, slack); };
    const Mesh surface = surface_of(both.shapes[i], deviation);
    // Only a larger distance than those found so far is of interest.
    const double floor = std::max(largest - slack - deviation - tolerance, 0.0);
    const double bound = calc_upper_bound(surface, tolerance, floor, limit, both.to_mesh, is_hidden);
    if (bound > floor + tolerance) largest = std::max(largest, slack + deviation + bound);
  }
  return largest;
}

double calc_mean_distance(const Comparison& both) {
  double mean = calc_mean(both.mesh, ToShapes{both.distances});
  for (std::size_t i = 0; i < both.shapes.size(); ++i) {
    const Mesh surface = surface_of(both.shapes[i], kFitPrecision * both.size);
    mean = std::max(mean, calc_mean(surface, [&](const Vec3& p) {
                      return both.is_hidden(i, p, 0.0, both.slack(kFitPrecision)) ? -1.0 : both.to_mesh(p);
                    }));
  }
  return mean;
}

}  // namespace

double calc_largest_distance(const Mesh& mesh, const MeshDistance& to_mesh,
                             const std::vector<FittedShape>& shapes, double precision, double limit) {
  return calc_largest(Comparison(mesh, to_mesh, shapes), precision, limit);
}

FitError calc_fit_error(const Mesh& mesh, const MeshDistance& to_mesh, const std::vector<FittedShape>& shapes) {
  const Comparison both(mesh, to_mesh, shapes);
  FitError error;
  error.largest = calc_largest(both, kFitPrecision, Comparison::kFar);
  error.mean = calc_mean_distance(both);
  if (!both.is_contained()) {
    // Pieces of a cut mesh are inside up to rounding, so that the result is often the tolerance alone. A point
    // outside is at most as far from the shapes as `largest`.
    constexpr double kTolerance = 0.1 * kFitPrecision;
    const double outside = calc_upper_bound(mesh, kTolerance * both.size, 0.0, Comparison::kFar,
                                            OutOfShapes{both.distances}, never);
    error.outside = std::min(outside, error.largest);
  }
  if (find_mesh_defect(mesh).empty())
    error.volume_ratio = calc_union_volume(shapes, both.distances) / unit_mass(mesh).mass;
  return error;
}

}  // namespace lockstep
