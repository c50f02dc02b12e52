#include "vision/blobs.h"

#include <gtest/gtest.h>

#include <array>

namespace lockstep {
namespace {

constexpr int kWidth = 40;
constexpr int kHeight = 30;
using Rgb = std::array<std::uint8_t, 3>;
constexpr Rgb kRed = {220, 10, 10}, kPink = {220, 10, 60}, kGreen = {10, 200, 10};

class Canvas {
 public:
  void fill(int left, int top, int width, int height, const Rgb& color) {
    for (int y = top; y < top + height; ++y) {
      for (int x = left; x < left + width; ++x)
        std::copy(color.begin(), color.end(), rgb_.begin() + 3 * (y * kWidth + x));
    }
  }
  std::vector<Blob> find(const HsvRange& range) const {
    BlobFinder finder;
    finder.look_at({kWidth, kHeight, rgb_});
    return finder.find(range);
  }

 private:
  std::vector<std::uint8_t> rgb_ = std::vector<std::uint8_t>(3 * kWidth * kHeight, 240);
};

const HsvRange kReds{.hue_from = 165, .hue_to = 15, .saturation_from = 127, .value_from = 127};
const HsvRange kGreens{.hue_from = 45, .hue_to = 75, .saturation_from = 127, .value_from = 127};

TEST(Blobs, HaveBoxCentroidAreaAndConfidence) {
  Canvas canvas;
  // An L of 10 x 8 pixels without a corner of 6 x 4.
  canvas.fill(5, 7, 10, 8, kGreen);
  canvas.fill(9, 7, 6, 4, {240, 240, 240});
  const std::vector<Blob> blobs = canvas.find(kGreens);
  ASSERT_EQ(blobs.size(), 1u);
  const Blob& blob = blobs[0];
  EXPECT_EQ(blob.left, 5);
  EXPECT_EQ(blob.top, 7);
  EXPECT_EQ(blob.width, 10);
  EXPECT_EQ(blob.height, 8);
  EXPECT_EQ(blob.area, 56);
  EXPECT_NEAR(blob.x, (80 * 10.0 - 24 * 12.0) / 56, 1e-12);
  EXPECT_NEAR(blob.y, (80 * 11.0 - 24 * 9.0) / 56, 1e-12);
  EXPECT_DOUBLE_EQ(blob.confidence(), 56.0 / 80.0);
}

TEST(Blobs, AreInDescendingOrderOfArea) {
  Canvas canvas;
  canvas.fill(2, 2, 4, 4, kRed);
  canvas.fill(20, 2, 6, 6, kRed);
  canvas.fill(2, 20, 5, 5, kRed);
  const std::vector<Blob> blobs = canvas.find(kReds);
  ASSERT_EQ(blobs.size(), 3u);
  EXPECT_EQ(blobs[0].area, 36);
  EXPECT_EQ(blobs[1].area, 25);
  EXPECT_EQ(blobs[2].area, 16);
}

TEST(Blobs, ARangeOfHuesMayWrapThroughRed) {
  Canvas canvas;
  canvas.fill(2, 2, 5, 10, kRed);     // hue 0
  canvas.fill(7, 2, 5, 10, kPink);    // hue 173
  canvas.fill(20, 2, 5, 10, kGreen);  // hue 60
  const std::vector<Blob> blobs = canvas.find(kReds);
  ASSERT_EQ(blobs.size(), 1u);
  EXPECT_EQ(blobs[0].area, 100);
}

TEST(Blobs, SpecksAreIgnored) {
  Canvas canvas;
  canvas.fill(2, 2, 2, 2, kRed);
  canvas.fill(10, 2, 3, 1, kRed);
  const std::vector<Blob> blobs = canvas.find(kReds);
  ASSERT_EQ(blobs.size(), 1u);
  EXPECT_EQ(blobs[0].width, 3);
}

TEST(Blobs, PixelsThatTouchByACornerAreOneBlob) {
  Canvas canvas;
  canvas.fill(2, 2, 4, 4, kRed);
  canvas.fill(6, 6, 4, 4, kRed);
  EXPECT_EQ(canvas.find(kReds).size(), 1u);
}

TEST(Blobs, AnEmptyRangeFindsNothing) {
  Canvas canvas;
  canvas.fill(2, 2, 8, 8, kRed);
  EXPECT_TRUE(canvas.find({.saturation_from = 200, .saturation_to = 100}).empty());
  EXPECT_TRUE(canvas.find({.value_from = 1e300, .value_to = -1e300}).empty());
}

}  // namespace
}  // namespace lockstep
