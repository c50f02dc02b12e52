#pragma once

#include <cstdint>
#include <vector>

#include "assemble/assemble.h"

namespace lockstep {

/// A simulation that can be begun again with other values in its controllers. That costs a few steps;
/// assembling it again costs hundreds.
class RestartableSimulation {
 public:
  /// As assemble(). Throws UserError.
  RestartableSimulation(const Scenario& scenario, const Assets& assets, const Registry& registry);

  Simulation& simulation() { return simulation_; }

  /// Brings the simulation to where a fresh one of `scenario` would begin, bit for bit. The scenario may differ
  /// from the first one in the elements of its controllers alone. Returns false, with nothing changed, if the
  /// controllers now have other signals, so that only a new simulation will do. Throws UserError.
  bool restart(const Scenario& scenario, const Assets& assets, const Registry& registry);

 private:
  Simulation simulation_;
  SignalTable other_signals_;  // without those of controllers and those about the clock
  std::vector<std::uint8_t> start_;
};

}  // namespace lockstep
