#include "geometry/heightmap_reader.h"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lockstep {
namespace {

using Bytes = std::vector<std::uint8_t>;
const Place kTerrainPlace{"terrain.xml", 3, 5};

/// An image to write. `pixels` are the packed rows from the top, as in libpng.
struct PngFile {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  int bits = 8;
  int color = PNG_COLOR_TYPE_GRAY;
  Bytes pixels{};
  bool interlaced = false;
  std::vector<png_color> palette{};
};

Bytes write_png(const PngFile& image) {
  Bytes out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep data, std::size_t size) {
        auto* bytes = static_cast<Bytes*>(png_get_io_ptr(p));
        bytes->insert(bytes->end(), data, data + size);
      },
      nullptr);
  png_set_IHDR(png, info, image.columns, image.rows, image.bits, image.color,
               image.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (!image.palette.empty())
    png_set_PLTE(png, info, image.palette.data(), static_cast<int>(image.palette.size()));
  png_write_info(png, info);
  std::vector<png_bytep> rows(image.rows);
  const std::size_t row_bytes = image.pixels.size() / image.rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = const_cast<png_bytep>(image.pixels.data()) + i * row_bytes;
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

Heightmap round_trip(const PngFile& image) {
  return read_heightmap(write_png(image), kTerrainPlace);
}

std::string error(const Bytes& png) {
  try {
    read_heightmap(png, kTerrainPlace);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Heightmap, TheTopRowOfTheImageIsTheOneWithTheLargestY) {
  const Heightmap map = round_trip({.columns = 3, .rows = 2, .pixels = {0, 51, 102, 153, 204, 255}});
  EXPECT_EQ(map.rows, 2u);
  EXPECT_EQ(map.columns, 3u);
  EXPECT_EQ(map.heights, (std::vector<float>{0.6f, 0.8f, 1.0f, 0.0f, 0.2f, 0.4f}));
}

TEST(Heightmap, SixteenBitsAreKeptInFull) {
  const Heightmap map = round_trip(
      {.columns = 2, .rows = 2, .bits = 16, .pixels = {0x00, 0x01, 0x80, 0x00, 0xFF, 0xFE, 0xFF, 0xFF}});
  EXPECT_EQ(map.heights,
            (std::vector<float>{static_cast<float>(65534.0 / 65535.0), 1.0f, static_cast<float>(1.0 / 65535.0),
                                static_cast<float>(32768.0 / 65535.0)}));
}

TEST(Heightmap, SmallBitDepthsSpanZeroToOne) {
  // Rows of two pixels, the bits of each row in one byte.
  EXPECT_EQ(round_trip({.columns = 2, .rows = 2, .bits = 1, .pixels = {0b01000000, 0b10000000}}).heights,
            (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(round_trip({.columns = 2, .rows = 2, .bits = 2, .pixels = {0b00110000, 0b00010000}}).heights,
            (std::vector<float>{0, 1.0f / 3.0f, 0, 1}));
  EXPECT_EQ(round_trip({.columns = 2, .rows = 2, .bits = 4, .pixels = {0x0F, 0x03}}).heights,
            (std::vector<float>{0, 0.2f, 0, 1}));
}

TEST(Heightmap, ColoursAreConvertedToLuminance) {
  const Heightmap map = round_trip({.columns = 2,
                                    .rows = 2,
                                    .color = PNG_COLOR_TYPE_RGB,
                                    .pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}});
  EXPECT_EQ(map.heights, (std::vector<float>{0.0722f, 1.0f, 0.2126f, 0.7152f}));
}

TEST(Heightmap, GreyStoredAsColourIsTheSameAsGrey) {
  PngFile grey{.columns = 16, .rows = 16};
  PngFile color{.columns = 16, .rows = 16, .color = PNG_COLOR_TYPE_RGB};
  for (int i = 0; i < 256; ++i) {
    grey.pixels.push_back(static_cast<std::uint8_t>(i));
    color.pixels.insert(color.pixels.end(), 3, static_cast<std::uint8_t>(i));
  }
  EXPECT_EQ(round_trip(color).heights, round_trip(grey).heights);
}

TEST(Heightmap, TransparencyIsIgnored) {
  EXPECT_EQ(round_trip({.columns = 2,
                        .rows = 2,
                        .color = PNG_COLOR_TYPE_RGB_ALPHA,
                        .pixels = {255, 255, 255, 0, 0, 0, 0, 0, 51, 51, 51, 9, 0, 0, 0, 255}})
                .heights,
            (std::vector<float>{0.2f, 0, 1, 0}));
  EXPECT_EQ(round_trip({.columns = 2,
                        .rows = 2,
                        .color = PNG_COLOR_TYPE_GRAY_ALPHA,
                        .pixels = {255, 0, 0, 0, 51, 9, 0, 255}})
                .heights,
            (std::vector<float>{0.2f, 0, 1, 0}));
}

TEST(Heightmap, APaletteIsLookedUp) {
  const PngFile image{.columns = 2,
                      .rows = 2,
                      .bits = 4,
                      .color = PNG_COLOR_TYPE_PALETTE,
                      .pixels = {0x01, 0x20},
                      .palette = {{255, 255, 255}, {0, 0, 0}, {0, 255, 0}}};
  EXPECT_EQ(round_trip(image).heights, (std::vector<float>{0.7152f, 1, 1, 0}));
}

TEST(Heightmap, InterlacedImagesAreTheSameInEverySizeAndFormat) {
  for (std::uint32_t columns = 2; columns <= 10; ++columns) {
    for (std::uint32_t rows = 2; rows <= 10; ++rows) {
      for (const int bits : {1, 8, 16}) {
        PngFile image{.columns = columns, .rows = rows, .bits = bits};
        const std::size_t row_bytes = (columns * static_cast<std::size_t>(bits) + 7) / 8;
        for (std::size_t i = 0; i < rows * row_bytes; ++i)
          image.pixels.push_back(static_cast<std::uint8_t>(37 * i + 11));
        const Heightmap plain = round_trip(image);
        image.interlaced = true;
        EXPECT_EQ(round_trip(image).heights, plain.heights)
            << columns << " x " << rows << ", " << bits << " bits";
      }
    }
  }
}

TEST(Heightmap, LessThanTwoByTwoIsAnError) {
  EXPECT_EQ(error(write_png({.columns = 1, .rows = 3, .pixels = {0, 0, 0}})),
            "terrain.xml:3:5: error: heightmap: the image has 1 x 3 pixels; expected at least 2 x 2\n");
}

TEST(Heightmap, EveryTruncationIsAnError) {
  const Bytes whole = write_png({.columns = 3, .rows = 2, .pixels = {0, 51, 102, 153, 204, 255}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "no error")
        << size;
  }
}

TEST(Heightmap, EveryDamagedByteIsAnError) {
  const Bytes whole = write_png({.columns = 3, .rows = 2, .pixels = {0, 51, 102, 153, 204, 255}});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 0x40;
    EXPECT_NE(error(damaged), "no error") << i;
  }
}

TEST(Heightmap, RejectsFilesThatAreNotPng) {
  EXPECT_EQ(error({}), "terrain.xml:3:5: error: heightmap: the file is not a PNG image\n");
  EXPECT_EQ(error(Bytes(100, 'x')), "terrain.xml:3:5: error: heightmap: the file is not a PNG image\n");
}

/// A valid image with another size in its header. The checksum is not updated: the size is rejected first.
Bytes with_claimed_size(std::uint32_t columns, std::uint32_t rows) {
  Bytes png = write_png({.columns = 2, .rows = 2, .pixels = {0, 0, 0, 0}});
  for (unsigned i = 0; i < 4; ++i) {
    png[16 + i] = static_cast<std::uint8_t>(columns >> (24 - 8 * i));
    png[20 + i] = static_cast<std::uint8_t>(rows >> (24 - 8 * i));
  }
  return png;
}

TEST(Heightmap, RejectsAnEnormousImageByItsHeader) {
  EXPECT_EQ(error(with_claimed_size(70000, 60000)),
            "terrain.xml:3:5: error: heightmap: the image has 70000 x 60000 pixels; expected at most 16777216 "
            "in all\n");
  EXPECT_NE(error(with_claimed_size(0xFFFFFFFF, 0xFFFFFFFF)), "no error");
}

TEST(Heightmap, RejectsASizeTooLargeForTheFile) {
  EXPECT_TRUE(error(with_claimed_size(4096, 4096)).ends_with("bytes: it is truncated\n"));
}

TEST(Heightmap, ReadsRealHeightmaps) {
  const std::filesystem::path folder =
      std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "../shared/material/heightmaps";
  if (!std::filesystem::exists(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".png") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    const Heightmap map = read_heightmap(bytes, kTerrainPlace);
    EXPECT_EQ(map.heights.size(), map.rows * map.columns);
    const auto [low, high] = std::minmax_element(map.heights.begin(), map.heights.end());
    EXPECT_GE(*low, 0.0f) << entry.path();
    EXPECT_LE(*high, 1.0f) << entry.path();
    EXPECT_GT(*high - *low, 0.05f) << entry.path();
  }
}

}  // namespace
}  // namespace lockstep
