#include "geometry/mass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/test_shapes.h"

namespace lockstep {
namespace {

// A few hundred additions of doubles.
constexpr double kSumRounding = 1e-13;

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  const double length = std::sqrt(b.inertia.trace() / b.mass);
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_NEAR((a.center - b.center).norm(), 0.0, tolerance * length);
  EXPECT_NEAR((a.inertia - b.inertia).norm(), 0.0, tolerance * b.inertia.norm());
}

TEST(Mass, OfABoxIsTheTextbookOne) {
  const MassProperties body = unit_mass(Box{Vec3(1, 2, 3)});
  EXPECT_DOUBLE_EQ(body.mass, 6.0);
  EXPECT_TRUE(body.inertia.isApprox(Mat3(Vec3(6.5, 5.0, 2.5).asDiagonal())));  // m (b^2 + c^2) / 12 …
}

TEST(Mass, OfASphereIsTheTextbookOne) {
  const MassProperties body = unit_mass(Sphere{2.0});
  EXPECT_DOUBLE_EQ(body.mass, 32.0 / 3.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(body.inertia(0, 0), 0.4 * body.mass * 4.0);
}

TEST(Mass, OfACapsuleWithoutLengthIsThatOfASphere) {
  expect_same(unit_mass(Capsule{0.3, 0.0}), unit_mass(Sphere{0.3}), kSumRounding);
}

TEST(Mass, OfALongThinCylinderIsThatOfARod) {
  const MassProperties body = unit_mass(Cylinder{1e-4, 2.0});
  EXPECT_NEAR(body.inertia(0, 0), body.mass * 4.0 / 12.0, 1e-6 * body.inertia(0, 0));
}

TEST(Mass, OfACapsuleIsThatOfACylinderAndTwoHalfSpheres) {
  const double r = 0.2, l = 0.7;
  // Half a sphere: centre 3/8 r from the flat side, 83/320 m r^2 across.
  const double m = 2.0 / 3.0 * std::numbers::pi * r * r * r;
  const MassProperties half{m, Vec3(0, 0, 0.375 * r),
                            Mat3(Vec3(83.0 / 320.0, 83.0 / 320.0, 0.4).asDiagonal()) * m * r * r};
  const MassProperties top = transformed(half, {Vec3(0, 0, 0.5 * l), Quat::Identity()});
  const MassProperties bottom = transformed(half, {Vec3(0, 0, -0.5 * l), Quat(0, 1, 0, 0)});
  expect_same(unit_mass(Capsule{r, l}), combined(combined(unit_mass(Cylinder{r, l}), top), bottom),
              kSumRounding);
}

TEST(MeshMass, OfABoxIsExact) {
  const Box box{Vec3(1, 2, 3)};
  expect_same(unit_mass(make_box_mesh(box)), unit_mass(box), kSumRounding);
}

TEST(MeshMass, IsAsAccurateFarFromTheOrigin) {
  const Box box{Vec3(0.1, 0.2, 0.3)};
  const Vec3 far(1000, -2000, 500);
  const MassProperties moved = transformed(unit_mass(box), {far, Quat::Identity()});
  // The vertices themselves are rounded to 2e-13 m, that is 2e-12 of the box.
  expect_same(unit_mass(make_box_mesh(box, far)), moved, 1e-11);
}

TEST(MeshMass, OfARotatedBoxIsTheRotatedMass) {
  Random random(1, "rotated box");
  const Box box{Vec3(1, 2, 3)};
  for (int i = 0; i < 20; ++i) {
    const Pose X_AB{random_direction(random), random_rotation(random)};
    Mesh mesh = make_box_mesh(box);
    for (Vec3& vertex : mesh.vertices) vertex = X_AB * vertex;
    expect_same(unit_mass(mesh), transformed(unit_mass(box), X_AB), kSumRounding);
  }
}

TEST(MeshMass, OfATetrahedronIsTheClosedForm) {
  const double a = 1, b = 2, c = 3;
  const MassProperties body = unit_mass(make_corner_tetrahedron(a, b, c));
  const double m = a * b * c / 6.0;
  Mat3 inertia;  // integrals over the corner: x^2 -> a^2 m / 10, x y -> a b m / 20, then Steiner
  inertia << 3 * (b * b + c * c), a * b, a * c,  //
      a * b, 3 * (a * a + c * c), b * c,         //
      a * c, b * c, 3 * (a * a + b * b);
  inertia *= m / 80.0;
  expect_same(body, {m, Vec3(a, b, c) / 4.0, inertia}, kSumRounding);
}

TEST(MeshMass, OfATorusHasTheVolumeOfPappusAndTheInertiaOfTheTorus) {
  const double radius = 1.0, tube = 0.3;
  const std::size_t around = 128, across = 64;
  const MassProperties body = unit_mass(make_torus(radius, tube, around, across));
  // A polygon of n corners has this much of its circle's area; both circles of the torus are polygons.
  const auto filled = [](double n) {
    return std::sin(2.0 * std::numbers::pi / n) / (2.0 * std::numbers::pi / n);
  };
  const double volume =
      2.0 * std::numbers::pi * std::numbers::pi * radius * tube * tube * filled(around) * filled(across);
  EXPECT_NEAR(body.mass, volume, 1e-12 * volume);
  EXPECT_NEAR(body.center.norm(), 0.0, 1e-13);
  constexpr double kFacets = 2e-3;  // the polygons' radii of gyration are smaller than the circles' by that
  const double m = body.mass, R2 = radius * radius, r2 = tube * tube;
  EXPECT_NEAR(body.inertia(2, 2), m * (R2 + 0.75 * r2), kFacets * body.inertia(2, 2));
  EXPECT_NEAR(body.inertia(0, 0), m * (0.5 * R2 + 0.625 * r2), kFacets * body.inertia(0, 0));
}

TEST(Combined, TwoHalvesAddUpToTheWhole) {
  const MassProperties half = unit_mass(Box{Vec3(1, 2, 3)});
  const MassProperties left = transformed(half, {Vec3(-0.5, 0, 0), Quat::Identity()});
  const MassProperties right = transformed(half, {Vec3(0.5, 0, 0), Quat::Identity()});
  expect_same(combined(left, right), unit_mass(Box{Vec3(2, 2, 3)}), kSumRounding);
}

TEST(Combined, AnEmptyBodyChangesNothing) {
  const MassProperties box = transformed(unit_mass(Box{}), {Vec3(1, 2, 3), Quat::Identity()});
  expect_same(combined(box, {}), box, kSumRounding);
  EXPECT_EQ(combined({}, {}).mass, 0.0);
  EXPECT_EQ(combined({}, {}).center, Vec3::Zero());
}

TEST(MeshDefect, AClosedMeshHasNone) {
  EXPECT_EQ(find_mesh_defect(make_box_mesh(Box{})), "");
  EXPECT_EQ(find_mesh_defect(make_torus(1.0, 0.3, 16, 8)), "");
  EXPECT_EQ(find_mesh_defect(make_box_mesh(Box{Vec3(1, 1, 1e-6)}, Vec3(10, 10, 10))), "");
}

TEST(MeshDefect, AMissingFaceLeavesItOpen) {
  Mesh mesh = make_box_mesh(Box{});
  mesh.faces.pop_back();
  EXPECT_EQ(find_mesh_defect(mesh), "it is open at 3 edges");
}

TEST(MeshDefect, FindsAFlippedFace) {
  Mesh mesh = make_box_mesh(Box{});
  std::swap(mesh.faces[0][0], mesh.faces[0][1]);
  EXPECT_EQ(find_mesh_defect(mesh), "neighbouring faces have opposite orientations at 3 edges");
}

TEST(MeshDefect, FindsADuplicateFace) {
  Mesh mesh = make_box_mesh(Box{});
  mesh.faces.push_back(mesh.faces[0]);
  EXPECT_EQ(find_mesh_defect(mesh), "more than two faces meet at 3 edges");
}

TEST(MeshDefect, FindsAnInsideOutMesh) {
  Mesh mesh = make_box_mesh(Box{});
  for (auto& face : mesh.faces) std::swap(face[0], face[1]);
  EXPECT_EQ(find_mesh_defect(mesh), "its faces point inwards");
}

TEST(MeshDefect, FindsAFlatMesh) {
  EXPECT_EQ(find_mesh_defect(make_box_mesh(Box{Vec3(1, 1, 0)}, Vec3(1, 2, 3))), "it is flat");
}

TEST(MeshDefect, FindsAnEmptyOrInvalidMesh) {
  EXPECT_EQ(find_mesh_defect({}), "it has no faces");
  Mesh mesh = make_box_mesh(Box{});
  mesh.faces[3][1] = 8;
  EXPECT_EQ(find_mesh_defect(mesh), "a face references vertex 8 of 8");
}

MassProperties body_with(const Vec3& moments) {
  return {1.0, Vec3::Zero(), moments.asDiagonal()};
}

TEST(MassDefect, EveryPrimitiveIsARigidBodyInAnyPose) {
  Random random(1, "defect");
  for (const MassProperties& body :
       {unit_mass(Box{Vec3(1, 1, 1e-3)}), unit_mass(Sphere{}), unit_mass(Capsule{}),
        unit_mass(Cylinder{1e-3, 1.0}), unit_mass(Cylinder{1.0, 1e-3})}) {
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(find_mass_defect(transformed(body, {{}, random_rotation(random)})), "");
  }
}

TEST(MassDefect, TheMassIsPositive) {
  MassProperties body = body_with(Vec3(1, 1, 1));
  body.mass = 0.0;
  EXPECT_EQ(find_mass_defect(body), "the mass is 0; expected more than zero");
  body.mass = std::nan("");
  EXPECT_EQ(find_mass_defect(body), "the mass is nan; expected more than zero");
}

TEST(MassDefect, TheTriangleInequalityHoldsInAnyAxes) {
  EXPECT_EQ(find_mass_defect(body_with(Vec3(1, 1, 3))), "the inertia violates Ixx + Iyy >= Izz (1 + 1 < 3)");
  EXPECT_EQ(find_mass_defect(body_with(Vec3(3, 1, 1))), "the inertia violates Iyy + Izz >= Ixx (1 + 1 < 3)");
  const Quat diagonal(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()));
  EXPECT_EQ(find_mass_defect(transformed(body_with(Vec3(1, 1, 2.5)), {{}, diagonal})),
            "the principal moments of inertia violate A + B >= C (1 + 1 < 2.5)");
}

TEST(MassDefect, AThinPlateWrittenWithSixDigitsIsAllowed) {
  EXPECT_EQ(find_mass_defect(body_with(Vec3(0.333333, 0.333333, 0.666667))), "");
}

TEST(MassDefect, TheInertiaIsFiniteSymmetricAndPositive) {
  MassProperties body = body_with(Vec3(1, 1, 1));
  body.inertia(0, 1) = 0.1;
  EXPECT_EQ(find_mass_defect(body), "the inertia is not symmetric");
  body.inertia(1, 0) = std::nan("");
  EXPECT_EQ(find_mass_defect(body), "the inertia is not finite");
  EXPECT_EQ(find_mass_defect(body_with(Vec3(0, 1, 1))),
            "the inertia is not positive definite: its principal moments are 0, 1 and 1");
  EXPECT_EQ(find_mass_defect(body_with(Vec3::Zero())),
            "the inertia is not positive definite: its principal moments are 0, 0 and 0");
  body = body_with(Vec3(1, 1, 1));
  body.center.x() = INFINITY;
  EXPECT_EQ(find_mass_defect(body), "the centre of mass is not finite");
}

}  // namespace
}  // namespace lockstep
