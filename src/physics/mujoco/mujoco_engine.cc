#include "physics/mujoco/mujoco_engine.h"

#include "physics/mujoco/compile.h"
#include "physics/mujoco/world.h"

namespace lockstep {

std::string_view MujocoEngine::name() const {
  return kMujoco;
}

EngineCapabilities MujocoEngine::capabilities() const {
  return {.integrators = {Integrator::kEuler, Integrator::kImplicit, Integrator::kRk4},
          .closed_loops = true,
          .couplings = true,
          .springs_and_ropes = true,
          .height_fields = true,
          .meshes = true,
          .restitution = true,
          .rolling_friction = true,
          .detachable_joints = true,
          .driven_joints = true,
          .joint_friction = true,
          .ray_casts = true,
          .contact_forces = true,
          .joint_reactions = true,
          .exact_restore = true};
}

/// The same meaning wherever the element appears; its attributes depend on the parent element.
constexpr std::string_view kMujocoOptionsDoc = "MuJoCo-specific options of the parent element.";

std::vector<EngineChild> MujocoEngine::children() const {
  return {make_engine_child<MujocoOptions>(EngineHost::kEngine, kMujoco, kMujocoOptionsDoc),
          make_engine_child<MujocoJointOptions>(EngineHost::kJoint, kMujoco, kMujocoOptionsDoc),
          make_engine_child<MujocoContactOptions>(EngineHost::kContact, kMujoco, kMujocoOptionsDoc),
          make_engine_child<MujocoConstraintOptions>(EngineHost::kConstraint, kMujoco, kMujocoOptionsDoc)};
}

void MujocoEngine::check(const Model& model, Diagnostics& diagnostics) const {
  check_for_mujoco(model, diagnostics);
}

std::unique_ptr<World> MujocoEngine::make_world(std::shared_ptr<const Model> model) const {
  return std::make_unique<MujocoWorld>(std::move(model));
}

}  // namespace lockstep
