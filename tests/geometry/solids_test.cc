#include <gtest/gtest.h>

#include <BRepBuilderAPI_NurbsConvert.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS_Shell.hxx>
#include <TopoDS_Solid.hxx>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numbers>

#include "geometry/mass.h"
#include "geometry/reader/exact_shape.h"
#include "solids_testing.h"

namespace lockstep {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSolidTolerance = 1e-9;  // relative to the largest entry
constexpr double kMeshTolerance = 1e-3;

struct Case {
  const char* name;
  std::function<TopoDS_Shape()> make;  ///< mm
  MassProperties expected;             ///< m, density 1
};

MassProperties placed(const MassProperties& body, const Vec3& p, const Quat& q = Quat::Identity()) {
  return transformed(body, {p, q});
}

/// Mass properties of `body` without `hole`, in the same frame.
MassProperties without(const MassProperties& body, MassProperties hole) {
  hole.mass = -hole.mass;
  hole.inertia = -hole.inertia;
  return combined(body, hole);
}

/// A body of revolution about z.
MassProperties about_z(double volume, double height, double across, double along) {
  return {volume, Vec3(0, 0, height), Vec3(across, across, along).asDiagonal()};
}

MassProperties torus(double R, double r) {
  const double volume = 2.0 * kPi * kPi * R * r * r;
  return about_z(volume, 0.0, volume * (0.5 * R * R + 0.625 * r * r), volume * (R * R + 0.75 * r * r));
}

/// Tip up, base in z = 0.
MassProperties cone(double r, double h) {
  const double volume = kPi * r * r * h / 3.0;
  return about_z(volume, h / 4.0, volume * (0.15 * r * r + 0.0375 * h * h), 0.3 * volume * r * r);
}

/// Flat side in z = 0, round side up.
MassProperties half_ball(double r) {
  const double volume = 2.0 / 3.0 * kPi * r * r * r;
  return about_z(volume, 0.375 * r, volume * 83.0 / 320.0 * r * r, 0.4 * volume * r * r);
}

MassProperties mirrored(MassProperties body) {
  const Mat3 mirror = Vec3(-1, 1, 1).asDiagonal();
  return {body.mass, mirror * body.center, mirror * body.inertia * mirror};
}

Quat turn(const Vec3& axis, double angle) {
  return Quat(Eigen::AngleAxisd(angle, axis.normalized()));
}

std::vector<Case> all_cases() {
  const Vec3 skew(1, 2, 3), far(0.5, -0.7, 1.1);  // m
  const auto box = unit_mass(Box{{0.03, 0.05, 0.07}});
  const auto occ_box = [] { return centred_box(30, 50, 70); };
  const auto cylinder = unit_mass(Cylinder{0.02, 0.08});
  const auto occ_cylinder = [] { return moved_solid(BRepPrimAPI_MakeCylinder(20, 80).Shape(), {0, 0, -40}); };
  const auto occ_ball = [](double r) { return BRepPrimAPI_MakeSphere(r).Shape(); };
  const auto occ_torus = [] { return BRepPrimAPI_MakeTorus(50, 12).Shape(); };
  const auto quarter = turn(skew, 0.7);
  const auto cut = [](const TopoDS_Shape& a, const TopoDS_Shape& b) { return BRepAlgoAPI_Cut(a, b).Shape(); };
  const auto ell = [=] {  // asymmetric: a bar on a bar
    return compound({centred_box(100, 20, 10), moved_solid(centred_box(20, 60, 10), {40, 40, 0})});
  };
  const auto ell_mass = combined(unit_mass(Box{{0.1, 0.02, 0.01}}),
                                 placed(unit_mass(Box{{0.02, 0.06, 0.01}}), {0.04, 0.04, 0.0}));
  return {
      {"box", occ_box, box},
      {"box far away", [=] { return moved_solid(occ_box(), 1e3 * far); }, placed(box, far)},
      {"box turned", [=] { return turned_solid(occ_box(), skew, 0.7); }, placed(box, Vec3::Zero(), quarter)},
      {"thin plate", [] { return centred_box(200, 100, 1); }, unit_mass(Box{{0.2, 0.1, 0.001}})},
      {"long rod", [] { return centred_box(2, 2, 1000); }, unit_mass(Box{{0.002, 0.002, 1.0}})},
      {"cylinder", occ_cylinder, cylinder},
      {"cylinder turned and moved",
       [=] { return moved_solid(turned_solid(occ_cylinder(), skew, 0.7), 1e3 * far); },
       placed(cylinder, far, quarter)},
      {"ball", [=] { return occ_ball(25); }, unit_mass(Sphere{0.025})},
      {"half ball",
       [] { return BRepPrimAPI_MakeSphere(gp_Ax2(gp_Pnt(), gp_Dir(0, 0, 1)), 25, 0.0, kPi / 2).Shape(); },
       half_ball(0.025)},
      {"torus", occ_torus, torus(0.05, 0.012)},
      {"torus turned", [=] { return turned_solid(occ_torus(), skew, 0.7); },
       placed(torus(0.05, 0.012), Vec3::Zero(), quarter)},
      {"cone", [] { return BRepPrimAPI_MakeCone(30, 0, 90).Shape(); }, cone(0.03, 0.09)},
      {"frustum", [] { return BRepPrimAPI_MakeCone(30, 15, 45).Shape(); },
       without(cone(0.03, 0.09), placed(cone(0.015, 0.045), {0, 0, 0.045}))},
      {"hollow box", [=] { return cut(centred_box(60, 60, 60), centred_box(50, 40, 30)); },
       without(unit_mass(Box{{0.06, 0.06, 0.06}}), unit_mass(Box{{0.05, 0.04, 0.03}}))},
      {"hollow ball", [=] { return cut(occ_ball(25), occ_ball(24)); },
       without(unit_mass(Sphere{0.025}), unit_mass(Sphere{0.024}))},
      {"tube",
       [=] {
         return cut(occ_cylinder(), moved_solid(BRepPrimAPI_MakeCylinder(15, 80).Shape(), {0, 0, -40}));
       },
       without(cylinder, unit_mass(Cylinder{0.015, 0.08}))},
      {"plate with a hole off its middle",
       [=] {
         return cut(centred_box(100, 60, 10),
                    moved_solid(BRepPrimAPI_MakeCylinder(12, 10).Shape(), {25, 10, -5}));
       },
       without(unit_mass(Box{{0.1, 0.06, 0.01}}), placed(unit_mass(Cylinder{0.012, 0.01}), {0.025, 0.01, 0}))},
      {"two solids", ell, ell_mass},
      {"two solids mirrored", [=] { return mirrored_solid(ell()); }, mirrored(ell_mass)},
      {"half ball mirrored and turned",
       [=] {
         return mirrored_solid(
             moved_solid(BRepPrimAPI_MakeSphere(gp_Ax2(gp_Pnt(), gp_Dir(0, 0, 1)), 25, 0.0, kPi / 2).Shape(),
                         {10, 20, 30}));
       },
       mirrored(placed(half_ball(0.025), {0.01, 0.02, 0.03}))},
      {"three solids apart",
       [=] {
         return compound({moved_solid(occ_ball(25), {100, 0, 0}), moved_solid(occ_torus(), {0, 0, 80}),
                          moved_solid(occ_cylinder(), {-60, 40, 0})});
       },
       combined(
           combined(placed(unit_mass(Sphere{0.025}), {0.1, 0, 0}), placed(torus(0.05, 0.012), {0, 0, 0.08})),
           placed(cylinder, {-0.06, 0.04, 0}))},
  };
}

void expect_equal(const MassProperties& found, const MassProperties& expected, double size, double tolerance) {
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass);
  EXPECT_LT((found.center - expected.center).norm(), tolerance * size);
  EXPECT_LT((found.inertia - expected.inertia).cwiseAbs().maxCoeff(),
            tolerance * expected.inertia.cwiseAbs().maxCoeff());
}

