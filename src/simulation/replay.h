#pragma once

#include <optional>
#include <string>

#include "simulation/recording.h"

namespace lockstep {

/// The first thing in which a replay differs from the recording.
struct Difference {
  std::int64_t step = 0;
  std::string signal;  ///< empty: no signal differs, but the state behind them
  double recorded = 0.0;
  double replayed = 0.0;
};

struct ReplayReport {
  std::int64_t steps = 0;  ///< replayed
  std::optional<Difference> difference;
  std::string damage;     ///< what the checksums say; empty if nothing
  bool complete = false;  ///< the recording has its end
  Status status;          ///< of the last step
  std::uint64_t hash = 0;

  bool same() const { return !difference && damage.empty(); }
};

/// Takes the recorded steps again with a simulation of the recorded scenario and compares every signal and the
/// hash of the state after every step, bit for bit. Ends at the first difference. Throws UserError if the
/// recording cannot be read or does not fit the simulation.
ReplayReport replay(Simulation& simulation, RecordingReader& recording);

}  // namespace lockstep
