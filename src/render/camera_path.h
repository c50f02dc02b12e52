#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/camera.h"

namespace lockstep {

/// The view of a video as requested by the user; omitted values are chosen so that the whole scene is visible.
struct CameraOptions {
  std::optional<BodyId> follow;    ///< looks at its centre of mass
  std::optional<Vec3> target;      ///< m; not with `follow`
  std::optional<double> distance;  ///< m
  double azimuth = OrbitCamera{}.azimuth;
  double elevation = OrbitCamera{}.elevation;
};

/// Reads texts such as "follow=arm/hand distance=2m azimuth=30deg elevation=20deg target=0,0,0.5m". Throws
/// UserError.
CameraOptions read_camera_options(const std::vector<std::string>& texts, const Model& model);

/// Moves the camera through a video. An automatic view zooms out when something leaves it.
class CameraPath {
 public:
  /// `aspect` is width over height of the images.
  CameraPath(const World& start, const CameraOptions& options, double aspect);

  OrbitCamera look(const World& world);

 private:
  void widen(const World& world);

  CameraOptions options_;
  double aspect_;
  ShapeBounds shapes_;
  Bounds seen_;
  double largest_ = 0.0;  // limit of the size of the view, m
  double distance_ = 0.0;
};

}  // namespace lockstep
