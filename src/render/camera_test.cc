#include "render/camera.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep {
namespace {

TEST(Camera, AxesAreRightHandedAndPointAtTheTarget) {
  const OrbitCamera camera{.azimuth = std::numbers::pi / 2.0, .elevation = std::numbers::pi / 6.0};
  const Mat3 axes = calc_camera_axes(camera);
  EXPECT_TRUE((axes.transpose() * axes).isIdentity(1e-12));
  EXPECT_NEAR(axes.determinant(), 1.0, 1e-12);
  // From the target the camera is towards +y, 30 degrees up, and the right of its image is towards -x.
  EXPECT_TRUE(axes.col(2).isApprox(Vec3(0.0, std::sqrt(3.0) / 2.0, 0.5), 1e-12));
  EXPECT_TRUE(axes.col(0).isApprox(-Vec3::UnitX(), 1e-12));
}

TEST(Camera, AFramedBoxIsInsideTheImageAndFillsIt) {
  const Bounds box(Vec3(-1.0, -2.0, 0.0), Vec3(3.0, 2.0, 0.5));
  constexpr double kAspect = 16.0 / 9.0;
  for (const double azimuth : {0.0, 0.7, 2.5, -1.0}) {
    const OrbitCamera camera = framed({.azimuth = azimuth, .elevation = 0.4}, box, kAspect);
    const Mat3 axes = calc_camera_axes(camera);
    double fullest = 0.0;  // 1 is the edge of the image
    for (int i = 0; i < 8; ++i) {
      const Vec3 p = axes.transpose() * (box.corner(static_cast<Bounds::CornerType>(i)) - camera.target);
      const double up = std::tan(kFieldOfView / 2.0) * (camera.distance - p.z());
      ASSERT_GT(up, 0.0);
      fullest = std::max({fullest, std::abs(p.y()) / up, std::abs(p.x()) / (up * kAspect)});
    }
    EXPECT_LT(fullest, 0.95);
    EXPECT_GT(fullest, 0.75);
  }
}

}  // namespace
}  // namespace lockstep
