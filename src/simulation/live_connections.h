#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "simulation/controller_process.h"
#include "simulation/simulation.h"

namespace lockstep {

/// The controllers that a run starts. Created before the simulation, whose connections poll are_lost() while
/// they wait; LiveConnections starts and ends the processes.
class StartedControllers {
 public:
  /// Shell commands, one per controller.
  explicit StartedControllers(std::vector<std::string> commands) : commands_(std::move(commands)) {}

  /// Whether waiting is useless, because all have ended: before any connection got an answer (for example because
  /// a program does not exist), or later if silence ends the run anyway. Called by the thread that steps the
  /// simulation.
  bool are_lost();

  /// Prints to stderr, once for each, that a controller has ended while the run goes on. Call it now and then.
  void note_ended();

  /// The status of a run that ended because are_lost() was true names commands and exit codes; any other is
  /// returned as it is.
  Status explain(Status status) const;

  const std::deque<ControllerProcess>& processes() const { return processes_; }

 private:
  friend class LiveConnections;
  std::int64_t count_exchanges() const;

  std::vector<std::string> commands_;
  std::deque<ControllerProcess> processes_;
  const Simulation* simulation_ = nullptr;  // set when they are started
  std::int64_t exchanges_before_ = 0;       // of all connections, before this run
  bool are_lost_ = false;
  bool have_answered_ = false;   // a connection had an answer in this run
  std::vector<bool> are_noted_;  // ended, and printed
  bool is_closing_ = false;
};

/// How controllers find the open connections of a simulation: LOCKSTEP_ADDRESS holds the address of the first,
/// LOCKSTEP_ADDRESS_NAME that of connection "name".
std::vector<std::pair<std::string, std::string>> controller_environment(const Simulation& simulation);

/// The open connections of a simulation, with the controllers started for them. Prints the address of each
/// connection to stderr.
class LiveConnections {
 public:
  /// Opens all connections, then starts the controllers in their controller_environment(). Throws UserError if
  /// one cannot be opened.
  LiveConnections(Simulation& simulation, StartedControllers& controllers);
  LiveConnections(const LiveConnections&) = delete;
  LiveConnections& operator=(const LiveConnections&) = delete;
  ~LiveConnections() { close(); }

  /// Closes the connections, waits for the started controllers, and prints to stderr how they ended.
  void close();

 private:
  Simulation& simulation_;
  StartedControllers& controllers_;
  bool is_open_ = true;
};

}  // namespace lockstep
