#include "geometry/repair.h"

#include <gtest/gtest.h>

#include "geometry/mass.h"
#include "geometry/tessellate.h"
#include "geometry/test_shapes.h"

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

TEST(RepairMesh, DoesNotChangeAValidMesh) {
  const Mesh box = make_box_mesh(Box{{1, 2, 3}});
  const RepairedMesh repaired = repair_mesh(box);
  EXPECT_EQ(repaired.mesh.faces, box.faces);
  EXPECT_TRUE(repaired.done.empty());
  EXPECT_EQ(repaired.defect, "");
}

TEST(RepairMesh, MergesVerticesThatNearlyCoincide) {
  const Mesh box = make_box_mesh(Box{{1, 2, 3}});
  Mesh soup;  // each triangle with separate, slightly different corners, as in STL
  for (std::size_t f = 0; f < box.faces.size(); ++f) {
    for (const std::uint32_t corner : box.faces[f])
      soup.vertices.push_back(box.vertices[corner] + Vec3::Constant(1e-8 * static_cast<double>(f)));
    const auto first = static_cast<std::uint32_t>(3 * f);
    soup.faces.push_back({first, first + 1, first + 2});
  }
  const RepairedMesh repaired = repair_mesh(soup);
  EXPECT_EQ(repaired.defect, "");
  EXPECT_EQ(repaired.mesh.vertices.size(), 8u);
  EXPECT_NEAR(unit_mass(repaired.mesh).mass, 6.0, 1e-6);
}

TEST(RepairMesh, FlipsFacesToTheOutside) {
  Mesh box = make_box_mesh(Box{{1, 2, 3}}, Vec3(10, 0, 0));
  for (const std::size_t f : {1u, 4u, 7u}) std::swap(box.faces[f][0], box.faces[f][1]);
  const RepairedMesh repaired = repair_mesh(box);
  EXPECT_EQ(repaired.done, Lines{"flipped 3 faces to the outside"});
  EXPECT_NEAR(unit_mass(repaired.mesh).mass, 6.0, 1e-12);
}

TEST(RepairMesh, FlipsAWholeMesh) {
  Mesh box = make_box_mesh(Box{{1, 2, 3}});
  for (auto& face : box.faces) std::swap(face[0], face[1]);
  const RepairedMesh repaired = repair_mesh(box);
  EXPECT_EQ(repaired.defect, "");
  EXPECT_NEAR(unit_mass(repaired.mesh).mass, 6.0, 1e-12);
}