TEST(SolidMass, IsThatOfTheClosedForm) {
  const std::vector<Case> cases = all_cases();
  ASSERT_GE(cases.size(), 20u);
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const TopoDS_Shape shape = each.make();
    const auto found = calc_solid_mass(shape);
    ASSERT_TRUE(found.has_value());
    // The precision of the centre is relative to its position.
    expect_equal(*found, each.expected, calc_size(shape) + each.expected.center.norm(), kSolidTolerance);
  }
}

TEST(SolidMass, IsThatOfTheClosedFormIfAllSurfacesAreSplines) {
  constexpr double kSplineTolerance = 1e-4;
  for (const Case& each : all_cases()) {
    SCOPED_TRACE(each.name);
    const TopoDS_Shape shape = BRepBuilderAPI_NurbsConvert(each.make()).Shape();
    const auto found = calc_solid_mass(shape);
    ASSERT_TRUE(found.has_value());
    expect_equal(*found, each.expected, calc_size(shape), kSplineTolerance);
  }
}

TEST(SolidMass, OfASolidWithAMissingFaceIsEmpty) {
  BRep_Builder builder;
  TopoDS_Shell shell;
  builder.MakeShell(shell);
  TopExp_Explorer face(centred_box(10, 10, 10), TopAbs_FACE);
  for (face.Next(); face.More(); face.Next()) builder.Add(shell, face.Current());
  TopoDS_Solid solid;
  builder.MakeSolid(solid);
  builder.Add(solid, shell);
  EXPECT_FALSE(calc_solid_mass(solid).has_value());
}

