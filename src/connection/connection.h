#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/signals.h"
#include "lockstep/state.h"
#include "lockstep/time.h"

namespace lockstep {

enum class ConnectionMode : std::uint16_t {
  kLockStep,  ///< the simulation waits for every command
  kRealTime,  ///< it never waits
};

/// How an exchange went beside its values. Counts of one exchange, or sums of all.
struct ConnectionCounts {
  std::int64_t late = 0;        ///< no answer in time
  std::int64_t lost = 0;        ///< messages that had to be sent again, or answers that never came
  std::int64_t duplicate = 0;   ///< answers to what was answered before
  std::int64_t bad = 0;         ///< damaged, of a wrong kind or with numbers that are not finite
  std::int64_t reconnects = 0;  ///< connections after the first
  std::int64_t missed = 0;      ///< whole periods that passed while an answer was late
};

/// All of them, for sums, signals and files.
inline constexpr std::array kConnectionCounts = {&ConnectionCounts::late,       &ConnectionCounts::lost,
                                                 &ConnectionCounts::duplicate,  &ConnectionCounts::bad,
                                                 &ConnectionCounts::reconnects, &ConnectionCounts::missed};

/// What a connection took in at one exchange: with the scenario all it takes to repeat it without the other
/// side.
struct ConnectionInput {
  std::int64_t step = -1;      ///< of the exchange
  bool is_fresh = false;       ///< `values` came with it
  bool is_connected = false;   ///< somebody is there
  std::vector<double> values;  ///< as they came, one per signal that the other side writes
  ConnectionCounts counts;     ///< of this exchange
};

/// How a connection did in a run, for its summary.
struct ConnectionReport {
  std::int64_t exchanges = 0;
  ConnectionCounts counts;        ///< of all exchanges
  Duration round_trip_median{0};  ///< real time, from the question to the answer
  Duration round_trip_p99{0};
  Duration round_trip_worst{0};
  std::string problem;  ///< what was wrong with the other side last; empty if nothing was
};

/// A controller outside: reads signals, writes command signals, and may be slow, wrong or gone. Called in every
/// step after the controllers; exchanges at its own period.
///
/// What it does follows from the inputs that it takes in, one per exchange, and from nothing else: fed with
/// those of a recording it does the same again.
class Connection : public Stateful {
 public:
  /// Begins to listen. Returns why it cannot; empty if it does. A connection that was not opened exchanges
  /// nothing and leaves the commands as they are.
  virtual std::string open() = 0;

  /// Tells the other side that the run is over, and closes.
  virtual void close() = 0;

  /// Where a controller finds it once it is open.
  virtual std::string address() const = 0;

  virtual ConnectionMode mode() const = 0;

  /// Fails if the other side is silent for too long and the scenario wants the run to end then.
  virtual Status exchange(const Instant& now, Row row) = 0;

  /// The next exchange takes this in, whatever the other side says, and asks it only if the connection is open.
  virtual void feed(const ConnectionInput& input) = 0;

  /// What was taken in at the last exchange, for recordings.
  virtual const ConnectionInput& last_input() const = 0;

  /// What the other side said at the last exchange: last_input(), unless that was fed.
  virtual const ConnectionInput& last_answer() const = 0;

  /// The signals that the other side writes, in the order of the values of an input.
  virtual std::span<const Slot> writes() const = 0;

  /// Simulated seconds per second that the run is held to; nothing: flat out. Answers are late by it.
  virtual void set_pace(std::optional<double> speed) = 0;

  /// Real time that exchange() spent waiting for the other side when it was called last: no fault of
  /// the loop if it is too long.
  virtual Duration waited() const = 0;

  /// Whether that wait was one in which simulated time stands still, for a controller to connect or to come
  /// back: real time begins again after it.
  virtual bool has_paused() const = 0;

  virtual ConnectionReport report() const = 0;
};

}  // namespace lockstep