TEST(RepairMesh, KeepsACavity) {
  Mesh hollow = make_box_mesh(Box{{2, 2, 2}});
  const Mesh inner = make_box_mesh(Box{{1, 1, 1}});
  for (auto face : inner.faces) {
    std::swap(face[0], face[1]);
    hollow.faces.push_back({face[0] + 8, face[1] + 8, face[2] + 8});
  }
  hollow.vertices.insert(hollow.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  EXPECT_NEAR(unit_mass(repair_mesh(hollow).mesh).mass, 7.0, 1e-12);
}

TEST(RepairMesh, ClosesFlatHoles) {
  Mesh tube = tessellated(Cylinder{0.5, 2.0}, 1e-3);
  const double volume = unit_mass(tube).mass;
  std::erase_if(tube.faces, [&](const auto& face) {  // both ends
    const double z = tube.vertices[face[0]].z();
    return tube.vertices[face[1]].z() == z && tube.vertices[face[2]].z() == z;
  });
  ASSERT_NE(find_mesh_defect(tube), "");
  const RepairedMesh repaired = repair_mesh(tube);
  EXPECT_EQ(repaired.done.back(), "closed 2 holes");
  EXPECT_NEAR(unit_mass(repaired.mesh).mass, volume, 1e-12);
}

TEST(RepairMesh, DoesNotCloseALargeHole) {
  Mesh ball = tessellated(Sphere{1.0}, 1e-2);
  std::erase_if(ball.faces, [&](const auto& face) {  // a jagged quarter is missing
    return ball.vertices[face[0]].x() > 0.3 && ball.vertices[face[1]].y() + ball.vertices[face[2]].z() > 0.2;
  });
  const RepairedMesh repaired = repair_mesh(ball);
  EXPECT_EQ(repaired.defect.substr(0, 10), "it is open");
  EXPECT_EQ(repaired.mesh.faces, ball.faces);
}

TEST(RepairMesh, RemovesDuplicateFaces) {
  Mesh box = make_box_mesh(Box{{1, 2, 3}});
  box.faces.push_back(box.faces[3]);
  const RepairedMesh repaired = repair_mesh(box);
  EXPECT_EQ(repaired.done, Lines{"removed 1 duplicate face"});
  EXPECT_NEAR(unit_mass(repaired.mesh).mass, 6.0, 1e-12);
}

TEST(ConnectedPieces, AreThoseWithoutCommonVertices) {
  Mesh two = make_box_mesh(Box{{1, 1, 1}});
  const Mesh other = make_box_mesh(Box{{2, 2, 2}}, Vec3(5, 0, 0));
  for (const auto& face : other.faces) two.faces.push_back({face[0] + 8, face[1] + 8, face[2] + 8});
  two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
  const std::vector<Mesh> pieces = connected_pieces(two);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_NEAR(unit_mass(pieces[0]).mass, 1.0, 1e-12);
  EXPECT_NEAR(unit_mass(pieces[1]).mass, 8.0, 1e-12);
}

/// A cube with an edge of 2 without its upper side, whose rim is pulled up at two opposite corners: not flat.
Mesh open_cube() {
  Mesh cube = tessellated(Box{{2.0, 2.0, 2.0}});
  std::erase_if(cube.faces, [&](const auto& face) {
    return std::all_of(face.begin(), face.end(), [&](std::uint32_t v) { return cube.vertices[v].z() > 0.9; });
  });
  for (Vec3& vertex : cube.vertices) {
    if (vertex.z() > 0.9 && vertex.x() * vertex.y() > 0.0) vertex.z() += 0.5;
  }
  return cube;
}

TEST(CloseMesh, GivesAnOpenBoxItsVolume) {
  EXPECT_NE(repair_mesh(open_cube()).defect, "");
  const auto closed = close_mesh(open_cube());
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->holes, 1u);
  // The prism under the rim: the mean height of the four corners and of their centre is 2.25.
  EXPECT_NEAR(unit_mass(closed->mesh).mass, 4.0 * 2.25, 1e-12);
}

TEST(CloseMesh, OmitsPiecesThatCannotBeClosed) {
  Mesh mesh = open_cube();
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const Vec3& vertex : {Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(5, 1, 0)}) mesh.vertices.push_back(vertex);
  mesh.faces.push_back({first, first + 1, first + 2});
  const auto closed = close_mesh(mesh);
  ASSERT_TRUE(closed.has_value());
  EXPECT_NEAR(unit_mass(closed->mesh).mass, 9.0, 1e-12);
  Mesh triangle = mesh;
  triangle.faces = {triangle.faces.back()};
  EXPECT_FALSE(close_mesh(triangle).has_value());
}

TEST(MeshDefect, ClosedSurfacesMayTouchAtAnEdge) {
  Mesh two = tessellated(Box{{1.0, 1.0, 1.0}});
  const auto first = static_cast<std::uint32_t>(two.vertices.size());
  for (std::uint32_t i = 0; i < first; ++i) two.vertices.push_back(two.vertices[i] + Vec3(1.0, 1.0, 0.0));
  const std::size_t faces = two.faces.size();
  for (std::size_t i = 0; i < faces; ++i) {
    const auto [a, b, c] = two.faces[i];
    two.faces.push_back({a + first, b + first, c + first});
  }
  two = welded(two, 1e-9);
  EXPECT_EQ(two.vertices.size(), 14u);
  EXPECT_EQ(find_mesh_defect(two), "");
  EXPECT_NEAR(unit_mass(two).mass, 2.0, 1e-12);
  two.faces.pop_back();
  EXPECT_NE(find_mesh_defect(two), "");
}

}  // namespace
}  // namespace lockstep
