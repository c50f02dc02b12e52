#pragma once

#include <cstdint>
#include <vector>

#include "assemble/assemble.h"

namespace lockstep {

/// A simulation that can be restarted with other controller settings. A restart takes as long as a few steps,
/// assembling a new simulation as long as hundreds.
class RestartableSimulation {
 public:
  /// Like assemble(). Throws UserError.
  RestartableSimulation(const Scenario& scenario, const Assets& assets, const Registry& registry);

  Simulation& simulation() { return simulation_; }

  /// Resets the simulation to the initial state of `scenario`, bit for bit. The scenario may differ from the
  /// first one only in its controllers. Returns false, without any change, if the controllers now have other
  /// signals, which needs a new simulation. Throws UserError.
  bool restart(const Scenario& scenario, const Assets& assets, const Registry& registry);

 private:
  Simulation simulation_;
  SignalTable other_signals_;  // without signals of controllers and of the clock
  std::vector<std::uint8_t> start_;
};

}  // namespace lockstep
