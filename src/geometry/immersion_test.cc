#include "geometry/immersion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/mass.h"
#include "geometry/test_shapes.h"

namespace lockstep {
namespace {

constexpr double kRounding = 1e-13;

Pose at(double x, double y, double z, const Quat& q = Quat::Identity()) {
  return {Vec3(x, y, z), q};
}

TEST(Immersion, AFloatingBoxDisplacesItsDraft) {
  const Immersion wet = calc_immersion(Box{Vec3(2, 3, 1)}, at(5, 6, 7.2), 7.0);  // 0.3 m deep
  EXPECT_NEAR(wet.volume, 2 * 3 * 0.3, kRounding);
  EXPECT_NEAR((wet.center - Vec3(5, 6, 6.85)).norm(), 0.0, kRounding);
}

TEST(Immersion, HalfASphereUnderWaterHasItsCentreThreeEighthsDown) {
  const Immersion wet = calc_immersion(Sphere{2.0}, at(1, 2, 3), 3.0);
  EXPECT_NEAR(wet.volume, 2.0 / 3.0 * std::numbers::pi * 8.0, 1e-12);
  EXPECT_NEAR((wet.center - Vec3(1, 2, 3 - 0.75)).norm(), 0.0, kRounding);
}

TEST(Immersion, ASphericalCapIsThatOfArchimedes) {
  const double r = 1.0, h = 0.25;
  const Immersion wet = calc_immersion(Sphere{r}, at(0, 0, 0), h - r);
  EXPECT_NEAR(wet.volume, std::numbers::pi * h * h * (3 * r - h) / 3.0, kRounding);
  EXPECT_NEAR(wet.center.z(), -0.75 * (2 * r - h) * (2 * r - h) / (3 * r - h), kRounding);
}

TEST(Immersion, ABoxRotatedByFortyFiveDegreesImmersesATriangle) {
  const double depth = 0.2, length = 3.0;
  const Quat q(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()));
  const double bottom = -std::sqrt(0.5);
  const Immersion wet = calc_immersion(Box{Vec3(length, 1, 1)}, at(0, 0, 0, q), bottom + depth);
  EXPECT_NEAR(wet.volume, length * depth * depth, kRounding);
  EXPECT_NEAR((wet.center - Vec3(0, 0, bottom + 2.0 / 3.0 * depth)).norm(), 0.0, kRounding);
}

TEST(Immersion, ACubeOnItsCornerImmersesATetrahedron) {
  const Quat q = rotation_between(Vec3(1, 1, 1), Vec3::UnitZ());
  const double depth = 0.3;
  const Immersion wet = calc_immersion(Box{Vec3(1, 1, 1)}, at(0, 0, 0, q), depth - 0.5 * std::sqrt(3.0));
  EXPECT_NEAR(wet.volume, std::sqrt(3.0) / 2.0 * depth * depth * depth, kRounding);
  EXPECT_NEAR(wet.center.z(), 0.75 * depth - 0.5 * std::sqrt(3.0), kRounding);
}

TEST(Immersion, TheFirstContactOfACornerIsSmallAndNearTheCorner) {
  const Quat q = rotation_between(Vec3(1, 1, 1), Vec3::UnitZ());
  const double bottom = -0.5 * std::sqrt(3.0);
  for (double depth = 1e-18; depth < 1e-3; depth *= 2.0) {
    const Immersion wet = calc_immersion(Box{Vec3(1, 1, 1)}, at(0, 0, 0, q), bottom + depth);
    EXPECT_NEAR(wet.volume, std::sqrt(3.0) / 2.0 * depth * depth * depth, 1e-15 * depth) << depth;
    if (wet.volume > 0.0 && depth > 1e-9) {
      EXPECT_NEAR((wet.center - Vec3(0, 0, bottom)).norm(), 0.0, depth) << depth;
    }
    EXPECT_TRUE(wet.center.array().isFinite().all());
  }
}

TEST(Immersion, OfATiltedBoxAgreesWithMonteCarloSampling) {
  Random random(1, "tilted box");
  const Box box{Vec3(1.0, 0.6, 0.3)};
  constexpr int kPoints = 40'000;
  for (int i = 0; i < 10; ++i) {
    const Pose X_WS = at(0, 0, 0, random_rotation(random));
    const double level = 0.2 * (random.uniform() - 0.5);
    const Immersion wet = calc_immersion(box, X_WS, level);
    int below = 0;
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < kPoints; ++k) {
      const Vec3 unit(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5);
      const Vec3 point = X_WS * Vec3(unit.cwiseProduct(box.size));
      if (point.z() >= level) continue;
      ++below;
      sum += point;
    }
    constexpr double kFiveSigma = 5.0 * 0.5 / 200.0;  // of a fraction from kPoints trials
    EXPECT_NEAR(wet.volume / box.size.prod(), below / static_cast<double>(kPoints), kFiveSigma);
    EXPECT_NEAR((wet.center - sum / below).norm(), 0.0, kFiveSigma);
  }
}

