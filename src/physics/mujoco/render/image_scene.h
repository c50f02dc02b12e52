#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "physics/mujoco/render/gl_context.h"
#include "physics/mujoco/render/image_model.h"
#include "render/renderer.h"

namespace lockstep {

/// A scene of MuJoCo that is drawn into an image of one size. It has a separate MuJoCo model and data, into which the
/// poses of the world's bodies are copied; physics never runs on them. Its context must be current in all functions
/// and while it is made or destroyed.
class ImageScene {
 public:
  /// Throws MujocoError if OpenGL cannot draw such images.
  ImageScene(const Model& model, const ImageScale& scale);

  /// Puts all shapes and decoration into the scene, seen by MuJoCo's free camera.
  void update(const World& world, const SceneOptions& options, const mjvCamera& view);
  /// Draws the scene: red, green and blue bytes, row by row from the top.
  void render(std::vector<std::uint8_t>& rgb);

  const ImageScale& scale() const { return scale_; }
  mjvScene& scene() { return scene_; }
  mjrContext& context() { return context_; }

 private:
  struct Scene : mjvScene {
    Scene(const mjModel& m, int max_geoms);
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
  };
  struct Context : mjrContext {
    explicit Context(const mjModel& m);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
  };

  void place_geoms(const World& world, const SceneOptions& options);

  ImageScale scale_;
  ImageModel image_;
  mjModel& m_;
  MjDataPtr data_;
  Scene scene_;
  Context context_;
};

/// A light from far away, white.
mjvLight make_light(const Vec3& direction, double ambient, double diffuse, double specular);

void set_vector(float* to, const Vec3& v);

}  // namespace lockstep
