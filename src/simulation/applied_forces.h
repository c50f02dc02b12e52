#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/state.h"
#include "lockstep/world.h"
#include "simulation/event.h"

namespace lockstep {

/// The forces that events apply to bodies: pushes, which last for a number of steps, and pulls, which last
/// until the next one of their body.
class AppliedForces {
 public:
  void add(const Push& push, std::int64_t step);  ///< from `step` on
  void add(const Pull& pull);                     ///< replaces the pull of its body; stiffness 0 ends it

  /// Adds the forces of step `step` to the world, and forgets the pushes that end with it.
  void apply(std::int64_t step, World& world);

  void save(StateWriter& writer) const;
  /// Throws StateError if what is read does not fit the model.
  void restore(StateReader& reader, const Model& model);

 private:
  struct ActivePush {
    Push push;
    std::int64_t last_step;
  };
  std::vector<ActivePush> pushes_;
  std::vector<Pull> pulls_;  // at most one of each body
};

}  // namespace lockstep