TEST(Immersion, WetAndDryVolumeAddUp) {
  Random random(1, "halves");
  const Box box{Vec3(1.0, 0.6, 0.3)};
  for (int i = 0; i < 1000; ++i) {
    const Pose up = at(0.1, -0.2, 0.5 * random.normal(), random_rotation(random));
    const Pose turned = Pose{Vec3::Zero(), Quat(0, 1, 0, 0)} * up;  // water above becomes water below
    const Immersion wet = calc_immersion(box, up, 0.0);
    const Immersion dry = calc_immersion(box, turned, 0.0);
    EXPECT_NEAR(wet.volume + dry.volume, box.size.prod(), kRounding);
  }
}

TEST(Immersion, AMeshOfABoxIsTheBox) {
  Random random(1, "mesh of a box");
  const Box box{Vec3(1.0, 0.6, 0.3)};
  const Mesh mesh = make_box_mesh(box);
  for (int i = 0; i < 1000; ++i) {
    const Pose X_WS = at(3, -2, 0.3 * random.normal(), random_rotation(random));
    const Immersion a = calc_immersion(box, X_WS, 0.1);
    const Immersion b = calc_immersion(mesh, X_WS, 0.1);
    EXPECT_NEAR(a.volume, b.volume, kRounding);
    EXPECT_NEAR((a.volume * a.center - b.volume * b.center).norm(), 0.0, kRounding);
  }
}

TEST(Immersion, OfAConcaveMeshIsExact) {
  // A ring lying flat, sunk to its middle, has half its volume under water, evenly around.
  const Mesh torus = make_torus(1.0, 0.3, 32, 16);
  const Immersion wet = calc_immersion(torus, at(4, 5, 6), 6.0);
  EXPECT_NEAR(wet.volume, 0.5 * unit_mass(torus).mass, kRounding);
  EXPECT_NEAR((wet.center.head<2>() - Eigen::Vector2d(4, 5)).norm(), 0.0, kRounding);
}

