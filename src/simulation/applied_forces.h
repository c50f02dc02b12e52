#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/state.h"
#include "lockstep/world.h"
#include "simulation/event.h"

namespace lockstep {

/// Forces that events apply to bodies: pushes, which last for a number of steps, and pulls (spring and damper),
/// which last until the next pull of the same body.
class AppliedForces {
 public:
  void add(const Push& push, std::int64_t step);  ///< starts at `step`
  void add(const Pull& pull);                     ///< replaces the pull of its body; stiffness 0 ends it

  /// Adds the forces of step `step` to the world, and removes the pushes that end with it.
  void apply(std::int64_t step, World& world);

  void save(StateWriter& writer) const;
  /// Throws StateError if the state does not match the model.
  void restore(StateReader& reader, const Model& model);

 private:
  struct ActivePush {
    Push push;
    std::int64_t last_step;
  };
  std::vector<ActivePush> pushes_;
  std::vector<Pull> pulls_;  // at most one per body
};

}  // namespace lockstep
