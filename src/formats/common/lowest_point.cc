#include "formats/common/lowest_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/overloaded.h"

namespace lockstep {

double calc_lowest_point(const Geometry& geometry, const Mesh* mesh, const Pose& X_WS) {
  const Vec3 up = X_WS.q.conjugate() * Vec3::UnitZ();  // in the axes of the shape
  return std::visit(
      Overloaded{
          [&](const Box& box) { return X_WS.p.z() - 0.5 * up.cwiseAbs().dot(box.size); },
          [&](const Sphere& sphere) { return X_WS.p.z() - sphere.radius; },
          [&](const Capsule& c) { return X_WS.p.z() - 0.5 * c.length * std::abs(up.z()) - c.radius; },
          [&](const Cylinder& c) {
            return X_WS.p.z() - 0.5 * c.length * std::abs(up.z()) - c.radius * std::hypot(up.x(), up.y());
          },
          [&](const MeshFile& file) {
            double lowest = std::numeric_limits<double>::infinity();
            if (mesh == nullptr) return lowest;
            for (const Vec3& vertex : mesh->vertices)
              lowest = std::min(lowest, (X_WS * Vec3(vertex.cwiseProduct(file.scale))).z());
            return lowest;
          },
      },
      geometry);
}

}  // namespace lockstep
