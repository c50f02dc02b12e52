#include "physics/mujoco/render/mujoco_renderer.h"

#include <algorithm>
#include <cmath>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/render/gl_context.h"
#include "physics/mujoco/render/image_scene.h"

namespace lockstep {
namespace {

/// The sun is behind the default camera, to the left.
const Vec3 kSunDirection = Vec3(0.35, 0.55, -1.0).normalized();
const Vec3 kFillDirection = Vec3(-0.8, 0.3, -0.3).normalized();

/// Area covered by shadows, relative to the visible area at the distance of the target.
constexpr double kShadowReach = 1.6;

/// Renders with MuJoCo.
class MujocoRenderer final : public Renderer {
 public:
  MujocoRenderer(std::unique_ptr<GlContext> gl, const Model& model, const ImageScale& scale)
      : gl_(std::move(gl)), image_(model, scale), scene_(image_.scene()) {}

  ~MujocoRenderer() override { gl_->make_current(); }  // for the members that are freed next

  void draw(const World& world, const OrbitCamera& camera, const SceneOptions& options, Image& image) override {
    gl_->make_current();
    image_.update(world, options, make_view(camera));
    set_depth(camera);
    set_lights(camera);
    scene_.flags[mjRND_HAZE] = options.only ? 0 : 1;
    image.width = image_.scale().width;
    image.height = image_.scale().height;
    image_.render(image.rgb);
  }

 private:
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
    const ImageScale& scale = image_.scale();
    const double aspect = static_cast<double>(scale.width) / scale.height;
    const double reach = kShadowReach * camera.distance * std::tan(kFieldOfView / 2.0) * std::max(1.0, aspect);
    mjvLight sun = make_light(kSunDirection, 0.0, 0.6, 0.3);
    sun.castshadow = 1;
    set_vector(sun.pos, camera.target - 2.0 * reach * kSunDirection);
    image_.context().shadowClip = static_cast<float>(reach);
    scene_.lights[0] = sun;
    // The only light in the shadow of the sun.
    scene_.lights[1] = make_light(kFillDirection, 0.42, 0.28, 0.0);
    scene_.nlight = 2;
  }

  static constexpr double kNearOfDistance = 0.02;

  std::unique_ptr<GlContext> gl_;
  ImageScene image_;
  mjvScene& scene_;
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
