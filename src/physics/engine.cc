#include "physics/engine.h"

#include <algorithm>

#include "scenario/describe.h"

namespace lockstep {

std::vector<std::pair<std::string_view, bool>> list_capabilities(const EngineCapabilities& c) {
  return {{"closed_loops", c.closed_loops},
          {"couplings", c.couplings},
          {"springs_and_ropes", c.springs_and_ropes},
          {"height_fields", c.height_fields},
          {"meshes", c.meshes},
          {"restitution", c.restitution},
          {"rolling_friction", c.rolling_friction},
          {"detachable_joints", c.detachable_joints},
          {"driven_joints", c.driven_joints},
          {"joint_friction", c.joint_friction},
          {"ray_casts", c.ray_casts},
          {"contact_forces", c.contact_forces},
          {"joint_reactions", c.joint_reactions},
          {"exact_restore", c.exact_restore}};
}

std::string list_integrators(const EngineCapabilities& capabilities) {
  std::string text;
  for (const auto& [name, integrator] : kIntegrators) {
    const auto& offered = capabilities.integrators;
    if (std::find(offered.begin(), offered.end(), integrator) == offered.end()) continue;
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

void check_capabilities(const Engine& engine, const Model& model, Diagnostics& diagnostics) {
  const EngineCapabilities can = engine.capabilities();
  const Place& place = model.engine.place;
  for (const auto& [name, integrator] : kIntegrators) {
    if (integrator != model.engine.integrator) continue;
    if (std::find(can.integrators.begin(), can.integrators.end(), integrator) == can.integrators.end())
      diagnostics.error(place, "engine: {} has no integrator '{}'; it has {}", engine.name(), name,
                        list_integrators(can));
  }
  const auto need = [&](bool is_needed, bool is_offered, const Place& where, const std::string& subject,
                        std::string_view what) {
    if (is_needed && !is_offered)
      diagnostics.error(where, "{}: engine '{}' cannot simulate {}", subject, engine.name(), what);
  };
  for (const LoopModel& loop : model.loops)
    need(true, can.closed_loops, place, fmt::format("loop '{}'", loop.name), "closed loops");
  for (const CouplingModel& coupling : model.couplings)
    need(true, can.couplings, place, fmt::format("coupling '{}'", coupling.name), "coupled joints");
  for (const SpringModel& spring : model.springs)
    need(true, can.springs_and_ropes, place, fmt::format("spring '{}'", spring.name), "springs and ropes");
  for (const JointModel& joint : model.joints) {
    const std::string subject = fmt::format("joint '{}'", joint.name);
    need(joint.detachable, can.detachable_joints, joint.place, subject, "detachable joints");
    need(joint.friction > 0.0, can.joint_friction, joint.place, subject, "dry friction in joints");
  }
  for (const ShapeModel& shape : model.shapes) {
    if (!shape.collide) continue;
    const Place& where = model.body(shape.body).place;
    const std::string subject = fmt::format("shape '{}'", shape.name);
    need(std::holds_alternative<HeightmapGeometry>(shape.geometry), can.height_fields, where, subject,
         "height fields");
    need(std::holds_alternative<MeshGeometry>(shape.geometry), can.meshes, where, subject, "meshes");
  }
  for (const Material& material : model.materials) {
    const std::string subject = fmt::format("material '{}'", material.name);
    need(material.restitution > 0.0, can.restitution, material.place, subject, "restitution");
    need(material.rolling_friction > 0.0 || material.torsional_friction > 0.0, can.rolling_friction,
         material.place, subject, "rolling and torsional friction");
  }
}

}  // namespace lockstep
