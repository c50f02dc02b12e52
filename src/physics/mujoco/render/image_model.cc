#include "physics/mujoco/render/image_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>

#include "base/overloaded.h"
#include "physics/mujoco/capacity.h"
#include "physics/mujoco/load.h"
#include "physics/mujoco/render/image_mesh.h"
#include "render/camera.h"

namespace lockstep {
namespace {

/// Larger images are drawn without multisampling, whose buffers would take more than a gigabyte.
constexpr std::int64_t kMaxSampledPixels = 3840 * 2160;
constexpr int kSamples = 4;
/// Limit of the side of the shadow map.
constexpr unsigned kMaxShadowPixels = 4096;
/// Facets around spheres and cylinders.
constexpr int kSlices = 48;
/// Approximate number of ground squares across the scene.
constexpr double kSquares = 10.0;

/// Sky, ground and materials. The ground's squares are tinted by the colour of the shape.
constexpr const char* kLooks = R"(
<texture name="sky" type="skybox" builtin="gradient" rgb1="0.93 0.95 0.97" rgb2="0.50 0.62 0.76" width="512" height="3072"/>
<texture name="squares" type="2d" builtin="checker" rgb1="1 1 1" rgb2="0.92 0.92 0.93" mark="edge" markrgb="0.84 0.84 0.86" width="512" height="512"/>
<material name="ground" texture="squares" texuniform="true" rgba="0.5 0.5 0.5 1" specular="0.1" shininess="0.1"/>
<material name="shape" rgba="0.5 0.5 0.5 1" specular="0.35" shininess="0.5"/>
)";

/// The meshes to draw; terrains are meshes here, because MuJoCo draws heightfields with facets.
struct DrawnMeshes {
  std::vector<const Mesh*> all;
  std::vector<Mesh> terrains;
  std::vector<int> of_shape;  ///< index in `all`; -1: none
};

DrawnMeshes find_meshes(const Model& model, const std::vector<ShapeId>& shapes) {
  DrawnMeshes meshes;
  meshes.terrains.reserve(shapes.size());  // keeps pointers to them valid
  std::map<MeshId, int> known;
  for (const ShapeId id : shapes) {
    const ShapeGeometry& geometry = model.shapes[index(id)].geometry;
    const int next = static_cast<int>(meshes.all.size());
    int mesh = -1;
    if (const auto* shape = std::get_if<MeshGeometry>(&geometry)) {
      mesh = known.emplace(shape->mesh, next).first->second;
      if (mesh == next) meshes.all.push_back(&model.meshes[index(shape->mesh)]);
    } else if (const auto* terrain = std::get_if<HeightmapGeometry>(&geometry)) {
      mesh = next;
      meshes.terrains.push_back(make_terrain_mesh(model.heightmaps[index(terrain->heightmap)], terrain->size));
      meshes.all.push_back(&meshes.terrains.back());
    }
    meshes.of_shape.push_back(mesh);
  }
  if (meshes.all.size() > kMaxMeshFiles) {
    throw_user_error(model.engine.place, "there are {} meshes to draw; at most {} can be drawn",
                     meshes.all.size(), kMaxMeshFiles);
  }
  return meshes;
}

/// Declares a geom of the right kind; its size is filled in afterwards.
std::string write_geom(const ShapeGeometry& geometry, int mesh) {
  const auto kind = [](const char* type) {
    return fmt::format("<geom type=\"{}\" size=\"1 1 1\" material=\"shape\"/>\n", type);
  };
  return std::visit(Overloaded{
                        [](const PlaneGeometry&) {
                          return std::string("<geom type=\"plane\" size=\"0 0 1\" material=\"ground\"/>\n");
                        },
                        [&](const Box&) { return kind("box"); },
                        [&](const Sphere&) { return kind("sphere"); },
                        [&](const Capsule&) { return kind("capsule"); },
                        [&](const Cylinder&) { return kind("cylinder"); },
                        [&](const auto&) {
                          return fmt::format("<geom type=\"mesh\" mesh=\"m{}\" material=\"shape\"/>\n", mesh);
                        },
                    },
                    geometry);
}

std::vector<MjcfFile> write_files(const Model& model, const std::vector<ShapeId>& shapes,
                                  const DrawnMeshes& meshes) {
  std::vector<MjcfFile> files;
  std::string text = "<mujoco>\n<size njmax=\"1\" nconmax=\"1\"/>\n";
  text += "<default><geom contype=\"0\" conaffinity=\"0\"/></default>\n<asset>\n";
  text += kLooks;
  for (std::size_t i = 0; i < meshes.all.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "<mesh name=\"m{0}\" file=\"m{0}.msh\"/>\n", i);
    files.push_back({fmt::format("m{}.msh", i), write_placeholder(*meshes.all[i])});
  }
  text += "</asset>\n<worldbody>\n";
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    text += write_geom(model.shapes[index(shapes[i])].geometry, meshes.of_shape[i]);
  }
  text += "</worldbody>\n</mujoco>\n";
  files.push_back({"model.xml", std::move(text)});
  return files;
}

