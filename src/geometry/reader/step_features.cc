#include <BRepAdaptor_Curve.hxx>
#include <BRepAdaptor_Surface.hxx>
#include <BRepGProp.hxx>
#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <Eigen/Eigenvalues>
#include <GProp_GProps.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopTools_MapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>
#include <TopoDS_Face.hxx>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>

#include "geometry/reader/exact_shape.h"

namespace lockstep {
namespace {

constexpr double kSame = 1e-4;  // mm, or of a unit vector: the same axis, as files with six digits write it

Vec3 vector(const gp_XYZ& v) {
  return {v.X(), v.Y(), v.Z()};
}

/// Canonical direction of a line: the same for both senses.
Vec3 canonical_direction(Vec3 direction) {
  direction.normalize();
  int largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  return direction(largest) < 0.0 ? Vec3(-direction) : direction;
}

/// A piece of a round face or circle, in millimetres.
struct Arc {
  FeatureKind kind = FeatureKind::kCircle;
  Vec3 foot = Vec3::Zero();  ///< point of the axis nearest to the origin
  Vec3 axis = Vec3::UnitZ();
  double radius = 0.0;
  double begin = 0.0, end = 0.0;  ///< along the axis, from the foot
  double angle = 0.0;
};

bool is_same_axis(const Arc& a, const Arc& b) {
  return a.kind == b.kind && std::abs(a.radius - b.radius) < kSame && (a.axis - b.axis).norm() < kSame &&
         (a.foot - b.foot).norm() < kSame * (1.0 + a.foot.norm()) && a.begin < b.end + kSame &&
         b.begin < a.end + kSame;
}

/// CAD programs split round faces and circles in two; merges them.
class Arcs {
 public:
  void add(Arc arc) {
    arc.axis = canonical_direction(arc.axis);
    arc.foot -= arc.foot.dot(arc.axis) * arc.axis;
    const long bucket = std::lround(arc.radius / (100.0 * kSame));
    std::vector<std::size_t>& alike = by_radius_[bucket];
    for (const std::size_t i : alike) {
      if (!is_same_axis(all_[i], arc)) continue;
      all_[i].begin = std::min(all_[i].begin, arc.begin);
      all_[i].end = std::max(all_[i].end, arc.end);
      all_[i].angle += arc.angle;
      return;
    }
    // Too many features of one radius are useless for a joint and slow to compare.
    constexpr std::size_t kMaxAlike = 2000;
    if (alike.size() == kMaxAlike) return;
    alike.push_back(all_.size());
    all_.push_back(arc);
  }

  void append_to(std::vector<Feature>& features) const {
    // A fillet is not a shaft: a face must span at least half a turn. A circle must be complete.
    constexpr double kHalf = 0.99 * std::numbers::pi, kWhole = 1.99 * std::numbers::pi;
    for (const Arc& arc : all_) {
      if (arc.angle < (arc.kind == FeatureKind::kCircle ? kWhole : kHalf)) continue;
      features.push_back({.kind = arc.kind,
                          .point = kMillimetre * (arc.foot + 0.5 * (arc.begin + arc.end) * arc.axis),
                          .direction = arc.axis,
                          .radius = kMillimetre * arc.radius,
                          .size = kMillimetre * (arc.end - arc.begin)});
    }
  }

 private:
  std::vector<Arc> all_;
  std::map<long, std::vector<std::size_t>> by_radius_;
};

/// An arc about an axis through `center`, with an extent along the axis direction.
Arc make_arc(FeatureKind kind, const gp_Ax1& axis, double radius, double begin, double end, double angle) {
  const Vec3 direction = canonical_direction(vector(axis.Direction().XYZ()));
  const double sign = direction.dot(vector(axis.Direction().XYZ())) < 0.0 ? -1.0 : 1.0;
  const Vec3 center = vector(axis.Location().XYZ());
  const double along = center.dot(direction);
  const auto [low, high] = std::minmax({sign * begin, sign * end});
  return {.kind = kind,
          .foot = center,
          .axis = direction,
          .radius = radius,
          .begin = along + low,
          .end = along + high,
          .angle = angle};
}

void add_cylinder(const TopoDS_Face& face, const BRepAdaptor_Surface& surface, Arcs& arcs) {
  double u1 = 0.0, u2 = 0.0, v1 = 0.0, v2 = 0.0;
  BRepTools::UVBounds(face, u1, u2, v1, v2);
  const gp_Cylinder cylinder = surface.Cylinder();
  // The normal points away from the axis if the frame is right-handed; the face may be reversed.
  const bool looks_out = cylinder.Position().Direct() == (face.Orientation() != TopAbs_REVERSED);
  arcs.add(make_arc(looks_out ? FeatureKind::kCylinder : FeatureKind::kHole, cylinder.Axis(), cylinder.Radius(),
                    v1, v2, std::abs(u2 - u1)));
}

/// The outward normal of a flat face.
Vec3 normal_of(const TopoDS_Face& face, const gp_Pln& plane) {
  const Vec3 normal = vector(plane.Axis().Direction().XYZ());
  return plane.Direct() == (face.Orientation() != TopAbs_REVERSED) ? normal : Vec3(-normal);
}

Feature plane_feature(const TopoDS_Face& face, const Vec3& normal) {
  GProp_GProps properties;
  BRepGProp::SurfaceProperties(face, properties);
  return {.kind = FeatureKind::kPlane,
          .point = kMillimetre * vector(properties.CentreOfMass().XYZ()),
          .direction = normal.normalized(),
          .radius = 0.0,
          .size = kMillimetre * kMillimetre * std::abs(properties.Mass())};
}

/// Points of a face on a grid of its parameters, with outward normals. Some programs write cylinders and planes as
/// splines; they are recognised by these.
struct SampledFace {
  static constexpr int kAcross = 25;  ///< in each direction: 15 degrees of a full turn
  std::vector<Vec3> points, normals;  ///< mm; row by row

