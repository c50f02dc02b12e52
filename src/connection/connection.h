#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// Error counts of one exchange, or their sums over all exchanges.
struct ConnectionCounts {
  std::int64_t late = 0;        ///< no answer in time
  std::int64_t lost = 0;        ///< messages that were sent again, or answers that never came
  std::int64_t duplicate = 0;   ///< repeated answers
  std::int64_t bad = 0;         ///< damaged, unexpected type, or non-finite numbers
  std::int64_t reconnects = 0;  ///< connections after the first
  std::int64_t missed = 0;      ///< full periods that passed while an answer was late
};

/// All counts, for sums, signals and files.
inline constexpr std::array kConnectionCounts = {&ConnectionCounts::late,       &ConnectionCounts::lost,
                                                 &ConnectionCounts::duplicate,  &ConnectionCounts::bad,
                                                 &ConnectionCounts::reconnects, &ConnectionCounts::missed};

/// The input of a connection at one exchange. With the scenario it is enough to repeat the exchange without the
/// controller.
struct ConnectionInput {
  std::int64_t step = -1;      ///< of the exchange
  bool is_fresh = false;       ///< `values` are new
  bool is_connected = false;   ///< a controller is connected
  std::vector<double> values;  ///< as received, one per signal that the controller writes
  ConnectionCounts counts;     ///< of this exchange
};

/// What a connection does now, by its channel and not by its last exchange.
struct ConnectionState {
  bool is_connected = false;  ///< to a controller
  bool is_waiting = false;    ///< exchange() waits for the controller
};

/// What happened at a connection, for texts and viewers.
enum class ConnectionEventKind {
  kConnected,  ///< a controller was accepted
  kRejected,   ///< a client was rejected, or did not say what it is
  kBad,        ///< a message was not used; one per exchange is kept
  kLeft,       ///< the controller left, or its connection ended
  kSilent,     ///< no answer in time; the run goes on, or ends
  kPaused,     ///< no answer in time; simulated time is paused
  kReturned,   ///< the first answer after that
};

/// "connected", "rejected" …
std::string_view name(ConnectionEventKind kind);

struct ConnectionEvent {
  ConnectionEventKind kind{};
  std::int64_t step = 0;
  Duration time{0};  ///< simulated
  std::string text;  ///< a sentence with the reason
};

/// Called in the thread that steps the simulation.
using ConnectionListener = std::function<void(const ConnectionEvent&)>;

/// Bounds of the histograms of real times of a connection.
inline constexpr std::array kTimeBounds = {Duration(10'000),     Duration(30'000),     Duration(100'000),
                                           Duration(300'000),    Duration(1'000'000),  Duration(3'000'000),
                                           Duration(10'000'000), Duration(30'000'000), Duration(100'000'000)};
using TimeHistogram =
    std::array<std::int64_t, kTimeBounds.size() + 1>;  ///< up to each bound, and beyond the last

/// Real times of all exchanges of a connection.
struct TimeStatistics {
  Duration median{0};
  Duration p99{0};
  Duration worst{0};
  Duration worst_at{0};  ///< simulated time of the worst
  TimeHistogram histogram{};
};

/// Statistics of a connection over a run.
struct ConnectionReport {
  std::int64_t exchanges = 0;
  ConnectionCounts counts;                     ///< of all exchanges
  TimeStatistics round_trip;                   ///< real time, from request to answer
  TimeStatistics jitter;                       ///< difference between one round trip and the one before
  std::optional<Duration> command_age{};       ///< simulated time since the command in use was taken; none yet
  std::optional<Duration> command_wall_age{};  ///< the same in real time
  std::string controller;                      ///< name of the controller that connected last; empty if none
  std::string problem;                         ///< why a client or message was rejected last; empty if none was
  std::vector<ConnectionEvent> events;         ///< the last ones, oldest first
};

/// A controller outside the process: reads signals and writes command signals; may be slow, faulty or absent.
/// Called in every step after the controllers; exchanges at its own period.
///
/// Its behaviour depends only on its inputs, one per exchange: fed with the inputs of a recording it repeats
/// the run.
class Connection : public Stateful {
 public:
  /// Starts to listen. Returns the error; empty on success. A connection that is not open does not exchange
  /// anything and leaves the commands unchanged.
  virtual std::string open() = 0;

  /// Tells the controller that the run is over, and closes.
  virtual void close() = 0;

  /// Address for the controller, once it is open.
  virtual std::string address() const = 0;

  virtual ConnectionMode mode() const = 0;

  /// Whether exchange() at this step asks the controller or uses an input. Only then it can fail.
  virtual bool may_exchange(std::int64_t step) const = 0;

  /// Fails if the controller is silent for too long and the scenario says silence="stop".
  virtual Status exchange(const Instant& now, Row row) = 0;

  /// The next exchange uses this input instead of the controller's answer; it still asks the controller if
  /// open.
  virtual void feed(const ConnectionInput& input) = 0;

  /// The input of the last exchange, for recordings.
  virtual const ConnectionInput& last_input() const = 0;

  /// The controller's answer at the last exchange: last_input(), unless that was fed.
  virtual const ConnectionInput& last_answer() const = 0;

  virtual std::span<const Slot> reads() const = 0;  ///< signals that the controller gets

  /// The signals that the controller writes, in the order of the values of an input.
  virtual std::span<const Slot> writes() const = 0;

  /// Pace of the run in simulated seconds per second; nullopt: as fast as possible. Decides when an answer is
  /// late.
  virtual void set_pace(std::optional<double> speed) = 0;

  /// Real time that the last exchange() spent waiting for the controller; not counted as an overrun of the
  /// loop.
  virtual Duration waited() const = 0;

  /// Whether simulated time was paused during that wait, for a controller to connect or to return: the
  /// real-time clock restarts after it.
  virtual bool has_paused() const = 0;

  virtual ConnectionReport report() const = 0;

  virtual ConnectionState state() const = 0;

  /// Outside of an exchange, while the run is paused or waits for another connection: accepts a controller, and
  /// notices that one has left. Never waits.
  virtual void look() = 0;
  /// Called again and again while exchange() waits.
  virtual void set_idle(std::function<void()> idle) = 0;
  /// Gets every event from now on.
  virtual void set_listener(ConnectionListener listener) = 0;
  /// Whether a silent controller ends the run.
  virtual bool stops_when_silent() const = 0;
};

}  // namespace lockstep
