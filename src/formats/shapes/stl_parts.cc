#include "formats/shapes/stl_parts.h"

#include <map>

#include "base/overloaded.h"
#include "geometry/mass.h"
#include "geometry/mesh_reader.h"
#include "geometry/stl_writer.h"
#include "geometry/tessellate.h"

namespace lockstep {

namespace {

constexpr double kMillimetres = 1000.0;
constexpr double kPrintDeviation = 20e-6;  ///< m; below the resolution of 3D printers

Mesh mesh_of(const Shape& shape, const Assets& assets) {
  Mesh mesh = std::visit(Overloaded{
                             [](const Box& box) { return tessellated(box); },
                             [](const Sphere& sphere) { return tessellated(sphere, kPrintDeviation); },
                             [](const Capsule& capsule) { return tessellated(capsule, kPrintDeviation); },
                             [](const Cylinder& cylinder) { return tessellated(cylinder, kPrintDeviation); },
                             [&](const MeshFile& file) {
                               Mesh read = read_mesh(assets.load(file.src, shape.place, "<mesh>"), file.src,
                                                     shape.place);
                               for (Vec3& vertex : read.vertices) vertex = vertex.cwiseProduct(file.scale);
                               // An odd number of mirrored axes flips the faces.
                               if (file.scale.prod() < 0.0) {
                                 for (auto& face : read.faces) std::swap(face[1], face[2]);
                               }
                               return read;
                             },
                         },
                         shape.geometry);
  for (Vec3& vertex : mesh.vertices) vertex = shape.pose * vertex;
  return mesh;
}

void append(Mesh& mesh, const Mesh& more) {
  const auto offset = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), more.vertices.begin(), more.vertices.end());
  for (const auto& face : more.faces)
    mesh.faces.push_back({face[0] + offset, face[1] + offset, face[2] + offset});
}

struct StlPart {
  std::string name;  ///< of the first link with this shape
  std::size_t count = 0;
  std::string stl;
  std::string size;  ///< for the report
};

}  // namespace

Exported export_stl_parts(const ExportSource& source) {
  Exported exported;
  std::vector<StlPart> parts;
  std::map<std::string, std::size_t> by_shape;  // key: the bytes without the header
  for (const Robot& robot : source.scenario.robots) {
    for (const Link& link : robot.links) {
      Mesh mesh;
      for (const Shape& shape : link.shapes) {
        if (shape.visible) append(mesh, mesh_of(shape, source.assets));
      }
      if (mesh.faces.empty()) continue;
      const auto [known, is_new] = by_shape.emplace(write_stl(mesh, kMillimetres, ""), parts.size());
      if (is_new) {
        const std::string name = robot.name + "-" + link.name;
        Vec3 low = mesh.vertices[0], high = low;
        for (const Vec3& vertex : mesh.vertices) low = low.cwiseMin(vertex), high = high.cwiseMax(vertex);
        const Vec3 size = kMillimetres * (high - low);
        parts.push_back({name, 0, write_stl(mesh, kMillimetres, name + ", millimetres"),
                         fmt::format("{:.4g} x {:.4g} x {:.4g} mm", size.x(), size.y(), size.z())});
        if (const std::string defect = find_mesh_defect(mesh); !defect.empty())
          exported.report.lost.push_back(fmt::format("{}.stl cannot be printed: {}", name, defect));
      }
      ++parts[known->second].count;
    }
  }
  if (parts.empty()) throw_user_error(source.root.place, "there is no robot with a visible shape to print");
  for (StlPart& part : parts) {
    exported.report.read.push_back(fmt::format("{}.stl: {}, quantity {}", part.name, part.size, part.count));
    exported.files.push_back({part.name + ".stl", std::move(part.stl)});
  }
  return exported;
}

}  // namespace lockstep
