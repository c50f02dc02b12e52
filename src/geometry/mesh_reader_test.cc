#include "geometry/mesh_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "geometry/mass.h"
#include "geometry/test_shapes.h"

namespace lockstep {
namespace {

using Face = std::array<std::uint32_t, 3>;
const Place kMeshPlace{"arm.xml", 12, 7};

Mesh read(std::string_view text, std::string_view name = "part.obj") {
  return read_mesh({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, name, kMeshPlace);
}

/// The error text without the place in the scenario.
std::string error(std::string_view text, std::string_view name = "part.obj") {
  try {
    read(text, name);
  } catch (const UserError& e) {
    const std::string start = "arm.xml:12:7: error: mesh '" + std::string(name) + "': ";
    const std::string what = e.what();
    EXPECT_TRUE(what.starts_with(start)) << what;
    return what.substr(start.size(), what.size() - start.size() - 1);
  }
  return "no error";
}

constexpr std::string_view kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

TEST(Obj, VerticesAndFacesAreRead) {
  const Mesh mesh = read(kTriangle);
  EXPECT_EQ(mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.faces, (std::vector<Face>{{0, 1, 2}}));
}

TEST(Obj, AcceptsEveryFormOfACorner) {
  for (const char* face : {"f 1/4 2/5 3/6", "f 1/4/7 2/5/8 3/6/9", "f 1//7 2//8 3//9", "f -3 -2 -1",
                           "f\t1  2 3  ", "fo 1 2 3", "f 1 2 3 # end", "f 1 2 \\\n3", "f 1 2 3\r"}) {
    const Mesh mesh = read(std::string("v 0 0 0 1.0\nv +1 0 0 0.5 0.5 0.5\nv 0 1e0 0\n") + face + "\n");
    EXPECT_EQ(mesh.faces, (std::vector<Face>{{0, 1, 2}})) << face;
  }
}

TEST(Obj, PolygonsBecomeFans) {
  const Mesh mesh = read("v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5\n");
  EXPECT_EQ(mesh.faces, (std::vector<Face>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}

TEST(Obj, ObjectsGroupsAndMaterialsBecomeOneMesh) {
  const Mesh mesh = read(
      "# made by hand\nmtllib missing.mtl\no a b\ng left\nusemtl red\ns 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 "
      "1\n"
      "f 1//1 2//1 3//1\no c\nv 0 0 1\nf 1 2 4\nl 1 2\np 1\n");
  EXPECT_EQ(mesh.faces.size(), 2u);
}

TEST(Obj, IgnoresABackslashInAComment) {
  EXPECT_EQ(read(std::string("# C:\\parts\\\n") + std::string(kTriangle)).faces.size(), 1u);
}

TEST(Obj, EqualVerticesAreMergedAndLinesDropped) {
  const Mesh mesh = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 9 9 9\nf 1 2 3\nf 4 3 2\nf 1 4 2\n");
  EXPECT_EQ(mesh.vertices.size(), 3u);  // the fourth equals the first, the fifth is unused
  EXPECT_EQ(mesh.faces, (std::vector<Face>{{0, 1, 2}, {0, 2, 1}}));
}

TEST(Obj, AFaceReferencesOnlyVerticesBeforeIt) {
  EXPECT_EQ(error("v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 12\n"),
            "line 5: face references vertex 12; the file has 3 vertices so far");
  EXPECT_EQ(error("v 0 0 0\nf 1 2 0\n"), "line 2: face references vertex 2; the file has 1 vertices so far");
  EXPECT_EQ(error("v 0 0 0\nf -2 1 1\n"), "line 2: face references vertex -2; the file has 1 vertices so far");
  EXPECT_EQ(error("v 0 0 0\nf 0 1 1\n"), "line 2: face references vertex 0; the file has 1 vertices so far");
}

TEST(Obj, TheLineOfAnErrorCountsJoinedLines) {
  EXPECT_EQ(error("v 0 \\\n0 \\\n0\nf 1 2\n"),
            "line 4: face references vertex 2; the file has 1 vertices so far");
}

TEST(Obj, ABrokenFaceIsAnError) {
  EXPECT_EQ(error("v 0 0 0\nf 1 1\n"), "line 2: face has 2 vertices; expected at least 3");
  for (const char* corner : {"x", "1/", "/1", "1/2/3/4", "1.5", "1e1", "99999999999999999999", "1/x", "//"}) {
    const std::string message = error(std::string("v 0 0 0\nf 1 1 ") + corner + "\n");
    if (std::string_view(corner) == "1/") continue;  // a texture omitted, as some exporters write it
    EXPECT_TRUE(message.starts_with("line 2: '" + std::string(corner) + "' is not a corner of a face"))
        << message;
  }
}

TEST(Obj, ABrokenVertexIsAnError) {
  EXPECT_EQ(error("v 0 0\n"), "line 1: a vertex ends too early; expected three coordinates");
  EXPECT_EQ(error("v 0 0 x\n"), "line 1: coordinate 'x' is not a number; expected one such as '0.5'");
  EXPECT_EQ(error("v 0 0 nan\n"), "line 1: coordinate 'nan' is not a number; expected one such as '0.5'");
  EXPECT_EQ(error("v 0 0 1e999\n"), "line 1: coordinate '1e999' is not a number; expected one such as '0.5'");
  EXPECT_EQ(error("v 0 0 inf\n"),
            "line 1: vertex (0, 0, inf); expected coordinates between -1000000000 and 1000000000");
  EXPECT_EQ(error("v 0 0 2e9\n"),
            "line 1: vertex (0, 0, 2000000000); expected coordinates between -1000000000 and 1000000000");
}

TEST(Obj, ACoordinateTooSmallForADoubleIsZero) {
  EXPECT_EQ(read("v 0 0 1e-400\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").vertices[0], Vec3::Zero());
}

TEST(Obj, RejectsCurvedSurfacesAndOtherFiles) {
  EXPECT_EQ(error("v 0 0 0\ncstype bezier\n"),
            "line 2: 'cstype' belongs to a curved surface; expected polygons: tessellate when exporting");
  EXPECT_EQ(error("call other.obj\n"),
            "line 1: 'call' refers to another file; expected the whole mesh in one file");
}

TEST(Obj, WithoutAFaceIsAnError) {
  EXPECT_EQ(error(""), "the file has no faces; expected a surface of triangles or polygons");
  EXPECT_EQ(error("v 0 0 0\n"), "the file has no faces; expected a surface of triangles or polygons");
  EXPECT_EQ(error("v 0 0 0\nf 1 1 1\n"), "every face has two equal corners; expected faces with an area");
}

TEST(Obj, TooManyTrianglesAreAnErrorBeforeMemoryRunsOut) {
  std::string text(kTriangle);
  text += "f";
  for (std::size_t i = 0; i < kMaxMeshFaces + 3; ++i) text += " 1";
  EXPECT_EQ(error(text), "line 5: more than 2000000 triangles");
}

TEST(MeshReader, TheExtensionDeterminesTheFormat) {
  EXPECT_EQ(read(kTriangle, "dir.v2/PART.OBJ").faces.size(), 1u);
  EXPECT_EQ(error(kTriangle, "part.dae"), "unknown file format; expected a name that ends in '.obj' or '.stl'");
  EXPECT_EQ(error(kTriangle, "part"), "unknown file format; expected a name that ends in '.obj' or '.stl'");
}

constexpr std::string_view kFacet =
    "facet normal nan 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n";

TEST(TextStl, IsRead) {
  const Mesh mesh = read("  solid my solid part\n" + std::string(kFacet) + "endsolid my part\n", "part.STL");
  EXPECT_EQ(mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.faces, (std::vector<Face>{{0, 1, 2}}));
}

TEST(TextStl, SeveralSolidsBecomeOneMeshWithMergedVertices) {
  std::string text;
  for (const char* name : {"a", "b"})
    text += std::string("SOLID ") + name + "\n" + std::string(kFacet) + "endsolid\n";
  const Mesh mesh = read(text, "part.stl");
  EXPECT_EQ(mesh.vertices.size(), 3u);
  EXPECT_EQ(mesh.faces.size(), 2u);
}

TEST(TextStl, ErrorsNameTheLine) {
  EXPECT_EQ(error("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n", "a.stl"),
            "line 4: coordinate 'x' is not a number; expected one such as '0.5'");
  EXPECT_EQ(error("solid a\nfacet normal 0 0 1\nouter lop\n", "a.stl"), "line 3: found 'lop'; expected 'loop'");
  EXPECT_EQ(error("solid a\n" + std::string(kFacet), "a.stl"),
            "line 9: the file ends too early; expected 'facet' or 'endsolid'");
  EXPECT_EQ(error("solid a\nendsolid a\nmore\n", "a.stl"), "line 3: found 'more'; expected 'solid'");
  EXPECT_EQ(error("solid a\nendsolid a\n", "a.stl"),
            "the file has no faces; expected a surface of triangles or polygons");
}

std::string make_binary_stl(const Mesh& mesh, std::string header = "") {
  header.resize(80);
  const auto append = [&](const auto& value) {
    header.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  append(static_cast<std::uint32_t>(mesh.faces.size()));
  for (const auto& face : mesh.faces) {
    append(std::array<float, 3>{});
    for (const std::uint32_t corner : face) append(mesh.vertices[corner].cast<float>().eval());
    append(std::uint16_t{0});
  }
  return header;
}

TEST(BinaryStl, ABoxIsClosedAgainAfterTheMerge) {
  const Mesh box = make_box_mesh(Box{Vec3(1, 2, 4)});
  for (const char* header : {"", "solid as many tools begin"}) {
    const Mesh mesh = read(make_binary_stl(box, header), "box.stl");
    EXPECT_EQ(mesh.vertices.size(), 8u);
    EXPECT_EQ(mesh.faces.size(), 12u);
    EXPECT_EQ(find_mesh_defect(mesh), "");
    EXPECT_DOUBLE_EQ(unit_mass(mesh).mass, 8.0);
  }
}

TEST(BinaryStl, EveryTruncationIsAnError) {
  const std::string whole = make_binary_stl(make_box_mesh(Box{}), "solid");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error(std::string_view(whole).substr(0, size), "box.stl"), "no error") << size;
  }
  EXPECT_EQ(
      error(whole + "x", "box.stl"),
      "neither text that begins with 'solid' nor a binary STL: 12 triangles take 684 bytes, the file has 685");
  EXPECT_EQ(error("", "box.stl"), "neither text that begins with 'solid' nor long enough for a binary STL");
}

TEST(BinaryStl, RejectsACountOfBillionsWithoutAllocating) {
  std::string bytes = make_binary_stl(make_box_mesh(Box{}));
  std::memset(bytes.data() + 80, 0xFF, 4);
  EXPECT_EQ(error(bytes, "box.stl"),
            "neither text that begins with 'solid' nor a binary STL: 4294967295 triangles take 214748364834 "
            "bytes, the "
            "file has 684");
}

TEST(BinaryStl, RejectsAnAbsurdCoordinate) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1e10f}) {
    std::string bytes = make_binary_stl(make_box_mesh(Box{}));
    std::memcpy(bytes.data() + 84 + 12, &bad, sizeof(bad));
    EXPECT_TRUE(error(bytes, "box.stl").starts_with("vertex (")) << bad;
  }
}

TEST(MeshReader, AMillionWordsTakeLinearTime) {
  // Takes seconds if the time per line grows with the file.
  std::string joined = "v 0 0 0\nf";
  for (int i = 0; i < 300'000; ++i) joined += " 1 \\\n";
  const std::clock_t start = std::clock();  // CPU time, so that the load of the machine does not matter
  EXPECT_NE(error(joined), "no error");
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

TEST(MeshReader, ReadsRealMeshes) {
  const std::filesystem::path folder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "../shared/material";
  if (!std::filesystem::exists(folder)) return;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".obj" && ending != ".stl" && ending != ".STL") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const Mesh mesh = read(bytes, entry.path().filename().string());
    EXPECT_GE(mesh.faces.size(), 4u) << entry.path();
    EXPECT_GE(mesh.vertices.size(), 4u) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace lockstep
