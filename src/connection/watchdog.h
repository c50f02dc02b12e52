#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "connection/command_shaper.h"
#include "lockstep/signals.h"
#include "lockstep/state.h"

namespace lockstep {

/// The watchdogs of one connection. Deterministic: they count simulated time.
class Watchdogs {
 public:
  struct Watchdog {
    std::size_t command = 0;  ///< index in the commands of the connection
    std::int64_t hold = 0;    ///< steps
    std::int64_t ramp = 0;    ///< steps
    double safe = 0.0;
    bool stops = false;
  };

  explicit Watchdogs(std::vector<Watchdog> watchdogs = {});

  /// The controller is silent, since `steps` after its last command: writes the commands. Returns the command whose
  /// watchdog ends the run, if any does.
  const Watchdog* act(std::int64_t steps, std::span<const Slot> slots, Row row, CommandShaper& shaper);
  /// The controller is heard.
  void rest();

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  struct State {
    bool is_acting = false;
    double from = 0.0;  // the command when the ramp began
  };
  std::vector<Watchdog> watchdogs_;
  std::vector<State> states_;
  bool is_resting_ = true;  // follows from the states
};

}  // namespace lockstep
