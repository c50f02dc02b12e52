#include <gtest/gtest.h>

#include "base/temporary_folder_testing.h"
#include "geometry/assembly_reader.h"
#include "geometry/mass.h"
#include "geometry/stl_writer.h"
#include "geometry/tessellate.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

/// The corners and six quads of a unit cube at (x, 0, 0), whose first corner has the number `first`.
std::string cube_corners(double x) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += fmt::format("v {} {} {}\n", x + (i & 1), (i >> 1) & 1, (i >> 2) & 1);
  return text;
}
std::string cube_faces(int first) {
  std::string text;
  constexpr int kQuads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& quad : kQuads)
    text += fmt::format("f {} {} {} {}\n", first + quad[0], first + quad[1], first + quad[2], first + quad[3]);
  return text;
}

Assembly read_text(const std::string& text, const char* name = "part.obj", const ReadOptions& options = {}) {
  return read_assembly(text, name, std::filesystem::temp_directory_path(), options);
}

std::string error_of(const std::string& text, const char* name = "part.obj") {
  try {
    (void)read_text(text, name);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::string> names(const Assembly& assembly) {
  std::vector<std::string> result;
  for (const Part& part : assembly.parts) result.push_back(part.name);
  return result;
}

TEST(ObjParts, AreTheObjectsWithSpacesInTheirNames) {
  const Assembly assembly = read_text("o upper arm\n" + cube_corners(0) + cube_faces(1) + "o fore arm\n" +
                                      cube_corners(3) + cube_faces(9));
  EXPECT_EQ(names(assembly), (std::vector<std::string>{"upper arm", "fore arm"}));
  for (const PartShape& shape : assembly.shapes) {
    EXPECT_TRUE(shape.is_closed);
    EXPECT_NEAR(unit_mass(shape.mesh).mass, 1.0, 1e-12);
  }
  EXPECT_NEAR(unit_mass(assembly.shapes.at(1).mesh).center.x(), 3.5, 1e-12);
}

TEST(ObjParts, OfTheSameNameStaySeparate) {
  const Assembly assembly =
      read_text("o bolt\n" + cube_corners(0) + cube_faces(1) + "o bolt\n" + cube_corners(3) + cube_faces(9));
  EXPECT_EQ(names(assembly), (std::vector<std::string>{"bolt", "bolt#2"}));
}

TEST(ObjParts, AreGroupsBelowTheirObject) {
  const Assembly assembly =
      read_text("o arm\ng a\n" + cube_corners(0) + cube_faces(1) + "g b\n" + cube_corners(3) + cube_faces(9));
  EXPECT_EQ(names(assembly), (std::vector<std::string>{"arm", "arm/a", "arm/b"}));
  EXPECT_EQ(assembly.parts[0].shape, -1);
  EXPECT_EQ(assembly.parts[2].parent, 0);
}

TEST(ObjParts, ContinueWhenAGroupIsRepeated) {
  std::string half = cube_faces(1);
  const std::size_t middle = half.find('f', half.size() / 2);
  const Assembly assembly = read_text(cube_corners(0) + cube_corners(3) + "g a\n" + half.substr(0, middle) +
                                      "g b\n" + cube_faces(9) + "g a\n" + half.substr(middle));
  EXPECT_EQ(names(assembly), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(assembly.shapes.at(0).is_closed);
}

TEST(ObjParts, WithTwoMaterialsAreOneClosedShape) {
  std::string faces = cube_faces(1);
  faces.insert(faces.find('f', faces.size() / 2), "usemtl blue\n");
  const Assembly assembly = read_text("o cube\n" + cube_corners(0) + "usemtl red\n" + faces);
  EXPECT_EQ(assembly.parts.size(), 1u);
  EXPECT_TRUE(assembly.shapes.at(0).is_closed);
}

TEST(ObjParts, TakeTheirColourFromTheMaterialFile) {
  const TemporaryFolder folder;
  folder.write("m.mtl", "newmtl red\nKd 1 0.5 0\nd 0.25\n");
  folder.write("cube.obj", "mtllib m.mtl\nusemtl red\n" + cube_corners(0) + cube_faces(1));
  const Assembly assembly = read_assembly(folder.path() / "cube.obj");
  EXPECT_EQ(assembly.parts.at(0).name, "cube");
  EXPECT_EQ(assembly.parts.at(0).material, "red");
  EXPECT_EQ(assembly.parts.at(0).color, (std::array<double, 4>{1.0, 0.5, 0.0, 0.25}));
  EXPECT_TRUE(assembly.notes.lost.empty());
}

TEST(ObjParts, ReportAMissingMaterialFile) {
  const TemporaryFolder folder;
  folder.write("cube.obj", "mtllib m.mtl\nusemtl red\n" + cube_corners(0) + cube_faces(1));
  const Assembly assembly = read_assembly(folder.path() / "cube.obj");
  EXPECT_EQ(assembly.notes.lost,
            (std::vector<std::string>{"the colours: the material file 'm.mtl' does not exist"}));
}

TEST(ObjParts, CannotReadAMaterialFileOutsideOfTheirFolder) {
  const TemporaryFolder folder;
  folder.write("secret.mtl", "newmtl red\nKd 1 0 0\n");
  folder.write("inside/cube.obj", "mtllib ../secret.mtl\nusemtl red\n" + cube_corners(0) + cube_faces(1));
  const Assembly assembly = read_assembly(folder.path() / "inside/cube.obj");
  EXPECT_FALSE(assembly.parts.at(0).color.has_value());
  ASSERT_EQ(assembly.notes.lost.size(), 1u);
  EXPECT_NE(assembly.notes.lost[0].find("leaves the folder"), std::string::npos);
}

TEST(ObjParts, AreScaledByTheGivenUnit) {
  ReadOptions options;
  options.unit_length = 1e-3;
  const Assembly assembly = read_text(cube_corners(0) + cube_faces(1), "cube.obj", options);
  EXPECT_NEAR(unit_mass(assembly.shapes.at(0).mesh).mass, 1e-9, 1e-20);
}

TEST(ObjParts, WarnIfTheirSizeSuggestsMillimetres) {
  std::string text = "v 0 0 0\nv 500 0 0\nv 0 500 0\nv 0 0 500\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const Assembly assembly = read_text(text);
  ASSERT_EQ(assembly.notes.suspicious.size(), 1u);
  EXPECT_EQ(assembly.notes.suspicious[0],
            "it is 500 m large; if its numbers are millimetres, give --unit-length 1mm");
}

TEST(ObjParts, AreClosedIfOpenAndReportIt) {
  std::string faces = cube_faces(1);
  faces.erase(0, faces.find('\n') + 1);  // one side is missing
  const Assembly assembly = read_text(cube_corners(0) + faces, "tub.obj");
  EXPECT_TRUE(assembly.shapes.at(0).is_closed);
  EXPECT_NEAR(unit_mass(assembly.shapes.at(0).mesh).mass, 1.0, 1e-12);
  ASSERT_EQ(assembly.notes.assumed.size(), 2u);
  EXPECT_EQ(assembly.notes.assumed[1], "'tub': closed 1 hole");
}

TEST(ObjParts, ReportTheLineOfAnError) {
  EXPECT_EQ(error_of("v 0 0 0\nv 1 0 nan\n"),
            "part.obj:2:1: error: coordinate 'nan' is not a number; expected one such as '0.5'\n");
  EXPECT_EQ(error_of("v 0 0 0\nf 1 1 7\n"),
            "part.obj:2:1: error: face references vertex 7; the file has 1 vertices so far\n");
  EXPECT_EQ(error_of("# nothing\n"),
            "part.obj: error: the file has no faces; expected a surface of triangles or polygons\n");
}

TEST(StlParts, OfBinaryFilesAreOne) {
  const std::string bytes = write_stl(tessellated(Sphere{0.1}, 1e-3), 1000.0, "ball");
  ReadOptions options;
  options.unit_length = 1e-3;
  const Assembly assembly = read_assembly(bytes, "ball.STL", {}, options);
  ASSERT_EQ(assembly.parts.size(), 1u);
  EXPECT_EQ(assembly.parts[0].name, "ball");
  EXPECT_TRUE(assembly.shapes[0].is_closed);
}

TEST(StlParts, OfTextFilesAreTheSolids) {
  const auto solid = [](const char* name, double x) {
    std::string text = fmt::format("solid {}\n", name);
    constexpr int kFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const Vec3 corners[4] = {{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}, {x, 0, 1}};
    for (const auto& face : kFaces) {
      text += "facet normal 0 0 0\nouter loop\n";
      for (const int i : face)
        text += fmt::format("vertex {} {} {}\n", corners[i].x(), corners[i].y(), corners[i].z());
      text += "endloop\nendfacet\n";
    }
    return text + "endsolid\n";
  };
  const Assembly assembly = read_text(solid("left jaw", 0) + solid("right jaw", 5), "jaws.stl");
  EXPECT_EQ(names(assembly), (std::vector<std::string>{"left jaw", "right jaw"}));
  EXPECT_NEAR(unit_mass(assembly.shapes.at(1).mesh).mass, 1.0 / 6.0, 1e-12);
}

TEST(ShapeFiles, RejectUnknownFormats) {
  EXPECT_EQ(error_of("hello", "x.txt"),
            "x.txt: error: unknown shape format; expected STEP, OBJ, STL, DAE, glTF or GLB\n");
}

}  // namespace
}  // namespace lockstep
