#pragma once

#include <string>
#include <vector>

#include "simulation/simulation.h"

namespace lockstep::serve {

/// Events of a run in words. A pull that moves on is one event, so the order of the calls matters.
class EventTexts {
 public:
  /// Empty for an event that viewers are not told of.
  std::string describe(const Action& action, const Simulation& simulation);
  /// The run is at another instant.
  void clear() { pulled_.clear(); }

 private:
  std::vector<BodyId> pulled_;  // bodies whose pull was described
};

}  // namespace lockstep::serve
