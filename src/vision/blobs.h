#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// Finding blobs of a color in images.
namespace lockstep {

/// Red, green and blue bytes, row by row from the top. Borrowed.
struct RgbImage {
  int width = 0;
  int height = 0;
  std::span<const std::uint8_t> rgb;
};

/// A box of colors, with both bounds inside.
struct HsvRange {
  double hue_from = 0.0;  ///< 0 to 179: half of the angle in degrees; from > to wraps through 0
  double hue_to = 179.0;
  double saturation_from = 0.0;  ///< 0 to 255
  double saturation_to = 255.0;
  double value_from = 0.0;  ///< 0 to 255
  double value_to = 255.0;
};

/// A connected set of pixels, also by corners. Positions in pixels from the left and upper edge of the image; the centre
/// of the first pixel is at 0.5.
struct Blob {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  int area = 0;    ///< pixels
  double x = 0.0;  ///< centroid
  double y = 0.0;

  double confidence() const { return static_cast<double>(area) / (static_cast<double>(width) * height); }
};

/// Finds the blobs of several ranges in one image; keeps its buffers.
class BlobFinder {
 public:
  BlobFinder();
  ~BlobFinder();
  BlobFinder(const BlobFinder&) = delete;
  BlobFinder& operator=(const BlobFinder&) = delete;

  /// Takes the image; the bytes are not used afterwards.
  void look_at(const RgbImage& image);
  /// In descending order of area; equal ones from the top and the left. Specks that are narrower and lower than 3
  /// pixels are ignored.
  std::vector<Blob> find(const HsvRange& range);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace lockstep
