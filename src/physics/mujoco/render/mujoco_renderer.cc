#include "physics/mujoco/render/mujoco_renderer.h"

#include <algorithm>
#include <cmath>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/render/decoration.h"
#include "physics/mujoco/render/gl_context.h"
#include "physics/mujoco/render/image_model.h"

namespace lockstep {
namespace {

/// Groups of MuJoCo's geoms; by default it draws the first three.
constexpr int kShownGroup = 0;
constexpr int kHiddenGroup = 5;

/// The sun is behind the default camera, to the left.
const Vec3 kSunDirection = Vec3(0.35, 0.55, -1.0).normalized();
const Vec3 kFillDirection = Vec3(-0.8, 0.3, -0.3).normalized();

/// Area covered by shadows, relative to the visible area at the distance of the target.
constexpr double kShadowReach = 1.6;

struct Scene : mjvScene {
  Scene(const mjModel& m, int max_geoms) {
    mjv_defaultScene(this);
    mjv_makeScene(&m, this, max_geoms);
  }
  ~Scene() { mjv_freeScene(this); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
};

struct Context : mjrContext {
  explicit Context(const mjModel& m) {
    mjr_defaultContext(this);
    mjr_makeContext(&m, this, mjFONTSCALE_100);
    mjr_setBuffer(mjFB_OFFSCREEN, this);
  }
  ~Context() { mjr_freeContext(this); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

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

/// Renders with MuJoCo. It has a separate MuJoCo model and data, into which the poses of the world's bodies are
/// copied; physics never runs on them.
class MujocoRenderer final : public Renderer {
 public:
  MujocoRenderer(std::unique_ptr<GlContext> gl, const Model& model, const ImageScale& scale)
      : gl_(std::move(gl)),
        scale_(scale),
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

  ~MujocoRenderer() override { gl_->make_current(); }  // for the members that are freed next

  void draw(const World& world, const OrbitCamera& camera, const SceneOptions& options, Image& image) override {
    gl_->make_current();
    place_geoms(world, options);
    mjvOption shown;
    mjv_defaultOption(&shown);
    mjvCamera view = make_view(camera);
    mjv_updateScene(&m_, data_.get(), &shown, nullptr, &view, mjCAT_ALL, &scene_);
    for (int i = 0; options.opacity < 1.0f && i < scene_.ngeom; ++i) {
      scene_.geoms[i].rgba[3] *= options.opacity;
      scene_.geoms[i].transparent = 1;
    }
    add_decoration(world, options, scale_.extent, scene_);
    set_depth(camera);
    set_lights(camera);
    scene_.flags[mjRND_HAZE] = options.only ? 0 : 1;
    const mjrRect viewport = {0, 0, scale_.width, scale_.height};
    mjr_render(viewport, &scene_, &context_);
    read_pixels(viewport, image);
  }

 private:
  void place_geoms(const World& world, const SceneOptions& options) {
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

  static mjvCamera make_view(const OrbitCamera& camera) {
    constexpr double kDegrees = 180.0 / std::numbers::pi;
    mjvCamera view;
    mjv_defaultCamera(&view);
    vec3(view.lookat) = camera.target;
    view.distance = camera.distance;
    // MuJoCo's angles are those of the viewing direction.
    view.azimuth = camera.azimuth * kDegrees + 180.0;
    view.elevation = -camera.elevation * kDegrees;
    return view;
  }

  /// Near and far planes for the distance, which may be much smaller or larger than the scene.
  void set_depth(const OrbitCamera& camera) {
    for (mjvGLCamera& eye : scene_.camera) {
      const float scale = static_cast<float>(camera.distance * kNearOfDistance) / eye.frustum_near;
      eye.frustum_near *= scale;
      eye.frustum_bottom *= scale;
      eye.frustum_top *= scale;
      eye.frustum_center *= scale;
    }
  }

  void set_lights(const OrbitCamera& camera) {
    const double aspect = static_cast<double>(scale_.width) / scale_.height;
    const double reach = kShadowReach * camera.distance * std::tan(kFieldOfView / 2.0) * std::max(1.0, aspect);
    mjvLight sun = make_light(kSunDirection, 0.0, 0.6, 0.3);
    sun.castshadow = 1;
    set_vector(sun.pos, camera.target - 2.0 * reach * kSunDirection);
    context_.shadowClip = static_cast<float>(reach);
    scene_.lights[0] = sun;
    // The only light in the shadow of the sun.
    scene_.lights[1] = make_light(kFillDirection, 0.42, 0.28, 0.0);
    scene_.nlight = 2;
  }

  /// OpenGL's rows begin at the bottom.
  void read_pixels(const mjrRect& viewport, Image& image) {
    const std::size_t row = 3 * static_cast<std::size_t>(scale_.width);
    const std::size_t rows = static_cast<std::size_t>(scale_.height);
    image.width = scale_.width;
    image.height = scale_.height;
    image.rgb.resize(row * rows);
    mjr_readPixels(image.rgb.data(), nullptr, viewport, &context_);
    for (std::size_t i = 0; i < rows / 2; ++i) {
      const auto upper = image.rgb.begin() + static_cast<std::ptrdiff_t>(i * row);
      std::swap_ranges(upper, upper + static_cast<std::ptrdiff_t>(row),
                       image.rgb.begin() + static_cast<std::ptrdiff_t>((rows - 1 - i) * row));
    }
  }

  static constexpr double kNearOfDistance = 0.02;

  std::unique_ptr<GlContext> gl_;
  ImageScale scale_;
  ImageModel image_;
  mjModel& m_;
  MjDataPtr data_;
  Scene scene_;
  Context context_;
};

}  // namespace

Result<std::unique_ptr<Renderer>> make_mujoco_renderer(const World& world, int width, int height) {
  LOCKSTEP_CHECK(width > 0 && width <= kMaxImageWidth && height > 0 && height <= kMaxImageHeight);
  Result<std::unique_ptr<GlContext>> gl = make_gl_context();
  if (!gl) return Failure{gl.error()};
  const Bounds bounds = ShapeBounds(world.model()).calc(world);
  // A scene with planes only has no size; any value works.
  const double extent = bounds.isEmpty() ? 1.0 : std::max(1e-3, bounds.sizes().norm());
  try {
    return std::make_unique<MujocoRenderer>(*std::move(gl), world.model(),
                                            ImageScale{.width = width, .height = height, .extent = extent});
  } catch (const MujocoError& error) {
    return Failure{fmt::format("OpenGL of this machine cannot render: {}", error.what())};
  }
}

}  // namespace lockstep
