#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "simulation/controller_process.h"
#include "simulation/simulation.h"

namespace lockstep {

/// The controllers that a run starts. It is made before the simulation, whose connections ask are_lost() while
/// they wait; LiveConnections starts and ends the processes.
class StartedControllers {
 public:
  /// Commands of the shell, one for each controller.
  explicit StartedControllers(std::vector<std::string> commands) : commands_(std::move(commands)) {}

  /// Whether all have ended before any connection got an answer, such as a program that does not exist: then
  /// there is nothing to wait for. Called by the thread that steps the simulation.
  bool are_lost();

  /// The status of a run that ended because are_lost() was true names commands and exit codes; any other is
  /// returned as it is.
  Status explain(Status status) const;

  const std::deque<ControllerProcess>& processes() const { return processes_; }

 private:
  friend class LiveConnections;
  std::int64_t count_exchanges() const;

  std::vector<std::string> commands_;
  std::deque<ControllerProcess> processes_;
  const Simulation* simulation_ = nullptr;  // once they are started
  std::int64_t exchanges_before_ = 0;       // of all connections, in the run that this one goes on from
  bool are_lost_ = false;
};

/// The connections of a simulation while they are open, with the controllers that were started for them. Says
/// on stderr where each connection waits.
class LiveConnections {
 public:
  /// Opens all connections, then starts the controllers, which find the address of the first connection in
  /// LOCKSTEP_ADDRESS and that of each in LOCKSTEP_ADDRESS_ and its name in capitals. Throws UserError if one
  /// cannot be opened.
  LiveConnections(Simulation& simulation, StartedControllers& controllers);
  LiveConnections(const LiveConnections&) = delete;
  LiveConnections& operator=(const LiveConnections&) = delete;
  ~LiveConnections() { close(); }

  /// Says goodbye, waits for the controllers that were started, and says on stderr how they ended.
  void close();

 private:
  Simulation& simulation_;
  StartedControllers& controllers_;
  bool is_open_ = true;
};

}  // namespace lockstep
