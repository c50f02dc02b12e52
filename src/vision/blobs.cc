#include "vision/blobs.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <tuple>

#include "lockstep/error.h"

namespace lockstep {
namespace {

/// A blob that is smaller than this in both directions is a speck.
constexpr int kSpeck = 3;

/// The bytes that are in a range of numbers: inRange() compares whole numbers.
int lower_byte(double bound) {
  return static_cast<int>(std::ceil(std::clamp(bound, 0.0, 256.0)));
}
int upper_byte(double bound) {
  return static_cast<int>(std::floor(std::clamp(bound, -1.0, 255.0)));
}

}  // namespace

struct BlobFinder::Buffers {
  cv::Mat hsv;
  cv::Mat mask;
  cv::Mat second_mask;
  cv::Mat labels;
  cv::Mat statistics;
  cv::Mat centroids;
};

BlobFinder::BlobFinder() : buffers_(std::make_unique<Buffers>()) {}
BlobFinder::~BlobFinder() = default;

void BlobFinder::look_at(const RgbImage& image) {
  const std::size_t bytes = 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  LOCKSTEP_CHECK(image.width > 0 && image.height > 0 && image.rgb.size() == bytes);
  // OpenCV has no const view of an array; it does not write to the source.
  const cv::Mat rgb(image.height, image.width, CV_8UC3, const_cast<std::uint8_t*>(image.rgb.data()));
  cv::cvtColor(rgb, buffers_->hsv, cv::COLOR_RGB2HSV);
}

std::vector<Blob> BlobFinder::find(const HsvRange& range) {
  Buffers& b = *buffers_;
  const auto mark = [&](double hue_from, double hue_to, cv::Mat& mask) {
    cv::inRange(
        b.hsv,
        cv::Scalar(lower_byte(hue_from), lower_byte(range.saturation_from), lower_byte(range.value_from)),
        cv::Scalar(upper_byte(hue_to), upper_byte(range.saturation_to), upper_byte(range.value_to)), mask);
  };
  if (range.hue_from <= range.hue_to) {
    mark(range.hue_from, range.hue_to, b.mask);
  } else {
    mark(range.hue_from, 255.0, b.mask);
    mark(0.0, range.hue_to, b.second_mask);
    cv::bitwise_or(b.mask, b.second_mask, b.mask);
  }
  constexpr int kByCorners = 8;
  const int labels =
      cv::connectedComponentsWithStats(b.mask, b.labels, b.statistics, b.centroids, kByCorners, CV_32S);
  std::vector<Blob> blobs;
  for (int i = 1; i < labels; ++i) {  // 0 is the background
    const int* row = b.statistics.ptr<int>(i);
    const double* centroid = b.centroids.ptr<double>(i);
    const Blob blob{.left = row[cv::CC_STAT_LEFT],
                    .top = row[cv::CC_STAT_TOP],
                    .width = row[cv::CC_STAT_WIDTH],
                    .height = row[cv::CC_STAT_HEIGHT],
                    .area = row[cv::CC_STAT_AREA],
                    .x = centroid[0] + 0.5,
                    .y = centroid[1] + 0.5};
    if (blob.width >= kSpeck || blob.height >= kSpeck) blobs.push_back(blob);
  }
  std::ranges::sort(blobs, [](const Blob& one, const Blob& other) {
    return std::tuple(-one.area, one.top, one.left, one.x) <
           std::tuple(-other.area, other.top, other.left, other.x);
  });
  return blobs;
}

}  // namespace lockstep