TEST(Immersion, IsZeroFarAboveAndTheWholeVolumeFarBelow) {
  const Quat q(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const Mesh mesh = make_box_mesh(Box{}, Vec3(3, 2, 1));
  const auto check = [&](const auto& shape, const Vec3& center_S) {
    EXPECT_EQ(calc_immersion(shape, at(0, 0, 1e4, q), 0.0).volume, 0.0);
    const Pose deep = at(0, 0, -1e4, q);
    const Immersion wet = calc_immersion(shape, deep, 0.0);
    EXPECT_NEAR(wet.volume, unit_mass(shape).mass, kRounding);
    EXPECT_NEAR((wet.center - deep * center_S).norm(), 0.0, 1e-11);
  };
  check(Box{}, Vec3::Zero());
  check(Sphere{}, Vec3::Zero());
  check(Capsule{}, Vec3::Zero());
  check(Cylinder{}, Vec3::Zero());
  check(mesh, Vec3(3, 2, 1));
}

TEST(Immersion, GrowsContinuously) {
  Random random(1, "jumps");
  const Capsule capsule{0.3, 0.8};
  for (int i = 0; i < 5; ++i) {
    const Quat q = random_rotation(random);
    double last = 0.0;
    constexpr double kStep = 5e-3;
    for (double level = -1.0; level <= 1.0; level += kStep) {
      const double volume = calc_immersion(capsule, at(0, 0, 0, q), level).volume;
      EXPECT_GE(volume, last - kRounding);
      EXPECT_LE(volume - last, 0.9 * kStep);  // no cut through it has 0.9 m^2
      last = volume;
    }
  }
}

/// The exact answer for a body of revolution, by slicing it across its axis: each slice is a disc, and its wet
/// part a circular segment.
template <typename RadiusAt>
Immersion slice(RadiusAt radius_at, double half_length, const Pose& X_WS, double level) {
  constexpr int kSlices = 1000;
  const Vec3 up = X_WS.q.conjugate() * Vec3::UnitZ();
  const double slope = up.head<2>().norm();
  Immersion wet;
  Vec3 moment = Vec3::Zero();
  for (int i = 0; i < kSlices; ++i) {
    const double z = half_length * (2.0 * (i + 0.5) / kSlices - 1.0);
    const double r = radius_at(z);
    const double edge = (level - X_WS.p.z() - up.z() * z) / slope;  // of the water, along the slope of the disc
    const double u = std::clamp(edge / r, -1.0, 1.0);
    const double thickness = 2.0 * half_length / kSlices;
    const double volume = thickness * r * r * (std::numbers::pi - std::acos(u) + u * std::sqrt(1.0 - u * u));
    const double along = -thickness * 2.0 / 3.0 * r * r * r * std::pow(1.0 - u * u, 1.5);
    wet.volume += volume;
    moment += Vec3(along * up.x() / slope, along * up.y() / slope, volume * z);
  }
  wet.center = X_WS * Vec3(moment / wet.volume);
  return wet;
}

// The bound that immersion.h states, and the same for the torque about the middle in units of volume times
// size.
constexpr double kRevolvedError = 0.01;

TEST(Immersion, OfACapsuleIsWithinAPercentInManyPoses) {
  Random random(1, "capsule");
  for (int i = 0; i < 300; ++i) {
    const Capsule capsule{0.1 + random.uniform(), 2.0 * random.uniform()};
    const double r = capsule.radius, half = 0.5 * capsule.length;
    const Pose X_WS = at(1, 2, (r + half) * 2.0 * (random.uniform() - 0.5), random_rotation(random));
    const auto radius_at = [&](double z) {
      const double over = std::max(0.0, std::abs(z) - half);
      return std::sqrt(r * r - over * over);
    };
    const Immersion exact = slice(radius_at, half + r, X_WS, 0.0);
    const Immersion wet = calc_immersion(capsule, X_WS, 0.0);
    const double whole = unit_mass(capsule).mass;
    EXPECT_NEAR(wet.volume, exact.volume, kRevolvedError * whole);
    if (wet.volume == 0.0 || exact.volume == 0.0) continue;
    const Vec3 error = wet.volume * (wet.center - X_WS.p) - exact.volume * (exact.center - X_WS.p);
    EXPECT_LT(error.norm(), kRevolvedError * whole * (r + half));
  }
}

TEST(Immersion, OfACylinderIsWithinAPercentInManyPoses) {
  Random random(1, "cylinder");
  for (int i = 0; i < 300; ++i) {
    const Cylinder cylinder{0.1 + random.uniform(), 0.1 + 2.0 * random.uniform()};
    const double r = cylinder.radius, half = 0.5 * cylinder.length;
    const Pose X_WS = at(1, 2, (r + half) * 2.0 * (random.uniform() - 0.5), random_rotation(random));
    const Immersion exact = slice([&](double) { return r; }, half, X_WS, 0.0);
    const Immersion wet = calc_immersion(cylinder, X_WS, 0.0);
    const double whole = unit_mass(cylinder).mass;
    EXPECT_NEAR(wet.volume, exact.volume, kRevolvedError * whole);
    if (wet.volume == 0.0 || exact.volume == 0.0) continue;
    const Vec3 error = wet.volume * (wet.center - X_WS.p) - exact.volume * (exact.center - X_WS.p);
    EXPECT_LT(error.norm(), kRevolvedError * whole * (r + half));
  }
}

TEST(Immersion, AStandingCylinderIsExact) {
  const Immersion wet = calc_immersion(Cylinder{0.5, 2.0}, at(1, 2, 0), -0.4);
  EXPECT_NEAR(wet.volume, std::numbers::pi * 0.25 * 0.6, kRounding);
  EXPECT_NEAR((wet.center - Vec3(1, 2, -0.7)).norm(), 0.0, kRounding);
}

TEST(ProjectedArea, OfABoxIsTheSumOfItsVisibleSides) {
  const Box box{Vec3(1, 2, 3)};
  EXPECT_DOUBLE_EQ(calc_projected_area(box, Vec3::UnitX()), 6.0);
  EXPECT_DOUBLE_EQ(calc_projected_area(box, -Vec3::UnitZ()), 2.0);
  EXPECT_DOUBLE_EQ(calc_projected_area(Box{}, Vec3(1, 1, 1).normalized()), std::sqrt(3.0));  // a hexagon
}

TEST(ProjectedArea, OfRoundShapesIsDiscsAndRectangles) {
  EXPECT_DOUBLE_EQ(calc_projected_area(Sphere{2.0}, Vec3(1, 2, 3).normalized()), 4.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(calc_projected_area(Cylinder{0.5, 2.0}, Vec3::UnitZ()), 0.25 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(calc_projected_area(Cylinder{0.5, 2.0}, Vec3::UnitY()), 2.0);
  EXPECT_DOUBLE_EQ(calc_projected_area(Cylinder{0.5, 2.0}, Vec3(0, 0.6, 0.8)),
                   0.25 * std::numbers::pi * 0.8 + 2.0 * 0.6);
  EXPECT_DOUBLE_EQ(calc_projected_area(Capsule{0.5, 2.0}, Vec3::UnitZ()), 0.25 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(calc_projected_area(Capsule{0.5, 2.0}, Vec3::UnitX()), 0.25 * std::numbers::pi + 2.0);
}

TEST(ProjectedArea, OfAMeshOfABoxIsThatOfTheBox) {
  Random random(1, "shadow");
  const Box box{Vec3(1, 2, 3)};
  const Mesh mesh = make_box_mesh(box);
  for (int i = 0; i < 100; ++i) {
    const Vec3 direction = random_direction(random);
    EXPECT_NEAR(calc_projected_area(mesh, direction), calc_projected_area(box, direction), 1e-12);
  }
}

TEST(ProjectedArea, OverAllDirectionsIsAQuarterOfTheSurface) {
  Random random(1, "Cauchy");
  const Cylinder cylinder{0.5, 2.0};
  constexpr int kDirections = 100'000;
  double sum = 0.0;
  for (int i = 0; i < kDirections; ++i) sum += calc_projected_area(cylinder, random_direction(random));
  const double surface = 2.0 * std::numbers::pi * 0.25 + std::numbers::pi * 2.0;
  EXPECT_NEAR(sum / kDirections, surface / 4.0, 0.01);  // Cauchy's theorem; five sigma of the mean
}

}  // namespace
}  // namespace lockstep
