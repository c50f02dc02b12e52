#pragma once

#include "physics/engine.h"

namespace lockstep {

/// The engine MuJoCo 2.2. Its options are in physics/mujoco/options.h.
class MujocoEngine final : public Engine {
 public:
  std::string_view name() const override;
  EngineCapabilities capabilities() const override;
  std::vector<EngineChild> children() const override;
  void check(const Model& model, Diagnostics& diagnostics) const override;
  std::unique_ptr<World> make_world(std::shared_ptr<const Model> model) const override;
};

}  // namespace lockstep
