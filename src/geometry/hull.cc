#include "geometry/hull.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "geometry/mass.h"
#include "geometry/mesh_topology.h"
#include "lockstep/error.h"

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

namespace lockstep {
namespace {

using Face = std::array<std::uint32_t, 3>;

constexpr std::uint32_t kNotOnHull = std::numeric_limits<std::uint32_t>::max();

/// Frees the memory of Qhull.
struct Qhull {
  qhT state{};
  std::FILE* nowhere = std::fopen("/dev/null", "w");  // for its error messages

  Qhull() { qh_zero(&state, nowhere); }
  ~Qhull() {
    qh_freeqhull(&state, !qh_ALL);
    int bytes = 0, blocks = 0;
    qh_memfreeshort(&state, &bytes, &blocks);
    if (nowhere != nullptr) std::fclose(nowhere);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
};

/// How Qhull makes triangles of more than three coplanar points, within rounding.
enum class Coplanar {
  kMerge,   ///< triangulates merged faces; triangles may overlap where many points nearly coincide
  kJoggle,  ///< perturbs the points slightly; nothing has to be merged
};

/// Faces of the hull as point indices. Empty if it is flat.
std::vector<Face> hull_faces(const std::vector<Vec3>& points, Coplanar coplanar) {
  Qhull qhull;
  qhT* qh = &qhull.state;  // the name that Qhull's macros use
  std::vector<double> coordinates;
  for (const Vec3& point : points) coordinates.insert(coordinates.end(), point.data(), point.data() + 3);
  std::string command = coplanar == Coplanar::kMerge ? "qhull Qt Pp" : "qhull QJ Pp";  // Pp: no warnings
  std::FILE* out = qhull.nowhere;
  const int error =
      qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, command.data(), out, out);
  if (error != 0) return {};
  std::vector<Face> faces;
  facetT* facet = nullptr;
  FORALLfacets {
    Face face{};
    std::size_t corners = 0;
    vertexT *vertex = nullptr, **vertexp = nullptr;
    FOREACHvertex_(facet->vertices) {
      if (corners < 3) face[corners] = static_cast<std::uint32_t>(qh_pointid(qh, vertex->point));
      ++corners;
    }
    // Oriented by the neighbours, not by the normal, which slivers do not have.
    if ((facet->toporient ^ qh_ORIENTclock) != 0) std::swap(face[1], face[2]);
    if (corners != 3) return {};
    faces.push_back(face);
  }
  return faces;
}

Vec3 middle(std::span<const Vec3> points) {
  Eigen::AlignedBox3d bounds;
  for (const Vec3& point : points) bounds.extend(point);
  return bounds.center();
}

Mesh compact(const std::vector<Vec3>& points, std::vector<Face> faces) {
  std::vector<std::uint32_t> new_index(points.size(), kNotOnHull);
  Mesh mesh;
  for (Face& face : faces) {
    for (std::uint32_t& corner : face) {
      if (new_index[corner] == kNotOnHull) {
        new_index[corner] = static_cast<std::uint32_t>(mesh.vertices.size());
        mesh.vertices.push_back(points[corner]);
      }
      corner = new_index[corner];
    }
  }
  mesh.faces = std::move(faces);
  return mesh;
}

/// Whether no edge has more than two faces: triangles do not overlap.
bool is_manifold(const Mesh& mesh) {
  bool is_right = true;
  for_each_edge(sorted_sides(mesh),
                [&](std::span<const Side> edge) { is_right = is_right && edge.size() <= 2; });
  return is_right;
}

/// The hull, if Qhull finds one that encloses a volume.
Mesh try_hull(const std::vector<Vec3>& points) {
  for (const Coplanar coplanar : {Coplanar::kMerge, Coplanar::kJoggle}) {
    std::vector<Face> faces = hull_faces(points, coplanar);
    if (faces.empty()) continue;
    Mesh hull = compact(points, std::move(faces));
    if (is_manifold(hull) && find_mesh_defect(hull).empty()) return hull;
  }
  return {};
}

/// Replaces each point by the corners of a small box.
std::vector<Vec3> thickened(const std::vector<Vec3>& points) {
  constexpr double kThickness = 1e-3;  // half, of the size
  constexpr double kMin = 1e-6;        // m
  double size = 0.0;
  const Vec3 center = middle(points);
  for (const Vec3& point : points) size = std::max(size, (point - center).norm());
  const double half = std::max(kThickness * size, kMin);
  std::vector<Vec3> thick;
  for (const Vec3& point : points) {
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 sign((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
      thick.push_back(point + half * sign);
    }
  }
  return thick;
}

}  // namespace

bool is_flat(std::span<const Vec3> points) {
  constexpr double kFlat = 1e-7;  // of the largest extent
  const Vec3 center = middle(points);
  Mat3 spread = Mat3::Zero();
  for (const Vec3& point : points) spread += (point - center) * (point - center).transpose();
  const Vec3 extents = Eigen::SelfAdjointEigenSolver<Mat3>(spread, Eigen::EigenvaluesOnly).eigenvalues();
  return extents[0] <= kFlat * kFlat * extents[2];
}

Mesh convex_hull(std::span<const Vec3> points) {
  LOCKSTEP_CHECK(!points.empty());
  const std::vector<Vec3> all(points.begin(), points.end());
  if (!is_flat(all)) {
    if (Mesh hull = try_hull(all); !hull.faces.empty()) return hull;
  }
  Mesh hull = try_hull(thickened(all));
  LOCKSTEP_CHECK(!hull.faces.empty());
  return hull;
}

}  // namespace lockstep
