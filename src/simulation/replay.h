#pragma once

#include <optional>
#include <string>

#include "simulation/recording.h"
#include "simulation/runner.h"

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
/// hash of the state after every step, bit for bit. Connections are fed with what came then. Ends at the first
/// difference. Throws UserError if the recording cannot be read or does not fit the simulation.
///
/// `hook` sees the start and every step that is the same; the replay ends with a status of it that is not ok.
ReplayReport replay(Simulation& simulation, RecordingReader& recording, StepHook* hook = nullptr);

/// The first command in which a controller differs from the one that was recorded.
struct CommandDifference {
  std::size_t connection = 0;
  std::int64_t exchange = 0;  ///< of that connection in the recording, from 1
  std::int64_t step = 0;
  bool is_missing = false;  ///< no command came at all
  std::string signal;
  double recorded = 0.0;
  double received = 0.0;
};

struct PlantReport {
  ReplayReport plant;          ///< the machine must be what it was, or the comparison means nothing
  std::int64_t exchanges = 0;  ///< that were compared
  std::optional<CommandDifference> difference;

  bool same() const { return plant.same() && !difference; }
};

/// As replay(), with controllers at the connections, which the caller has opened: they see the recorded
/// machine, whatever they command, and their commands are compared with those that were recorded. Ends at the
/// first that differs by more than `tolerance`, in the unit of its signal. Exchanges at which no command was
/// recorded are not compared. Throws UserError also if a connection was in real time: then nobody knows which
/// measurement a command answered.
PlantReport replay_as_plant(Simulation& simulation, RecordingReader& recording, double tolerance);

}  // namespace lockstep
