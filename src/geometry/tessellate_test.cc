#include "geometry/tessellate.h"

#include <gtest/gtest.h>

#include <numbers>

#include "geometry/mass.h"

namespace lockstep {
namespace {

constexpr double kDeviation = 20e-6;

/// The polyhedron is inside, within the deviation: its volume is smaller by at most deviation times surface.
void expect_volume(const Mesh& mesh, double volume, double surface) {
  EXPECT_EQ(find_mesh_defect(mesh), "");
  EXPECT_LT(unit_mass(mesh).mass, volume);
  // Facets of doubly curved surfaces deviate in both directions.
  EXPECT_GT(unit_mass(mesh).mass, volume - 2.0 * kDeviation * surface);
  EXPECT_LT(unit_mass(mesh).center.norm(), 1e-12);
}

TEST(Tessellate, ABoxIsExact) {
  const Mesh mesh = tessellated(Box{{0.1, 0.2, 0.3}});
  EXPECT_EQ(find_mesh_defect(mesh), "");
  EXPECT_EQ(mesh.faces.size(), 12u);
  EXPECT_NEAR(unit_mass(mesh).mass, 0.006, 1e-15);
}

TEST(Tessellate, RoundShapesAreClosedAndHaveTheVolumeOfTheClosedForm) {
  const double pi = std::numbers::pi, r = 0.03, l = 0.05;
  expect_volume(tessellated(Sphere{r}, kDeviation), 4.0 / 3.0 * pi * r * r * r, 4.0 * pi * r * r);
  expect_volume(tessellated(Cylinder{r, l}, kDeviation), pi * r * r * l, 2.0 * pi * r * (r + l));
  expect_volume(tessellated(Capsule{r, l}, kDeviation), pi * r * r * (l + 4.0 / 3.0 * r),
                2.0 * pi * r * (2.0 * r + l));
}

}  // namespace
}  // namespace lockstep