void set_geom(const ShapeModel& shape, std::size_t geom, mjModel& m) {
  const Vec3 size =
      std::visit(Overloaded{
                     [](const Box& box) { return Vec3(box.size / 2.0); },
                     [](const Sphere& sphere) { return Vec3(Vec3::Constant(sphere.radius)); },
                     [](const Capsule& c) { return Vec3(c.radius, c.length / 2.0, 0.0); },
                     [](const Cylinder& c) { return Vec3(c.radius, c.length / 2.0, 0.0); },
                     [&](const auto&) {
                       return Vec3(m.geom_size[3 * geom], m.geom_size[3 * geom + 1], m.geom_size[3 * geom + 2]);
                     },
                 },
                 shape.geometry);
  std::copy(size.begin(), size.end(), m.geom_size + 3 * geom);
  std::transform(shape.color.begin(), shape.color.end(), m.geom_rgba + 4 * geom,
                 [](double part) { return static_cast<float>(part); });
}

/// 1, 2 or 5 times a power of ten.
double round_length(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length)));
  const double first = length / power;
  return power * (first < 1.5 ? 1.0 : first < 3.5 ? 2.0 : first < 7.5 ? 5.0 : 10.0);
}

void set_visuals(const ImageScale& scale, mjModel& m) {
  const bool sampled = scale.has_effects && std::int64_t{scale.width} * scale.height <= kMaxSampledPixels;
  m.vis.quality.offsamples = sampled ? kSamples : 0;
  const unsigned shadow_pixels = std::bit_ceil(2u * static_cast<unsigned>(std::max(scale.width, scale.height)));
  m.vis.quality.shadowsize =
      scale.has_effects ? static_cast<int>(std::min(shadow_pixels, kMaxShadowPixels)) : 0;
  m.vis.quality.numslices = kSlices;
  m.vis.quality.numstacks = kSlices / 2;
  m.vis.global.offwidth = scale.width;
  m.vis.global.offheight = scale.height;
  m.vis.global.fovy = static_cast<float>(kFieldOfView * 180.0 / std::numbers::pi);
  m.vis.map.znear = 0.01f;
  m.vis.map.zfar = static_cast<float>(kFarOfExtent);
  m.vis.map.haze = 0.35f;
  m.stat.extent = scale.extent;
  // A texture repeats once for two squares.
  const double square = round_length(scale.extent / kSquares);
  const int ground = mj_name2id(&m, mjOBJ_MATERIAL, "ground");
  m.mat_texrepeat[2 * ground] = m.mat_texrepeat[2 * ground + 1] = static_cast<float>(0.5 / square);
}

}  // namespace

ImageModel make_image_model(const Model& model, const ImageScale& scale) {
  ImageModel image;
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    if (model.shapes[i].visible || model.shapes[i].collide)
      image.shapes.push_back(ShapeId{static_cast<int>(i)});
  }
  const DrawnMeshes meshes = find_meshes(model, image.shapes);
  image.mujoco = load_mjcf(write_files(model, image.shapes, meshes));
  mjModel& m = *image.mujoco;
  LOCKSTEP_CHECK(static_cast<std::size_t>(m.ngeom) == image.shapes.size());
  for (std::size_t i = 0; i < meshes.all.size(); ++i) {
    fill_placeholder(*meshes.all[i], m.mesh_vert + 3 * m.mesh_vertadr[i], m.mesh_normal + 3 * m.mesh_vertadr[i],
                     m.mesh_face + 3 * m.mesh_faceadr[i]);
  }
  for (std::size_t i = 0; i < image.shapes.size(); ++i) set_geom(model.shapes[index(image.shapes[i])], i, m);
  set_visuals(scale, m);
  return image;
}

}  // namespace lockstep
