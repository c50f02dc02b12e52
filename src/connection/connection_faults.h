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

/// Faults of a connection (docs/faults.md): which of them strike at an exchange, and what is under way because
/// of a delay. All of it is part of the state, so that a run with faults repeats like any other.
namespace lockstep {

enum class ConnectionDirection { kMeasurements, kCommands };

/// What is done to one exchange.
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

  /// Once per exchange. Delays add up; of the other faults in one direction the one declared first is
  /// committed.
  ExchangeFaults decide(Row row);

  /// The sum of all delays in a direction, steps: how much a DelayLine must be able to hold back.
  std::int64_t longest_delay(ConnectionDirection direction) const;

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  std::vector<Fault> faults_;
};

/// The faults of each connection, by its full name.
struct FaultsOfConnections {
  std::map<std::string, std::vector<ConnectionFaults::Fault>> by_name;
};

/// Rows of numbers on their way, in simulated time. Like bytes in a stream none overtakes another: what is sent
/// after a delayed row arrives with it or later.
class DelayLine {
 public:
  /// For rows of `width` numbers of which at most `capacity` are under way at once.
  DelayLine(std::size_t width, std::size_t capacity);

  void send(std::int64_t step, std::int64_t delay, std::span<const double> row);

  /// Takes what has arrived up to `step`; the newest of it goes to `row`. False if nothing has.
  bool receive(std::int64_t step, std::span<double> row);

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  std::span<double> row_at(std::size_t position);

  std::size_t width_;
  std::vector<std::int64_t> due_;  // a ring: the step at which each row arrives, never decreasing
  std::vector<double> rows_;       // of the same ring
  std::size_t first_ = 0;          // the oldest row under way
  std::size_t count_ = 0;
  std::int64_t last_due_ = 0;
};

/// The way of measurements to the other side and of commands back, through the faults of a connection.
class FaultyPath {
 public:
  /// `every` is the number of steps between two exchanges.
  FaultyPath(ConnectionFaults faults, std::size_t reads, std::size_t writes, std::int64_t every);

  /// Decides which faults strike at an exchange, and takes in what is measured now. Until the first late row
  /// has arrived the other side gets the first that was measured.
  void begin_exchange(const Instant& now, Row row, std::span<const Slot> reads, bool is_first);
  const ExchangeFaults& struck() const { return struck_; }
  std::span<const double> measured() const { return measured_; }  ///< as the other side gets it

  /// True if the commands arrive at once; else receive_commands() has them when they do.
  bool send_commands(std::int64_t step, std::span<const double> commands);
  /// What arrives at this step, if anything does.
  std::optional<std::span<const double>> receive_commands(std::int64_t step);

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  ConnectionFaults faults_;
  ExchangeFaults struck_;         // at this exchange
  std::vector<double> present_;   // what is measured now
  std::vector<double> arrived_;   // room for commands that come late
  std::vector<double> measured_;  // what was sent last only counts if it can be late
  std::optional<DelayLine> late_measurements_, late_commands_;  // if there are faults that delay
};

}  // namespace lockstep