  const Vec3& point(int i, int j) const { return points[static_cast<std::size_t>(i * kAcross + j)]; }
};

/// Empty if a normal is undefined somewhere.
std::optional<SampledFace> sample(const TopoDS_Face& face, const BRepAdaptor_Surface& surface) {
  SampledFace sampled;
  double u1 = 0.0, u2 = 0.0, v1 = 0.0, v2 = 0.0;
  BRepTools::UVBounds(face, u1, u2, v1, v2);
  for (int i = 0; i < SampledFace::kAcross; ++i) {
    for (int j = 0; j < SampledFace::kAcross; ++j) {
      gp_Pnt p;
      gp_Vec along_u, along_v;
      constexpr double kLast = SampledFace::kAcross - 1;
      surface.D1(u1 + (u2 - u1) * i / kLast, v1 + (v2 - v1) * j / kLast, p, along_u, along_v);
      const Vec3 normal = vector(along_u.XYZ()).cross(vector(along_v.XYZ()));
      if (!(normal.norm() > 0.0) || !normal.array().isFinite().all()) return std::nullopt;
      sampled.points.push_back(vector(p.XYZ()));
      sampled.normals.push_back(face.Orientation() == TopAbs_REVERSED ? Vec3(-normal.normalized())
                                                                      : normal.normalized());
    }
  }
  return sampled;
}

/// Maximum deviation of a spline from the shape that it stands for: of a length, mm, and of a unit vector.
constexpr double kSplineDeviation = 1e-3;

std::optional<Vec3> find_plane_normal(const SampledFace& face) {
  const Vec3& normal = face.normals.front();
  for (std::size_t i = 0; i < face.points.size(); ++i) {
    if ((face.normals[i] - normal).norm() > kSplineDeviation ||
        std::abs((face.points[i] - face.points[0]).dot(normal)) > kSplineDeviation) {
      return std::nullopt;
    }
  }
  return normal;
}

/// The cylinder of a face whose normals are all perpendicular to an axis and whose points are all on a circle
/// around it.
std::optional<Arc> find_cylinder(const SampledFace& face) {
  Mat3 spread = Mat3::Zero();
  for (const Vec3& normal : face.normals) spread += normal * normal.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(spread);
  const Vec3 axis = solver.eigenvectors().col(0), x = solver.eigenvectors().col(1), y = axis.cross(x);
  // Circle through the projected points, by least squares: p.p = 2 c.p + (r^2 - c.c).
  const Vec3 origin = face.points.front();
  Mat3 sums = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (const Vec3& point : face.points) {
    const Vec3 row((point - origin).dot(x), (point - origin).dot(y), 1.0);
    sums += row * row.transpose();
    right += row.head<2>().squaredNorm() * row;
  }
  const Vec3 solution = sums.ldlt().solve(right);
  const double cx = 0.5 * solution.x(), cy = 0.5 * solution.y();
  const double radius = std::sqrt(std::max(solution.z() + cx * cx + cy * cy, 0.0));
  if (!std::isfinite(radius)) return std::nullopt;
  const Vec3 center = origin + cx * x + cy * y;
  const auto outwards = [&](const Vec3& point) {
    const Vec3 out = point - center;
    return Vec3(out - out.dot(axis) * axis);
  };
  double begin = 0.0, end = 0.0;
  const bool is_hole = outwards(face.points[0]).dot(face.normals[0]) < 0.0;
  for (std::size_t i = 0; i < face.points.size(); ++i) {
    const Vec3 out = outwards(face.points[i]);
    const double along = (face.points[i] - center).dot(axis);
    begin = i == 0 ? along : std::min(begin, along);
    end = i == 0 ? along : std::max(end, along);
    const Vec3 expected = (is_hole ? -1.0 : 1.0) * face.normals[i];
    // Approximating splines have larger deviations of their normals than of their points.
    if (std::abs(out.norm() - radius) > kSplineDeviation || (out.normalized() - expected).norm() > 0.05)
      return std::nullopt;
  }
  // One direction of the parameters goes around the axis.
  double around_u = 0.0, around_v = 0.0;
  const auto angle = [&](const Vec3& a, const Vec3& b) {
    const Vec3 from = outwards(a), to = outwards(b);
    return std::atan2(axis.dot(from.cross(to)), from.dot(to));
  };
  for (int i = 1; i < SampledFace::kAcross; ++i) {
    around_u += angle(face.point(i - 1, 0), face.point(i, 0));
    around_v += angle(face.point(0, i - 1), face.point(0, i));
  }
  const gp_Ax1 line(gp_Pnt(center.x(), center.y(), center.z()), gp_Dir(axis.x(), axis.y(), axis.z()));
  return make_arc(is_hole ? FeatureKind::kHole : FeatureKind::kCylinder, line, radius, begin, end,
                  std::max(std::abs(around_u), std::abs(around_v)));
}

void add_spline(const TopoDS_Face& face, const BRepAdaptor_Surface& surface, Arcs& arcs,
                std::vector<Feature>& features) {
  const auto sampled = sample(face, surface);
  if (!sampled) return;
  if (const auto normal = find_plane_normal(*sampled)) {
    features.push_back(plane_feature(face, *normal));
  } else if (const auto cylinder = find_cylinder(*sampled)) {
    arcs.add(*cylinder);
  }
}

void add_edge(const TopoDS_Edge& edge, Arcs& arcs, std::vector<Feature>& features) {
  if (BRep_Tool::Degenerated(edge)) return;
  const BRepAdaptor_Curve curve(edge);
  const double first = curve.FirstParameter(), last = curve.LastParameter();
  if (curve.GetType() == GeomAbs_Circle) {
    const gp_Circ circle = curve.Circle();
    arcs.add(make_arc(FeatureKind::kCircle, circle.Axis(), circle.Radius(), 0.0, 0.0, std::abs(last - first)));
  } else if (curve.GetType() == GeomAbs_Line && std::isfinite(last - first)) {
    const Vec3 a = vector(curve.Value(first).XYZ()), b = vector(curve.Value(last).XYZ());
    if ((b - a).norm() < kSame) return;
    features.push_back({.kind = FeatureKind::kEdge,
                        .point = kMillimetre * 0.5 * (a + b),
                        .direction = canonical_direction(b - a),
                        .radius = 0.0,
                        .size = kMillimetre * (b - a).norm()});
  }
}

bool is_sound(const Feature& feature) {
  return feature.point.array().isFinite().all() && feature.direction.array().isFinite().all() &&
         std::isfinite(feature.radius) && std::isfinite(feature.size);
}

auto rank(const Feature& feature) {
  return std::tuple(feature.kind, -feature.size, -feature.radius, feature.point.x(), feature.point.y(),
                    feature.point.z());
}

}  // namespace

std::vector<Feature> find_features(const TopoDS_Shape& shape) {
  std::vector<Feature> features;
  Arcs arcs;
  TopTools_MapOfShape seams;  // where a round face meets itself: not a real edge
  for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
    const TopoDS_Face face = TopoDS::Face(at.Current());
    for (TopExp_Explorer side(face, TopAbs_EDGE); side.More(); side.Next()) {
      if (BRep_Tool::IsClosed(TopoDS::Edge(side.Current()), face)) seams.Add(side.Current());
    }
    const BRepAdaptor_Surface surface(face);
    if (surface.GetType() == GeomAbs_Cylinder) add_cylinder(face, surface, arcs);
    if (surface.GetType() == GeomAbs_Plane)
      features.push_back(plane_feature(face, normal_of(face, surface.Plane())));
    if (surface.GetType() == GeomAbs_BSplineSurface || surface.GetType() == GeomAbs_BezierSurface)
      add_spline(face, surface, arcs, features);
  }
  // An edge belongs to two faces; count it once.
  TopTools_IndexedMapOfShape edges;
  TopExp::MapShapes(shape, TopAbs_EDGE, edges);
  for (int i = 1; i <= edges.Extent(); ++i) {
    if (!seams.Contains(edges(i))) add_edge(TopoDS::Edge(edges(i)), arcs, features);
  }
  arcs.append_to(features);
  std::erase_if(features, [](const Feature& feature) { return !is_sound(feature); });
  std::stable_sort(features.begin(), features.end(),
                   [](const Feature& a, const Feature& b) { return rank(a) < rank(b); });
  if (features.size() > kMaxFeatures) features.resize(kMaxFeatures);
  return features;
}

}  // namespace lockstep
