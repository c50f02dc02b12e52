#include "geometry/stl_writer.h"

#include <gtest/gtest.h>

#include "geometry/mass.h"
#include "geometry/mesh_reader.h"
#include "geometry/tessellate.h"

namespace lockstep {
namespace {

TEST(StlWriter, WhatIsWrittenInMillimetresReadsBackAThousandTimesAsLarge) {
  const std::string bytes = write_stl(tessellated(Box{{0.039, 0.06, 0.05}}), 1000.0, "solid looks like text");
  EXPECT_EQ(bytes.size(), 80u + 4u + 12u * 50u);
  const Mesh read =
      read_mesh({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "part.stl", {"test"});
  EXPECT_EQ(find_mesh_defect(read), "");
  EXPECT_NEAR(unit_mass(read).mass, 39.0 * 60.0 * 50.0, 0.1);  // single precision
}

}  // namespace
}  // namespace lockstep
