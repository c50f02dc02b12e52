#include "geometry/heightmap_writer.h"

#include <gtest/gtest.h>

#include "geometry/heightmap_reader.h"

namespace lockstep {
namespace {

TEST(HeightmapWriter, HeightsOfEightAndSixteenBitReadBackExactly) {
  Heightmap map{2, 3, {}};
  for (const int value : {0, 1, 128, 254, 255, 77}) map.heights.push_back(static_cast<float>(value / 255.0));
  map.heights[4] = static_cast<float>(12345 / 65535.0);
  const std::string png = write_heightmap(map);
  const Heightmap read =
      read_heightmap({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()}, {"test"});
  EXPECT_EQ(read.rows, 2u);
  EXPECT_EQ(read.columns, 3u);
  EXPECT_EQ(read.heights, map.heights);
  EXPECT_EQ(write_heightmap(read), png);
}

}  // namespace
}  // namespace lockstep
