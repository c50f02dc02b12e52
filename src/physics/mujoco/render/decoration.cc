#include "physics/mujoco/render/decoration.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/render/image_model.h"

namespace lockstep {
namespace {

using Rgba = std::array<float, 4>;

constexpr Rgba kRopeColor = {0.25f, 0.22f, 0.20f, 1.0f};
constexpr Rgba kAxisColor = {0.10f, 0.45f, 0.95f, 1.0f};
constexpr Rgba kMassColor = {0.95f, 0.75f, 0.10f, 1.0f};
constexpr Rgba kWaterColor = {0.25f, 0.50f, 0.65f, 0.45f};
constexpr std::array<Rgba, 3> kFrameColors = {
    {{0.90f, 0.20f, 0.20f, 1.0f}, {0.20f, 0.70f, 0.25f, 1.0f}, {0.20f, 0.35f, 0.90f, 1.0f}}};

// Sizes as fractions of the scene's size.
constexpr double kRopeRadius = 0.003;
constexpr double kArrowLength = 0.16;
constexpr double kArrowRadius = 0.008;
constexpr double kFrameLength = 0.10;
constexpr double kFrameRadius = 0.004;
constexpr double kBallRadius = 0.014;

class Decorator {
 public:
  Decorator(const World& world, const SceneOptions& options, double extent, mjvScene& scene)
      : world_(world), model_(world.model()), options_(options), extent_(extent), scene_(scene) {}

  void add_all() {
    if (!options_.only) add_springs();
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const BodyId body{static_cast<int>(i)};
      if (options_.only && *options_.only != body) continue;
      if (options_.frames) add_frame(world_.body_pose(body));
      if (options_.joint_axes && model_.body(body).joint) add_joint(model_.joint(*model_.body(body).joint));
      if (options_.centers_of_mass && model_.body(body).mass.mass > 0.0) {
        add_ball(world_.body_pose(body) * model_.body(body).mass.center, kMassColor);
      }
    }
    if (!options_.only && model_.medium.water_level) add_water(*model_.medium.water_level);
  }

 private:
  mjvGeom& add(mjtGeom type, const Vec3& size, const Vec3& position, const Rgba& color) {
    LOCKSTEP_CHECK(scene_.ngeom < scene_.maxgeom);
    mjvGeom& geom = scene_.geoms[scene_.ngeom++];
    mjv_initGeom(&geom, type, size.data(), position.data(), nullptr, color.data());
    geom.category = mjCAT_DECOR;
    return geom;
  }

  void add_between(mjtGeom type, double radius, const Vec3& from, const Vec3& to, const Rgba& color) {
    if ((to - from).norm() < 1e-9 * extent_) return;
    mjvGeom& geom = add(type, Vec3::Zero(), Vec3::Zero(), color);
    mjv_makeConnector(&geom, type, radius, from.x(), from.y(), from.z(), to.x(), to.y(), to.z());
  }

  void add_ball(const Vec3& position, const Rgba& color) {
    add(mjGEOM_SPHERE, Vec3::Constant(kBallRadius * extent_), position, color);
  }

  void add_springs() {
    for (const SpringModel& spring : model_.springs) {
      add_between(mjGEOM_CAPSULE, kRopeRadius * extent_, site_pose(world_, spring.a).p,
                  site_pose(world_, spring.b).p, kRopeColor);
    }
  }

  void add_frame(const Pose& X_WB) {
    for (int axis = 0; axis < 3; ++axis) {
      add_between(mjGEOM_ARROW, kFrameRadius * extent_, X_WB.p,
                  X_WB * Vec3(kFrameLength * extent_ * Vec3::Unit(axis)),
                  kFrameColors[static_cast<std::size_t>(axis)]);
    }
  }

  void add_joint(const JointModel& joint) {
    const Pose X_WB = world_.body_pose(joint.body);
    const Vec3 anchor = X_WB * joint.position;
    if (joint.type == JointType::kBall) {
      add_ball(anchor, kAxisColor);
    } else if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) {
      const Vec3 half = X_WB.q * joint.axis * (kArrowLength * extent_ / 2.0);
      add_between(mjGEOM_ARROW, kArrowRadius * extent_, anchor - half, anchor + half, kAxisColor);
    }
  }

  void add_water(double level) {
    const double reach = kFarOfExtent * extent_;
    add(mjGEOM_PLANE, Vec3(reach, reach, 1.0), Vec3(0.0, 0.0, level), kWaterColor);
  }

  const World& world_;
  const Model& model_;
  const SceneOptions& options_;
  double extent_;
  mjvScene& scene_;
};

}  // namespace

void add_decoration(const World& world, const SceneOptions& options, double extent, mjvScene& scene) {
  Decorator(world, options, extent, scene).add_all();
}

int count_decoration(const Model& model) {
  constexpr std::size_t kOfBody = 5;  // three axes, a joint, a centre of mass
  return static_cast<int>(model.springs.size() + kOfBody * model.bodies.size() + 1);
}

}  // namespace lockstep
