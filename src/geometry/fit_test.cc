#include "geometry/fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/hull.h"
#include "geometry/mass.h"
#include "geometry/mesh_topology.h"
#include "geometry/shape_distance.h"
#include "geometry/tessellate.h"
#include "geometry/test_shapes.h"

namespace lockstep {
namespace {

constexpr double kFine = 1e-4;  // m, deviation of meshes of about 1 m

Mesh placed(Mesh mesh, const Pose& pose) {
  for (Vec3& vertex : mesh.vertices) vertex = pose * vertex;
  return mesh;
}

Mesh joined(Mesh a, const Mesh& b) {
  const auto first = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& face : b.faces) a.faces.push_back({face[0] + first, face[1] + first, face[2] + first});
  return a;
}

Pose skew(Random& random) {
  return {random_direction(random) * 3.0, random_rotation(random)};
}

TEST(Fit, RecoversARotatedBox) {
  Random random(1, "fit");
  for (int i = 0; i < 10; ++i) {
    const Pose pose = skew(random);
    const FittedShape fit = fit_box(placed(tessellated(Box{{0.3, 0.5, 0.9}}), pose));
    Vec3 size = std::get<Box>(fit.geometry).size;
    std::sort(size.begin(), size.end());
    EXPECT_LT((size - Vec3(0.3, 0.5, 0.9)).norm(), 1e-9);
    EXPECT_LT((fit.pose.p - pose.p).norm(), 1e-9);
  }
}

TEST(Fit, RecoversASphere) {
  const FittedShape fit =
      fit_sphere(placed(tessellated(Sphere{0.4}, kFine), {Vec3(1, 2, 3), Quat::Identity()}));
  EXPECT_NEAR(std::get<Sphere>(fit.geometry).radius, 0.4, 1e-9);
  EXPECT_LT((fit.pose.p - Vec3(1, 2, 3)).norm(), 1e-6);
}

TEST(Fit, RecoversARotatedCylinder) {
  Random random(2, "fit");
  for (int i = 0; i < 5; ++i) {
    const Pose pose = skew(random);
    const FittedShape fit = fit_cylinder(placed(tessellated(Cylinder{0.2, 0.9}, 1e-3), pose));
    EXPECT_NEAR(std::get<Cylinder>(fit.geometry).radius, 0.2, 1e-6);
    EXPECT_NEAR(std::get<Cylinder>(fit.geometry).length, 0.9, 1e-6);
    EXPECT_NEAR(std::abs((fit.pose.q * Vec3::UnitZ()).dot(pose.q * Vec3::UnitZ())), 1.0, 1e-9);
  }
}

TEST(Fit, RecoversARotatedCapsule) {
  Random random(3, "fit");
  for (int i = 0; i < 5; ++i) {
    const Pose pose = skew(random);
    const FittedShape fit = fit_capsule(placed(tessellated(Capsule{0.2, 0.6}, 1e-3), pose));
    EXPECT_NEAR(std::get<Capsule>(fit.geometry).radius, 0.2, 1e-4);
    EXPECT_NEAR(std::get<Capsule>(fit.geometry).length, 0.6, 1e-3);
    EXPECT_LT((fit.pose.p - pose.p).norm(), 1e-3);
  }
}

TEST(Fit, ContainsEveryVertex) {
  Random random(4, "fit");
  for (int i = 0; i < 20; ++i) {
    Mesh cloud;
    for (int v = 0; v < 60; ++v)
      cloud.vertices.push_back(Vec3(random.normal(), 2 * random.normal(), 0.3 * random.normal()));
    cloud.faces = {{0, 1, 2}};
    for (const FittedShape& fit :
         {fit_box(cloud), fit_sphere(cloud), fit_capsule(cloud), fit_cylinder(cloud), fit_hull(cloud)}) {
      const ShapeDistance distance(fit);
      for (const Vec3& vertex : cloud.vertices) EXPECT_LT(distance(vertex), 1e-9) << kind_name(fit);
    }
  }
}

TEST(Fit, OfTheBoundingBoxIsTheCapsuleOfIrmss) {
  const FittedShape fit = fit_bounding_capsule(make_box_mesh(Box{{0.2, 1.0, 0.4}}, Vec3(1, 2, 3)));
  EXPECT_NEAR(std::get<Capsule>(fit.geometry).radius, 0.1, 1e-12);
  EXPECT_NEAR(std::get<Capsule>(fit.geometry).length, 0.8, 1e-12);
  EXPECT_LT((fit.pose.p - Vec3(1, 2, 3)).norm(), 1e-12);
  EXPECT_NEAR(std::abs((fit.pose.q * Vec3::UnitZ()).y()), 1.0, 1e-12);
}

TEST(Hull, OfACubeWithPointsInsideIsTheCube) {
  Mesh cube = make_box_mesh(Box{{1, 1, 1}});
  cube.vertices.emplace_back(0.1, 0.2, 0.3);
  const Mesh hull = convex_hull(cube.vertices);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(find_mesh_defect(hull), "");
  EXPECT_NEAR(unit_mass(hull).mass, 1.0, 1e-12);
}

TEST(Hull, OfAFlatPlateALineAndAPointHasASmallVolume) {
  const std::vector<Vec3> plate = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, line = {{0, 0, 0}, {1, 1, 1}},
                          point = {{3, 3, 3}};
  for (const auto& points : {plate, line, point}) EXPECT_EQ(find_mesh_defect(convex_hull(points)), "");
}

TEST(FitError, OfAShapeAndItsOwnMeshIsWithinTheTolerance) {
  const Mesh box = tessellated(Box{{0.3, 0.5, 0.9}});
  const FitError error = make_fit(box, {fit_box(box)}).error;
  EXPECT_LE(error.largest, 1e-2 * calc_size(box));
  EXPECT_NEAR(error.mean, 0.0, 1e-9);
  EXPECT_NEAR(error.volume_ratio, 1.0, 1e-9);
}

TEST(FitError, IsTheDistanceFromACubeToTheSphereAroundIt) {
  const Mesh cube = make_box_mesh(Box{{2, 2, 2}});
  const FitError error = make_fit(cube, {fit_sphere(cube)}).error;
  const double expected = std::sqrt(3.0) - 1.0;  // above the middle of a side
  EXPECT_GE(error.largest, expected);
  EXPECT_LE(error.largest, expected + 1e-2 * calc_size(cube));
  EXPECT_LE(error.outside, 1e-2 * calc_size(cube));
}

TEST(FitError, MeasuresHowFarTheMeshIsOutside) {
  const Mesh rod = make_box_mesh(Box{{0.2, 0.2, 2}});
  const FitError error = make_fit(rod, {{Sphere{0.5}, {}}}).error;
  const double expected = Vec3(0.1, 0.1, 1.0).norm() - 0.5;
  EXPECT_NEAR(error.outside, expected, 1e-2 * calc_size(rod));
}

TEST(FitError, IgnoresSurfacesWhereTwoShapesTouch) {
  const Mesh bar = make_box_mesh(Box{{2, 1, 1}});
  const FittedShape left{Box{{1, 1, 1}}, {Vec3(-0.5, 0, 0), Quat::Identity()}},
      right{Box{{1, 1, 1}}, {Vec3(0.5, 0, 0), Quat::Identity()}};
  const FitError error = make_fit(bar, {left, right}).error;
  EXPECT_LE(error.largest, 1e-2 * calc_size(bar));
  EXPECT_NEAR(error.volume_ratio, 1.0, 0.02);
}

TEST(ChooseShapes, RecognizesPrimitives) {
  Random random(5, "fit");
  const std::vector<std::pair<Mesh, std::string>> cases = {
      {tessellated(Box{{0.3, 0.5, 0.9}}), "box"},
      {tessellated(Sphere{0.4}, 1e-3), "sphere"},
      {tessellated(Capsule{0.2, 0.9}, 1e-3), "capsule"},
      {tessellated(Cylinder{0.5, 0.3}, 1e-3), "cylinder"},
  };
  for (const auto& [mesh, kind] : cases) {
    const Fit fit = choose_shapes(placed(mesh, skew(random)));
    ASSERT_EQ(fit.shapes.size(), 1u) << kind;
    EXPECT_EQ(kind_name(fit.shapes[0]), kind) << fit.text;
  }
}

TEST(ChooseShapes, UsesOneShapePerPieceOfADumbbell) {
  const Mesh dumbbell = joined(tessellated(Sphere{0.2}, 1e-3),
                               placed(tessellated(Sphere{0.2}, 1e-3), {Vec3(2, 0, 0), Quat::Identity()}));
  const Fit fit = choose_shapes(dumbbell);
  ASSERT_EQ(fit.shapes.size(), 2u);
  for (const FittedShape& shape : fit.shapes) EXPECT_EQ(kind_name(shape), "sphere");
  EXPECT_EQ(fit.text.substr(0, 9), "2 spheres");
}

TEST(ChooseShapes, CutsAnAngleIntoTwoBars) {
  // Six corners, extruded: a bar of 1 m with another at its end.
  Mesh angle;
  const std::vector<std::array<double, 2>> outline = {{0, 0}, {1, 0}, {1, 0.2}, {0.2, 0.2}, {0.2, 1}, {0, 1}};
  for (const double z : {0.0, 0.2}) {
    for (const auto& [x, y] : outline) angle.vertices.emplace_back(x, y, z);
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t next = (i + 1) % 6;
    angle.faces.push_back({i, next, next + 6});
    angle.faces.push_back({i, next + 6, i + 6});
  }
  for (const auto& [a, b, c] : {std::array<std::uint32_t, 3>{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}) {
    angle.faces.push_back({a, c, b});
    angle.faces.push_back({a + 6, b + 6, c + 6});
  }
  ASSERT_EQ(find_mesh_defect(angle), "");
  FitOptions one;
  one.max_shapes = 1;
  const Fit cut = choose_shapes(angle), whole = choose_shapes(angle, one);
  EXPECT_GT(cut.shapes.size(), 1u);
  EXPECT_LT(cut.error.largest, 0.5 * whole.error.largest);
  EXPECT_LT(cut.error.volume_ratio, 1.2);
}

TEST(ChooseShapes, GivesTheSameBitsTwice) {
  const Mesh torus = make_torus(0.5, 0.1, 40, 16);
  const Fit a = choose_shapes(torus), b = choose_shapes(torus);
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  EXPECT_EQ(a.error.largest, b.error.largest);
  for (std::size_t i = 0; i < a.shapes.size(); ++i) EXPECT_EQ(a.shapes[i].pose, b.shapes[i].pose);
}

TEST(FitError, TheDistanceOutsideIsNeverMoreThanTheLargestDistance) {
  // Two halves of a bar, which contain it only together.
  const Mesh bar = tessellated(Box{{1.0, 0.1, 0.1}});
  const FittedShape left{Box{{0.5, 0.1, 0.1}}, {{-0.25, 0.0, 0.0}, Quat::Identity()}};
  const FittedShape right{Box{{0.5, 0.1, 0.1}}, {{0.25, 0.0, 0.0}, Quat::Identity()}};
  const FitError error = make_fit(bar, {left, right}).error;
  EXPECT_LE(error.outside, error.largest);
  EXPECT_LE(error.outside, 1e-3 * calc_size(bar));
}

}  // namespace
}  // namespace lockstep
