#include "physics/mujoco/render/image_scene.h"

#include <algorithm>
#include <mutex>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/render/decoration.h"

namespace lockstep {
namespace {

/// Groups of MuJoCo's geoms; by default it draws the first three.
constexpr int kShownGroup = 0;
constexpr int kHiddenGroup = 5;

/// MuJoCo looks up the functions of OpenGL for each context, and keeps them in variables that all share.
std::mutex lookup_mutex;

}  // namespace

void set_vector(float* to, const Vec3& v) {
  std::transform(v.begin(), v.end(), to, [](double part) { return static_cast<float>(part); });
}

mjvLight make_light(const Vec3& direction, double ambient, double diffuse, double specular) {
  mjvLight light{};
  light.directional = 1;
  light.attenuation[0] = 1.0f;
  set_vector(light.dir, direction);
  set_vector(light.ambient, Vec3::Constant(ambient));
  set_vector(light.diffuse, Vec3::Constant(diffuse));
  set_vector(light.specular, Vec3::Constant(specular));
  return light;
}

ImageScene::Scene::Scene(const mjModel& m, int max_geoms) {
  mjv_defaultScene(this);
  mjv_makeScene(&m, this, max_geoms);
}

ImageScene::Scene::~Scene() {
  mjv_freeScene(this);
}

ImageScene::Context::Context(const mjModel& m) {
  const std::lock_guard lock(lookup_mutex);
  mjr_defaultContext(this);
  mjr_makeContext(&m, this, mjFONTSCALE_100);
  mjr_setBuffer(mjFB_OFFSCREEN, this);
}

ImageScene::Context::~Context() {
  mjr_freeContext(this);
}

ImageScene::ImageScene(const Model& model, const ImageScale& scale)
    : scale_(scale),
      image_(make_image_model(model, scale)),
      m_(*image_.mujoco),
      data_(mj_makeData(&m_)),
      scene_(m_, m_.ngeom + count_decoration(model)),
      context_(m_) {
  if (context_.offWidth < scale.width || context_.offHeight < scale.height) {
    throw MujocoError(
        fmt::format("images can be at most {}x{} on this machine", context_.offWidth, context_.offHeight));
  }
}

void ImageScene::update(const World& world, const SceneOptions& options, const mjvCamera& view) {
  place_geoms(world, options);
  mjvOption shown;
  mjv_defaultOption(&shown);
  mjvCamera copy = view;
  mjv_updateScene(&m_, data_.get(), &shown, nullptr, &copy, mjCAT_ALL, &scene_);
  for (int i = 0; options.opacity < 1.0f && i < scene_.ngeom; ++i) {
    scene_.geoms[i].rgba[3] *= options.opacity;
    scene_.geoms[i].transparent = 1;
  }
  add_decoration(world, options, scale_.extent, scene_);
}

void ImageScene::place_geoms(const World& world, const SceneOptions& options) {
  const Model& model = world.model();
  for (std::size_t i = 0; i < image_.shapes.size(); ++i) {
    const ShapeModel& shape = model.shapes[index(image_.shapes[i])];
    const Pose X_WS = world.body_pose(shape.body) * shape.X_BS;
    vec3(data_->geom_xpos + 3 * i) = X_WS.p;
    Eigen::Map<RowMajorMat3>(data_->geom_xmat + 9 * i) = X_WS.q.toRotationMatrix();
    const bool is_shown = (options.shapes == ShownShapes::kVisible ? shape.visible : shape.collide) &&
                          (!options.only || *options.only == shape.body);
    m_.geom_group[i] = is_shown ? kShownGroup : kHiddenGroup;
  }
}

void ImageScene::render(std::vector<std::uint8_t>& rgb) {
  const mjrRect viewport = {0, 0, scale_.width, scale_.height};
  mjr_render(viewport, &scene_, &context_);
  const std::size_t row = 3 * static_cast<std::size_t>(scale_.width);
  const std::size_t rows = static_cast<std::size_t>(scale_.height);
  rgb.resize(row * rows);
  mjr_readPixels(rgb.data(), nullptr, viewport, &context_);
  // OpenGL's rows begin at the bottom.
  for (std::size_t i = 0; i < rows / 2; ++i) {
    const auto upper = rgb.begin() + static_cast<std::ptrdiff_t>(i * row);
    std::swap_ranges(upper, upper + static_cast<std::ptrdiff_t>(row),
                     rgb.begin() + static_cast<std::ptrdiff_t>((rows - 1 - i) * row));
  }
}

}  // namespace lockstep
