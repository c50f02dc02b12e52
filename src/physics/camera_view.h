#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/world.h"

/// What a camera sees of a world. A renderer implements it; camera sensors use it.
namespace lockstep {

/// A pinhole camera with square pixels and the optical axis in the middle of the image. A point at (x, y, z) of its
/// frame C, which has x forward, y to the left and z up, is seen at
///
///     column = width / 2 - f y / x,   row = height / 2 - f z / x,   f = (width / 2) / tan(field_of_view / 2)
///
/// in pixels from the left and upper edge of the image.
struct CameraOptics {
  int width = 160;             ///< pixels
  int height = 120;            ///< pixels
  double field_of_view = 1.0;  ///< horizontal, rad
};

/// Draws worlds of one model. It may be used in any thread, but only in one at a time.
class CameraView {
 public:
  virtual ~CameraView() = default;

  /// Writes what a camera at X_WC sees: red, green and blue bytes, row by row from the top. The same world gives the
  /// same bytes, in every process.
  virtual void draw(const World& world, const Pose& X_WC, std::vector<std::uint8_t>& rgb) = 0;
};

/// Makes views; shared by all cameras of a registry.
class CameraViews {
 public:
  virtual ~CameraViews() = default;

  /// A view of worlds of this model, which must outlive it. The reason if this machine cannot draw them.
  virtual Result<std::unique_ptr<CameraView>> open(const Model& model, const CameraOptics& optics) const = 0;
};

}  // namespace lockstep
