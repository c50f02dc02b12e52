#pragma once

#include <memory>
#include <optional>
#include <string>

#include "geometry/image.h"
#include "lockstep/world.h"
#include "render/camera.h"

/// Offscreen rendering of a world.
namespace lockstep {

enum class ShownShapes { kVisible, kCollision };

/// What an image shows in addition to the shapes. Sizes follow the scene.
struct SceneOptions {
  ShownShapes shapes = ShownShapes::kVisible;
  bool joint_axes = false;       ///< an arrow along the axis of each hinge and slide; a ball for a ball joint
  bool frames = false;           ///< the axes of each body: x red, y green, z blue
  bool centers_of_mass = false;  ///< of each body that has a mass
  std::optional<BodyId> only;    ///< this body alone, without ground and horizon; none: everything
  float opacity = 1.0f;          ///< of shapes; marks inside are visible through them
};

/// Renders worlds of one model. It uses only the const interface of a world, so that rendering does not affect
/// the simulation. Use it only in the thread that created it.
class Renderer {
 public:
  virtual ~Renderer() = default;
  virtual void draw(const World& world, const OrbitCamera& camera, const SceneOptions& options,
                    Image& image) = 0;
};

inline constexpr int kMinImageSize = 16;  ///< pixels
inline constexpr int kMaxImageWidth = 7680;
inline constexpr int kMaxImageHeight = 4320;

}  // namespace lockstep
