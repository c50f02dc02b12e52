#include "geometry/assembly.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/mass.h"
#include "geometry/test_shapes.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

Assembly make_example() {
  Assembly assembly;
  PartShape shape{.mesh = make_box_mesh(Box{{1, 2, 3}}),
                  .exact = unit_mass(Box{{1, 2, 3}}),
                  .is_closed = true,
                  .features = {{.kind = FeatureKind::kHole, .point = {1, 2, 3}, .radius = 0.1, .size = 0.2}}};
  assembly.shapes.push_back(shape);
  assembly.parts.push_back({.name = "arm", .label = "arm"});
  assembly.parts.push_back({.name = "arm/Stößel",
                            .label = "Stößel",
                            .parent = 0,
                            .pose = {{1, 0, 0}, Quat(0.6, 0.8, 0, 0)},
                            .shape = 0,
                            .color = std::array<double, 4>{0.1, 0.2, 0.3, 1.0},
                            .material = "steel",
                            .density = 7850.0});
  assembly.notes.assumed = {"metres"};
  return assembly;
}

TEST(Assembly, ReadsBackUnchanged) {
  const auto bytes = assembly_to_bytes(make_example());
  const Assembly back = assembly_from_bytes(bytes);
  EXPECT_EQ(assembly_to_bytes(back), bytes);
  EXPECT_EQ(back.parts.at(1).label, "Stößel");
  EXPECT_EQ(back.parts.at(1).density, 7850.0);
  EXPECT_EQ(back.shapes.at(0).features.at(0).kind, FeatureKind::kHole);
}

TEST(Assembly, RejectsTruncatedBytes) {
  const auto bytes = assembly_to_bytes(make_example());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW((void)assembly_from_bytes(std::span(bytes).first(size)), StateError) << size;
}

TEST(Assembly, DamagedBytesGiveAnErrorOrAValidAssembly) {
  const auto bytes = assembly_to_bytes(make_example());
  Random random(1, "damage");
  for (int i = 0; i < 20'000; ++i) {
    auto damaged = bytes;
    for (int j = 0; j < 3; ++j)
      damaged[random.bits() % damaged.size()] = static_cast<std::uint8_t>(random.bits());
    try {
      const Assembly read = assembly_from_bytes(damaged);
      for (const PartShape& shape : read.shapes) {
        for (const auto& face : shape.mesh.faces) {
          for (const std::uint32_t corner : face) ASSERT_LT(corner, shape.mesh.vertices.size());
        }
      }
      for (std::size_t p = 0; p < read.parts.size(); ++p) ASSERT_LT(read.parts[p].parent, static_cast<int>(p));
    } catch (const StateError&) {
    }
  }
}

TEST(Assembly, RejectsInvalidAssemblies) {
  const auto rejected = [](auto change) {
    Assembly assembly = make_example();
    change(assembly);
    try {
      (void)assembly_from_bytes(assembly_to_bytes(assembly));
    } catch (const StateError&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(rejected([](Assembly& a) { a.parts[0].parent = 1; }));
  EXPECT_TRUE(rejected([](Assembly& a) { a.parts[1].shape = 1; }));
  EXPECT_TRUE(rejected([](Assembly& a) { a.parts[1].name = "arm"; }));
  EXPECT_TRUE(rejected([](Assembly& a) { a.parts[1].pose.p.x() = std::nan(""); }));
  EXPECT_TRUE(rejected([](Assembly& a) { a.shapes[0].mesh.faces[0][1] = 8; }));
  EXPECT_TRUE(rejected([](Assembly& a) { a.shapes[0].features[0].direction *= 2.0; }));
  EXPECT_FALSE(rejected([](Assembly&) {}));
}

TEST(Assembly, ThePoseOfAPartIncludesItsParents) {
  Assembly assembly = make_example();
  assembly.parts[0].pose = {{0, 0, 5}, Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ()))};
  EXPECT_LT((calc_pose(assembly, 1).p - Vec3(0, 1, 5)).norm(), 1e-12);
}

}  // namespace
}  // namespace lockstep
