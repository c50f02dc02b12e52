#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "connection/command_shaper.h"
#include "connection/connection.h"
#include "connection/connection_faults.h"
#include "connection/connection_timing.h"
#include "connection/peer.h"
#include "connection/peer_session.h"
#include "connection/silence_watch.h"
#include "connection/watchdog.h"

namespace lockstep {

/// A controller outside, reached through a Peer. At every exchange it sends the signals that the controller
/// reads, takes the answer, and writes the commands, interpolated between exchanges. It writes only while they
/// change, so that events can set them in between.
///
/// Data flow of an exchange:
///
///     row ─► FaultyPath (delayed measurements) ─► PeerSession (peer, wall clock) ─► input ◄─ feed() (replay)
///     input ─► counts, SilenceWatch ─► FaultyPath (delayed commands) ─► CommandShaper ─► row
///
/// Only the first line depends on the wall clock. The second is a function of state and input, so that a run
/// fed with recorded inputs repeats bit for bit. Silence (SilenceWatch) is handled as the timing says:
///
///     heard ── no answer in time ──► silent: kHold keeps the commands, kZero sets them to zero,
///       ▲                              │     kPause pauses simulated time and asks again, kStop ends the run
///       └────────── an answer ─────────┘
class RemoteController final : public Connection {
 public:
  /// The health signals of a connection; all but the last two are counts.
  static constexpr std::array<std::string_view, kConnectionCounts.size() + 2> kHealth = {
      "late", "lost", "duplicate", "bad", "reconnects", "missed", "connected", "silent"};

  struct Signals {
    std::vector<Slot> reads;
    std::vector<Slot> writes;
    std::vector<double> initial;         ///< initial values of `writes`
    std::vector<CommandRange> ranges{};  ///< of `writes`; empty: unlimited
    std::array<Slot, kHealth.size()> health{};
  };
  struct Settings {
    ConnectionTiming timing;
    std::int64_t every = 1;  ///< steps between two exchanges
    Duration step{0};
    std::function<bool()> cancelled;  ///< whether the run should end; polled while waiting
    ConnectionFaults faults{};
    std::vector<Watchdogs::Watchdog> watchdogs{};
  };

  /// Without a peer it can only be fed.
  RemoteController(std::string name, Signals signals, Settings settings, std::unique_ptr<Peer> peer);

  std::string open() override;
  void close() override;
  std::string address() const override { return session_.address(); }
  ConnectionMode mode() const override { return timing_.mode; }
  bool may_exchange(std::int64_t step) const override {
    return (session_.is_open() || is_fed_) && step % every_ == 0;
  }
  Status exchange(const Instant& now, Row row) override;
  void feed(const ConnectionInput& input) override;
  const ConnectionInput& last_input() const override { return takes_fed_ ? fed_ : session_.answer(); }
  const ConnectionInput& last_answer() const override { return session_.answer(); }
  std::span<const Slot> reads() const override { return signals_.reads; }
  std::span<const Slot> writes() const override { return signals_.writes; }
  void set_pace(std::optional<double> speed) override { session_.set_pace(speed); }
  Duration waited() const override { return session_.waited(); }
  bool has_paused() const override { return session_.has_paused(); }
  ConnectionReport report() const override;
  ConnectionState state() const override { return session_.state(); }
  void look() override { session_.look(); }
  void set_idle(std::function<void()> idle) override { session_.set_idle(std::move(idle)); }
  void set_listener(ConnectionListener listener) override {
    session_.notes().set_listener(std::move(listener));
  }
  bool stops_when_silent() const override { return timing_.silence == Silence::kStop; }
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  bool ask(const Instant& now);
  Status take_in(const Instant& now);
  Status lose_controller(const Instant& now) const;
  void note_silence();
  Status watch(const Instant& now, Row row);
  Duration time_of_silence() const;
  std::optional<Duration> command_age() const;
  void write_health(Row row) const;

  std::string name_;
  Signals signals_;
  std::int64_t every_;
  Duration step_;
  ConnectionTiming timing_;

  // Depends on the wall clock; not part of the state.
  PeerSession session_;
  bool is_fed_ = false;
  ConnectionInput fed_;
  bool takes_fed_ = false;          // the input of the last exchange was fed
  ConnectionCounts failed_counts_;  // of the last exchange, if it failed: such a step is taken back

  // Part of the state.
  std::int64_t exchanges_ = 0;
  std::int64_t now_ = 0;  // step of the last call; not part of the state
  ConnectionCounts counts_;
  CommandShaper shaper_;
  bool is_connected_ = false;
  SilenceWatch silence_;
  FaultyPath path_;
  Watchdogs watchdogs_;
};

}  // namespace lockstep
