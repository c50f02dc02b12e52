#pragma once

#include <optional>
#include <string>

#include "simulation/recording.h"
#include "simulation/runner.h"

namespace lockstep {

/// The first difference between a replay and its recording.
struct Difference {
  std::int64_t step = 0;
  std::string signal;  ///< empty: only the state differs, no signal
  double recorded = 0.0;
  double replayed = 0.0;
};

struct ReplayReport {
  std::int64_t steps = 0;  ///< replayed
  std::optional<Difference> difference;
  std::string damage;     ///< checksum error; empty if none
  bool complete = false;  ///< the recording is not truncated
  Status status;          ///< of the last step
  std::uint64_t hash = 0;

  bool same() const { return !difference && damage.empty(); }
};

/// Repeats the recorded steps with a simulation of the recorded scenario, feeding the recorded inputs of
/// connections, and compares every signal and the state hash after every step, bit for bit. Ends at the first
/// difference. Throws UserError if the recording cannot be read or does not match the simulation.
///
/// `hook` sees the start and every step without difference; the replay ends if it returns a status that is not
/// ok.
ReplayReport replay(Simulation& simulation, RecordingReader& recording, StepHook* hook = nullptr);

/// The first command that differs from the recorded one.
struct CommandDifference {
  std::size_t connection = 0;
  std::int64_t exchange = 0;  ///< of that connection in the recording, counted from 1
  std::int64_t step = 0;
  bool is_missing = false;  ///< no command was received
  std::string signal;
  double recorded = 0.0;
  double received = 0.0;
};

struct PlantReport {
  ReplayReport plant;          ///< the plant must match the recording for the comparison to be valid
  std::int64_t exchanges = 0;  ///< compared exchanges
  std::optional<CommandDifference> difference;

  bool same() const { return plant.same() && !difference; }
};

/// As replay(), with live controllers at the connections, which the caller has opened: they get the recorded
/// measurements whatever they command, and their commands are compared with the recorded ones. Ends at the
/// first difference above `tolerance`, in the unit of its signal. Exchanges without a recorded command are not
/// compared. Also throws UserError if a connection ran in real time: then it is unknown which measurement a
/// command answered.
PlantReport replay_as_plant(Simulation& simulation, RecordingReader& recording, double tolerance);

}  // namespace lockstep
