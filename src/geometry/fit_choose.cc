#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/overloaded.h"
#include "geometry/fit.h"
#include "geometry/fit_internal.h"
#include "geometry/hull.h"
#include "geometry/mesh_topology.h"
#include "geometry/shape_distance.h"

namespace lockstep {
namespace {

/// Cost of a collision test with a shape, relative to a sphere.
double cost_of(const FittedShape& shape) {
  return std::visit(
      Overloaded{[](const Sphere&) { return 1.0; }, [](const Capsule&) { return 1.2; },
                 [](const Box&) { return 2.0; }, [](const Cylinder&) { return 3.0; },
                 [](const Mesh& hull) { return 4.0 + static_cast<double>(hull.vertices.size()) / 50.0; }},
      shape.geometry);
}

double cost_of(const std::vector<FittedShape>& shapes) {
  double sum = 0.0;
  for (const FittedShape& shape : shapes) sum += cost_of(shape);
  return sum;
}

/// One fit of each kind to a mesh with this hull.
std::vector<FittedShape> single_fits(const Mesh& hull) {
  return {fit_sphere(hull), fit_capsule(hull), fit_box(hull), fit_cylinder(hull), {hull, {}}};
}

/// The shape for one of several pieces: the cheapest whose volume is not much larger than the smallest.
FittedShape fit_piece(const Mesh& hull) {
  // Maximum volume of a simpler shape, relative to the smallest.
  constexpr double kMaxVolumeRatio = 1.15;
  const std::vector<FittedShape> fits = single_fits(hull);
  double smallest = std::numeric_limits<double>::infinity();
  for (const FittedShape& fit : fits) smallest = std::min(smallest, calc_volume(fit));
  const FittedShape* best = nullptr;
  for (const FittedShape& fit : fits) {
    if (calc_volume(fit) > kMaxVolumeRatio * smallest) continue;
    if (best == nullptr || cost_of(fit) < cost_of(*best)) best = &fit;
  }
  return *best;
}

/// A cutting plane; its normal points to the side above.
struct Cut {
  Vec3 normal;
  double offset;

  double height(const Vec3& p) const { return normal.dot(p) - offset; }
  Cut turned() const { return {-normal, -offset}; }
};

/// The part of a surface above a cut.
class Clipper {
 public:
  Clipper(const Mesh& mesh, const Cut& cut) : mesh_(mesh), cut_(cut), new_index_(mesh.vertices.size(), kNone) {}

  Mesh run() {
    for (const auto& face : mesh_.faces) add(face);
    return std::move(part_);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void add(const std::array<std::uint32_t, 3>& face) {
    std::array<std::uint32_t, 4> corners{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = face[i], b = face[(i + 1) % 3];
      const bool is_above = height(a) >= 0.0;
      if (is_above) corners[count++] = keep(a);
      if (is_above != (height(b) >= 0.0)) corners[count++] = cross(a, b);
    }
    for (std::size_t i = 2; i < count; ++i) part_.faces.push_back({corners[0], corners[i - 1], corners[i]});
  }
  double height(std::uint32_t vertex) const { return cut_.height(mesh_.vertices[vertex]); }

  std::uint32_t keep(std::uint32_t vertex) {
    if (new_index_[vertex] == kNone) new_index_[vertex] = append(mesh_.vertices[vertex]);
    return new_index_[vertex];
  }
  /// The intersection of an edge with the cut; shared by the faces on both sides.
  std::uint32_t cross(std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);
    const auto [at, is_new] = crossings_.try_emplace({a, b}, kNone);
    if (is_new) {
      const double share = height(a) / (height(a) - height(b));
      at->second = append(mesh_.vertices[a] + (mesh_.vertices[b] - mesh_.vertices[a]) * share);
    }
    return at->second;
  }
  std::uint32_t append(const Vec3& vertex) {
    part_.vertices.push_back(vertex);
    return static_cast<std::uint32_t>(part_.vertices.size() - 1);
  }

