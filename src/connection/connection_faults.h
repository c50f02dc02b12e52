#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "connection/peer.h"
#include "signals/fault.h"

/// Faults of a connection (docs/faults.md): which faults are active at an exchange, and which messages are
/// delayed. All of it is part of the state, so that a run with faults is reproducible.
namespace lockstep {

enum class ConnectionDirection { kMeasurements, kCommands };

/// The faults of one exchange.
struct ExchangeFaults {
  MessageFault outgoing = MessageFault::kNone;
  MessageFault incoming = MessageFault::kNone;
  std::int64_t measurement_delay = 0;  ///< steps
  std::int64_t command_delay = 0;      ///< steps
};

/// The faults of one connection.
class ConnectionFaults {
 public:
  struct Fault {
    ConnectionDirection direction = ConnectionDirection::kMeasurements;
    MessageFault message = MessageFault::kNone;
    std::int64_t delay = 0;  ///< steps
    FaultSwitch when;
  };

  ConnectionFaults() = default;
  explicit ConnectionFaults(std::vector<Fault> faults) : faults_(std::move(faults)) {}

  /// Call once per exchange. Delays add up; of the other faults in one direction only the first declared one is
  /// applied.
  ExchangeFaults decide(Row row);

  /// The sum of all delays in a direction, steps: the required capacity of a DelayLine.
  std::int64_t longest_delay(ConnectionDirection direction) const;

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  std::vector<Fault> faults_;
};

/// The faults of each connection, by full name.
struct FaultsOfConnections {
  std::map<std::string, std::vector<ConnectionFaults::Fault>> by_name;
};

/// Rows of numbers in transit, in simulated time. Like bytes in a stream they keep their order: a row sent
/// after a delayed row arrives with it or later.
class DelayLine {
 public:
  /// For rows of `width` numbers, at most `capacity` in transit.
  DelayLine(std::size_t width, std::size_t capacity);

  void send(std::int64_t step, std::int64_t delay, std::span<const double> row);

  /// Removes the rows that have arrived by `step` and copies the newest to `row`. False if there is none.
  bool receive(std::int64_t step, std::span<double> row);

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  std::span<double> row_at(std::size_t position);

  std::size_t width_;
  std::vector<std::int64_t> due_;  // a ring: the step at which each row arrives, never decreasing
  std::vector<double> rows_;       // of the same ring
  std::size_t first_ = 0;          // the oldest row in transit
  std::size_t count_ = 0;
  std::int64_t last_due_ = 0;
};

/// The path of measurements to the controller and of commands back, through the faults of a connection.
class FaultyPath {
 public:
  /// `every` is the number of steps between two exchanges.
  FaultyPath(ConnectionFaults faults, std::size_t reads, std::size_t writes, std::int64_t every);

  /// Decides which faults are active at an exchange, and stores the current measurements. Until the first
  /// delayed row arrives, the controller gets the first measured row.
  void begin_exchange(const Instant& now, Row row, std::span<const Slot> reads, bool is_first);
  const ExchangeFaults& struck() const { return struck_; }
  std::span<const double> measured() const { return measured_; }  ///< as sent to the controller

  /// True if the commands arrive at once; otherwise receive_commands() delivers them later.
  bool send_commands(std::int64_t step, std::span<const double> commands);
  /// The commands that arrive at this step, if any.
  std::optional<std::span<const double>> receive_commands(std::int64_t step);

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  ConnectionFaults faults_;
  ExchangeFaults struck_;         // active at this exchange
  std::vector<double> present_;   // current measurements
  std::vector<double> arrived_;   // buffer for delayed commands
  std::vector<double> measured_;  // last sent; part of the state only if delays are possible
  std::optional<DelayLine> late_measurements_, late_commands_;  // only if there are delay faults
};

}  // namespace lockstep
