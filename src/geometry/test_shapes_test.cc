#include "geometry/test_shapes.h"

#include <cmath>
#include <numbers>

namespace lockstep {

Mesh make_box_mesh(const Box& box, const Vec3& center) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5);
    mesh.vertices.push_back(center + sign.cwiseProduct(box.size));
  }
  mesh.faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

Mesh make_corner_tetrahedron(double a, double b, double c) {
  return {{Vec3::Zero(), Vec3(a, 0, 0), Vec3(0, b, 0), Vec3(0, 0, c)},
          {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

Mesh make_torus(double radius, double tube, std::size_t around, std::size_t across) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  Mesh mesh;
  const auto index = [&](std::size_t i, std::size_t j) {
    return static_cast<std::uint32_t>((i % around) * across + j % across);
  };
  for (std::size_t i = 0; i < around; ++i) {
    const double u = kTurn * static_cast<double>(i) / static_cast<double>(around);
    for (std::size_t j = 0; j < across; ++j) {
      const double v = kTurn * static_cast<double>(j) / static_cast<double>(across);
      const double rho = radius + tube * std::cos(v);
      mesh.vertices.emplace_back(rho * std::cos(u), rho * std::sin(u), tube * std::sin(v));
      mesh.faces.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
      mesh.faces.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
    }
  }
  return mesh;
}

Quat random_rotation(Random& random) {
  return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}

Vec3 random_direction(Random& random) {
  return Vec3(random.normal(), random.normal(), random.normal()).normalized();
}

}  // namespace lockstep