TEST(SolidMesh, IsClosedAndFineOnesHaveTheMassOfTheSolid) {
  // The coarser one still has the mass of the solid and takes a third of the time.
  const double deviation = std::getenv("LOCKSTEP_THOROUGH") != nullptr ? 2e-5 : 4e-5;
  for (const Case& each : all_cases()) {
    SCOPED_TRACE(each.name);
    const TopoDS_Shape shape = each.make();
    const Mesh mesh = triangulate(shape, deviation * calc_size(shape));
    EXPECT_EQ(find_mesh_defect(mesh), "");
    expect_equal(unit_mass(mesh), each.expected, calc_size(shape), kMeshTolerance);
  }
}

TEST(SolidMass, OfASurfaceIsEmpty) {
  const TopoDS_Shape face = TopExp_Explorer(centred_box(10, 10, 10), TopAbs_FACE).Current();
  EXPECT_FALSE(calc_solid_mass(face).has_value());
}

TEST(Features, OfSplinesThatAreCylindersAndPlanesAreFound) {
  const TopoDS_Shape plate =
      BRepAlgoAPI_Cut(centred_box(100, 60, 10),
                      moved_solid(BRepPrimAPI_MakeCylinder(12, 10).Shape(), {25, 10, -5}))
          .Shape();
  const TopoDS_Shape pin = moved_solid(BRepPrimAPI_MakeCylinder(5, 30).Shape(), {0, 0, 40});
  const auto features = find_features(BRepBuilderAPI_NurbsConvert(compound({plate, pin})).Shape());
  const auto of_kind = [&](FeatureKind kind) {
    std::vector<Feature> found;
    std::copy_if(features.begin(), features.end(), std::back_inserter(found),
                 [&](const Feature& feature) { return feature.kind == kind; });
    return found;
  };
  constexpr double kExact = 1e-8;  // m
  const auto holes = of_kind(FeatureKind::kHole), cylinders = of_kind(FeatureKind::kCylinder);
  ASSERT_EQ(holes.size(), 1u);
  EXPECT_LT((holes[0].point - Vec3(0.025, 0.01, 0)).norm(), kExact);
  EXPECT_NEAR(holes[0].radius, 0.012, kExact);
  EXPECT_NEAR(holes[0].size, 0.01, kExact);
  ASSERT_EQ(cylinders.size(), 1u);
  EXPECT_LT((cylinders[0].point - Vec3(0, 0, 0.055)).norm(), kExact);
  EXPECT_LT((cylinders[0].direction - Vec3::UnitZ()).norm(), kExact);
  EXPECT_NEAR(cylinders[0].radius, 0.005, kExact);
  EXPECT_EQ(of_kind(FeatureKind::kPlane).size(), 8u);
  EXPECT_TRUE(std::all_of(features.begin(), features.end(), [](const Feature& feature) {
    return feature.kind != FeatureKind::kPlane || std::abs(feature.point.z()) < 0.02
               ? feature.kind != FeatureKind::kPlane || feature.direction.dot(feature.point) > 0.0
               : true;
  })) << "normals point outwards";
}

TEST(Features, OfOtherSplinesAreNotCylinders) {
  const auto features =
      find_features(BRepBuilderAPI_NurbsConvert(BRepPrimAPI_MakeTorus(50, 12).Shape()).Shape());
  EXPECT_TRUE(std::none_of(features.begin(), features.end(),
                           [](const Feature& feature) { return feature.kind <= FeatureKind::kHole; }));
}

}  // namespace
}  // namespace lockstep
