#pragma once

#include <cstdint>
#include <vector>

#include "connection/connection.h"
#include "lockstep/error.h"
#include "simulation/scheduled.h"
#include "simulation/signal_row.h"

namespace lockstep {

/// Exchanges with all controllers outside, and the real time spent waiting for them.
class ConnectionExchange {
 public:
  /// Adds a timing signal "NAME/round_trip" for each.
  ConnectionExchange(std::vector<Scheduled<Connection>> connections, SignalRow& signals);

  /// One exchange with each, in order; stops at the first that fails.
  Status exchange(const Instant& now, SignalRow& signals);

  /// Whether some of them may fail in this step.
  bool may_exchange(std::int64_t step) const;

  std::vector<Scheduled<Connection>>& connections() { return connections_; }
  const std::vector<Scheduled<Connection>>& connections() const { return connections_; }
  Duration waited() const { return waited_; }      ///< in the last exchange
  bool has_paused() const { return has_paused_; }  ///< simulated time was paused during the wait

 private:
  std::vector<Scheduled<Connection>> connections_;
  std::vector<Slot> round_trips_;  // timing signal of each connection
  Duration waited_{0};
  bool has_paused_ = false;
};

}  // namespace lockstep
