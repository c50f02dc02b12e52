#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/temporary_folder_testing.h"
#include "geometry/assembly_reader.h"
#include "geometry/mass.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

/// A tetrahedron with edges of 1 at the origin, and a copy moved along y and twice as large.
std::string dae(const std::string& unit, const std::string& up) {
  return fmt::format(R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="u" meter="{}"/><up_axis>{}</up_axis></asset>
  <library_geometries><geometry id="g" name="tetra"><mesh>
    <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s" name="scene">
    <node id="a" name="first"><instance_geometry url="#g"/>
      <node id="b" name="second"><matrix>2 0 0 0 0 2 0 5 0 0 2 0 0 0 0 1</matrix><instance_geometry url="#g"/></node>
    </node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>)",
                     unit, up);
}

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= bytes.size() ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

/// The same tetrahedron: 4 corners, 12 indices.
std::string tetrahedron_buffer() {
  const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::uint16_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  std::string bytes(sizeof corners + sizeof faces, '\0');
  std::memcpy(bytes.data(), corners, sizeof corners);
  std::memcpy(bytes.data() + sizeof corners, faces, sizeof faces);
  return bytes;
}

std::string gltf(const std::string& uri, const std::string& material = "[1, 0.5, 0, 1]") {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"name": "tip", "mesh": 0, "translation": [0, 3, 0]}],
 "materials": [{"name": "paint", "pbrMetallicRoughness": {"baseColorFactor": )" +
         material + R"(}}],
 "meshes": [{"name": "m", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]},
  {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "buffers": [{"byteLength": 72, "uri": ")" +
         uri + R"("}]})";
}

const Part& named(const Assembly& assembly, std::string_view label) {
  for (const Part& part : assembly.parts) {
    if (part.label == label) return part;
  }
  throw std::runtime_error("no such part");
}

double volume_of(const Assembly& assembly, const Part& part) {
  const PartShape& shape = assembly.shapes.at(static_cast<std::size_t>(part.shape));
  EXPECT_TRUE(shape.is_closed);
  return unit_mass(shape.mesh).mass;
}

constexpr double kSingle = 1e-6;  // both formats have single precision

TEST(DaeReader, ConvertsToMetresAndAppliesScalesToTheShapes) {
  const Assembly assembly = read_assembly(dae("0.01", "Z_UP"), "two.dae", {});
  EXPECT_NEAR(volume_of(assembly, named(assembly, "first")), 1e-6 / 6.0, 1e-6 * kSingle);
  const Part& second = named(assembly, "second");
  EXPECT_NEAR(volume_of(assembly, second), 8e-6 / 6.0, 8e-6 * kSingle);
  EXPECT_LT((second.pose.p - Vec3(0, 0.05, 0)).norm(), kSingle);
  EXPECT_EQ(assembly.parts.at(static_cast<std::size_t>(second.parent)).label, "first");
}

TEST(DaeReader, RotatesYUpToZUnlessDisabled) {
  const Assembly turned = read_assembly(dae("1", "Y_UP"), "two.dae", {});
  const auto place = [](const Assembly& assembly) {
    return calc_pose(assembly, static_cast<int>(&named(assembly, "second") - assembly.parts.data())).p;
  };
  EXPECT_LT((place(turned) - Vec3(0, 0, 5)).norm(), kSingle);
  ReadOptions options;
  options.turns_up = false;
  EXPECT_LT((place(read_assembly(dae("1", "Y_UP"), "two.dae", {}, options)) - Vec3(0, 5, 0)).norm(), kSingle);
}

TEST(DaeReader, PrefersTheGivenUnit) {
  ReadOptions options;
  options.unit_length = 1.0;
  const Assembly assembly = read_assembly(dae("0.01", "Z_UP"), "two.dae", {}, options);
  EXPECT_NEAR(volume_of(assembly, named(assembly, "first")), 1.0 / 6.0, kSingle);
}

TEST(GltfReader, ReadsEmbeddedBuffersAndRotatesYUp) {
  const std::string text = gltf("data:application/octet-stream;base64," + base64(tetrahedron_buffer()));
  const Assembly assembly = read_assembly(text, "tip.gltf", {});
  const Part& tip = named(assembly, "tip");
  EXPECT_NEAR(volume_of(assembly, tip), 1.0 / 6.0, kSingle);
  EXPECT_LT((tip.pose.p - Vec3(0, 0, 3)).norm(), kSingle);
  EXPECT_EQ(tip.material, "paint");
  ASSERT_TRUE(tip.color.has_value());
  EXPECT_NEAR((*tip.color)[1], 0.7354, 1e-3) << "linear 0.5 is 0.735 in sRGB";
}

TEST(GltfReader, ReadsBuffersBesideTheFile) {
  const TemporaryFolder folder;
  folder.write("my tip.bin", tetrahedron_buffer());
  folder.write("tip.gltf", gltf("my%20tip.bin"));
  EXPECT_EQ(read_assembly(folder.path() / "tip.gltf").shapes.size(), 1u);
}

TEST(GltfReader, CannotReadABufferOutsideOfTheFolder) {
  const TemporaryFolder folder;
  folder.write("secret.bin", tetrahedron_buffer());
  folder.write("inside/tip.gltf", gltf("../secret.bin"));
  try {
    (void)read_assembly(folder.path() / "inside/tip.gltf");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("leaves the folder"), std::string::npos) << error.what();
  }
}

TEST(SceneFiles, MayHaveTwoCamerasOfOneName) {
  std::string text = dae("1", "Z_UP");
  const std::string optics =
      "<optics><technique_common><perspective><xfov>40</xfov><znear>0.1</znear><zfar>10</zfar></perspective>"
      "</technique_common></optics>";
  text.insert(text.find("<library_geometries>"), "<library_cameras><camera id='c1' name='view'>" + optics +
                                                     "</camera><camera id='c2' name='view'>" + optics +
                                                     "</camera></library_cameras>");
  text.insert(text.find("<node id=\"a\""),
              "<node id='n1' name='view'><instance_camera url='#c1'/></node>"
              "<node id='n2' name='view'><instance_camera url='#c2'/></node>");
  EXPECT_EQ(read_assembly(text, "cameras.dae", ".").shapes.size(), 2u);
}

}  // namespace
}  // namespace lockstep
