#include "physics/mujoco/render/mujoco_camera_views.h"

#include <cmath>

#include "physics/mujoco/render/gl_context.h"
#include "physics/mujoco/render/image_scene.h"

namespace lockstep {
namespace {

/// Nearest and farthest distance that is drawn, m.
constexpr double kNear = 0.01;
constexpr double kFar = 100.0;

/// Size of the scene, m, which makes the squares of the ground 10 cm wide.
constexpr double kExtent = 1.0;

/// Each face has at least this part of its color, wherever the light comes from, and at most all of it.
constexpr double kAmbient = 0.65;
const Vec3 kLightDirection = Vec3(0.35, 0.55, -1.0).normalized();

class MujocoCameraView final : public CameraView {
 public:
  MujocoCameraView(std::unique_ptr<GlContext> gl, const Model& model, const CameraOptics& optics)
      : gl_(std::move(gl)),
        optics_(optics),
        image_(std::make_unique<ImageScene>(
            model,
            ImageScale{
                .width = optics.width, .height = optics.height, .extent = kExtent, .has_effects = false})) {
    gl_->release();  // the simulation may run in another thread than the one that assembles it
  }

  ~MujocoCameraView() override {
    gl_->make_current();  // for the scene
    image_.reset();
    gl_->release();
  }

  void draw(const World& world, const Pose& X_WC, std::vector<std::uint8_t>& rgb) override {
    gl_->make_current();
    mjvCamera any;
    mjv_defaultCamera(&any);
    image_->update(world, {}, any);
    look_from(X_WC);
    mjvScene& scene = image_->scene();
    scene.lights[0] = make_light(kLightDirection, kAmbient, 1.0 - kAmbient, 0.0);
    scene.nlight = 1;
    scene.flags[mjRND_SHADOW] = 0;
    scene.flags[mjRND_REFLECTION] = 0;
    scene.flags[mjRND_HAZE] = 0;
    image_->render(rgb);
    gl_->release();
  }

 private:
  void look_from(const Pose& X_WC) {
    const double half_width = kNear * std::tan(optics_.field_of_view / 2.0);
    const double half_height = half_width * optics_.height / optics_.width;
    // Both eyes of MuJoCo's stereoscopic camera; without stereo it uses the mean of them.
    for (mjvGLCamera& eye : image_->scene().camera) {
      set_vector(eye.pos, X_WC.p);
      set_vector(eye.forward, X_WC.q * Vec3::UnitX());
      set_vector(eye.up, X_WC.q * Vec3::UnitZ());
      eye.frustum_center = 0.0f;
      eye.frustum_bottom = static_cast<float>(-half_height);
      eye.frustum_top = static_cast<float>(half_height);
      eye.frustum_near = static_cast<float>(kNear);
      eye.frustum_far = static_cast<float>(kFar);
    }
  }

  std::unique_ptr<GlContext> gl_;
  CameraOptics optics_;
  std::unique_ptr<ImageScene> image_;
};

class MujocoCameraViews final : public CameraViews {
 public:
  Result<std::unique_ptr<CameraView>> open(const Model& model, const CameraOptics& optics) const override {
    Result<std::unique_ptr<GlContext>> gl = make_software_gl_context();
    if (!gl) return Failure{gl.error()};
    try {
      return std::make_unique<MujocoCameraView>(*std::move(gl), model, optics);
    } catch (const MujocoError& error) {
      return Failure{fmt::format("OpenGL of this machine cannot render: {}", error.what())};
    }
  }
};

}  // namespace

std::shared_ptr<const CameraViews> make_mujoco_camera_views() {
  return std::make_shared<MujocoCameraViews>();
}

}  // namespace lockstep