  const Mesh& mesh_;
  const Cut cut_;
  std::vector<std::uint32_t> new_index_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> crossings_;
  Mesh part_;
};

Mesh clipped(const Mesh& mesh, const Cut& cut) {
  return Clipper(mesh, cut).run();
}

struct Piece {
  Mesh mesh;
  Mesh hull;
  double volume = 0.0;  ///< of its hull
  /// The cut that reduces the volume of the hulls most: the reduction, and the two halves.
  double saving = 0.0;
  std::array<Mesh, 2> halves;
};

double hull_volume(const Mesh& mesh) {
  return mesh.vertices.empty() ? 0.0 : calc_volume({convex_hull(mesh.vertices), {}});
}

Piece make_piece(Mesh mesh) {
  Piece piece{.mesh = std::move(mesh), .hull = {}, .volume = 0.0, .saving = 0.0, .halves = {}};
  piece.hull = convex_hull(piece.mesh.vertices);
  piece.volume = calc_volume({piece.hull, {}});
  const FittedShape box = fit_box(piece.hull);
  const Vec3 size = std::get<Box>(box.geometry).size;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 normal = box.pose.q * Vec3::Unit(axis);
    for (const double part : {0.25, 0.5, 0.75}) {
      const Cut cut{normal, normal.dot(box.pose.p) + (part - 0.5) * size(axis)};
      Mesh above = clipped(piece.mesh, cut), below = clipped(piece.mesh, cut.turned());
      if (above.faces.empty() || below.faces.empty()) continue;
      const double saving = piece.volume - hull_volume(above) - hull_volume(below);
      if (saving <= piece.saving) continue;
      piece.saving = saving;
      piece.halves = {std::move(above), std::move(below)};
    }
  }
  return piece;
}

Fit make_fit(const Mesh& mesh, const MeshDistance& to_mesh, std::vector<FittedShape> shapes) {
  Fit fit{.shapes = std::move(shapes), .error = {}, .cost = 0.0, .text = {}};
  fit.error = calc_fit_error(mesh, to_mesh, fit.shapes);
  fit.cost = cost_of(fit.shapes);
  std::map<std::string_view, std::size_t> kinds;
  for (const FittedShape& shape : fit.shapes) ++kinds[kind_name(shape)];
  for (const auto& [kind, count] : kinds)
    fit.text += fmt::format("{}{} {}{}", fit.text.empty() ? "" : ", ", count, kind,
                            count == 1 ? "" : (kind == "box" ? "es" : "s"));
  // Rounding errors are not worth a line of their own for each of several equal parts.
  const double mean = fit.error.mean < 1e-9 * calc_size(mesh) ? 0.0 : fit.error.mean;
  fit.text += fmt::format(": within {:.3g} mm (mean {:.3g} mm)", 1e3 * fit.error.largest, 1e3 * mean);
  if (fit.error.outside > 0.0) fit.text += fmt::format(", up to {:.3g} mm outside", 1e3 * fit.error.outside);
  if (fit.error.volume_ratio > 0.0)
    fit.text += fmt::format(", {:.0f} % of the volume", 100.0 * fit.error.volume_ratio);
  return fit;
}

/// Compares sets of shapes and keeps the best.
class Chooser {
 public:
  Chooser(const Mesh& mesh, const FitOptions& options)
      : mesh_(mesh), to_mesh_(mesh), good_enough_(options.max_error * calc_size(mesh)) {}

  void add(std::vector<FittedShape> shapes) {
    constexpr double kPrecision = 2e-2;  // while choosing
    const double cost = cost_of(shapes);
    // Prefer a much cheaper set at slightly more error.
    const double weight = 1.0 + 0.01 * cost;
    if (is_good_ && cost >= score_) return;
    const double limit = is_good_ ? good_enough_ : std::max(good_enough_, score_ / weight);
    const double largest = calc_largest_distance(mesh_, to_mesh_, shapes, kPrecision, limit);
    const bool is_good = largest <= good_enough_;
    const double score = is_good ? cost : largest * weight;
    if (is_good == is_good_ ? score >= score_ : is_good_) return;
    shapes_ = std::move(shapes);
    is_good_ = is_good;
    score_ = score;
  }
  bool is_good() const { return is_good_; }

  Fit finish() const { return make_fit(mesh_, to_mesh_, shapes_); }

 private:
  const Mesh& mesh_;
  MeshDistance to_mesh_;
  double good_enough_;
  std::vector<FittedShape> shapes_;
  bool is_good_ = false;
  double score_ = std::numeric_limits<double>::infinity();  // cost if good, else weighted error
};

void add_pieces(Chooser& chooser, const std::vector<Piece>& pieces) {
  std::vector<FittedShape> shapes;
  for (const Piece& piece : pieces) shapes.push_back(fit_piece(piece.hull));
  chooser.add(std::move(shapes));
}

}  // namespace

std::string_view kind_name(const FittedShape& shape) {
  return std::visit(Overloaded{[](const Box&) { return "box"; }, [](const Sphere&) { return "sphere"; },
                               [](const Capsule&) { return "capsule"; },
                               [](const Cylinder&) { return "cylinder"; }, [](const Mesh&) { return "hull"; }},
                    shape.geometry);
}

Fit make_fit(const Mesh& mesh, std::vector<FittedShape> shapes) {
  return make_fit(mesh, MeshDistance(mesh), std::move(shapes));
}

Fit choose_shapes(const Mesh& mesh, const FitOptions& options) {
  // A cut must reduce the volume by at least this fraction of the hulls.
  constexpr double kMinSaving = 0.02;
  Chooser chooser(mesh, options);
  for (FittedShape& fit : single_fits(convex_hull(mesh.vertices))) chooser.add({std::move(fit)});
  if (chooser.is_good() || options.max_shapes < 2) return chooser.finish();

  std::vector<Mesh> connected = connected_pieces(mesh);
  if (connected.size() > options.max_shapes) connected = {mesh};
  std::vector<Piece> pieces;
  double volume = 0.0;
  for (Mesh& piece : connected) {
    pieces.push_back(make_piece(std::move(piece)));
    volume += pieces.back().volume;
  }
  if (pieces.size() > 1) add_pieces(chooser, pieces);
  while (!chooser.is_good() && pieces.size() < options.max_shapes) {
    const auto best = std::max_element(pieces.begin(), pieces.end(),
                                       [](const Piece& a, const Piece& b) { return a.saving < b.saving; });
    if (best->saving < kMinSaving * volume) break;
    std::array<Mesh, 2> halves = std::move(best->halves);
    *best = make_piece(std::move(halves[0]));
    pieces.push_back(make_piece(std::move(halves[1])));
    add_pieces(chooser, pieces);
  }
  return chooser.finish();
}

}  // namespace lockstep
