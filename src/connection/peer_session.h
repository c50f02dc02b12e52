#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "connection/connection_faults.h"
#include "connection/connection_timing.h"
#include "connection/peer.h"
#include "connection/round_trips.h"

namespace lockstep {

/// Asks the peer, waits according to the timing of the connection, and decides whether the answer was in time.
/// Everything here depends on the wall clock and is not part of the state.
///
///                                                             no answer
///     closed ── open() ──► connecting ── first ask() ──► exchanging ──────► paused
///       ▲                                                    │  ▲              │
///       │                                                    │  └─ an answer ──┘
///       └───────────────────── close() ──────────────────────┘
///
/// It pauses only if silence="pause", and keeps asking until an answer arrives or the run is cancelled.
///
/// While the run continues without a silent controller, it does not wait for it. It waits again after wake(): a
/// sign of life, a new connection, a fault that explains the silence, or a restored state.
class PeerSession {
 public:
  struct Settings {
    ConnectionTiming timing;
    Duration period{0};               ///< simulated, between two exchanges
    std::function<bool()> cancelled;  ///< whether the run should end; polled while waiting
  };
  struct Question {
    Instant now;
    std::uint32_t sequence = 0;
    std::span<const double> measured;
    ExchangeFaults faults;
    bool is_repeated = false;         ///< replay: the answer is only compared with the recorded one
    bool was_silent = false;          ///< before this exchange
    bool is_silence_without = false;  ///< a missing answer means silence
  };

  /// Without a peer it cannot be opened. `writes` is the number of commands.
  PeerSession(Settings settings, std::unique_ptr<Peer> peer, std::size_t writes);

  std::string open();
  void close();
  bool is_open() const { return is_open_; }
  std::string address() const { return peer_ ? peer_->address() : ""; }

  ConnectionState state() const {
    return {.is_connected = is_open_ && peer_->is_connected(), .is_waiting = is_asking_};
  }
  void look() {
    if (is_open_) peer_->look();
  }

  void begin_step();
  /// Fills answer(); false if the run should end.
  bool ask(const Question& question);
  const ConnectionInput& answer() const { return answer_; }
  bool is_over() const { return is_over_; }  ///< the controller has ended the run

  void set_pace(std::optional<double> speed) { speed_ = speed; }
  void wake() { is_awake_ = true; }
  Duration waited() const { return waited_; }      ///< in this step
  bool has_paused() const { return has_paused_; }  ///< simulated time was paused in this step
  const RoundTrips& round_trips() const { return round_trips_; }
  const RoundTrips& jitter() const { return jitter_; }
  /// Real time since the last answer; none if there is none yet.
  std::optional<Duration> answer_age() const;
  ConnectionNotes& notes() { return *notes_; }
  const ConnectionNotes& notes() const { return *notes_; }
  void set_idle(std::function<void()> idle) { *idle_ = std::move(idle); }
  /// The time that the last unanswered exchange has waited for.
  Duration patience() const { return patience_; }

 private:
  bool is_cancelled() const { return settings_.cancelled && settings_.cancelled(); }
  void put(const PeerRequest& request);
  bool goes_on_without_answer() const;
  Duration time_to_wait(const Question& question) const;
  void judge(Duration now, bool was_connecting, bool is_overdue);

  Settings settings_;
  std::unique_ptr<Peer> peer_;
  bool is_open_ = false;
  bool is_connecting_ = false;  // not asked since open()
  bool is_asking_ = false;      // the peer is in an exchange
  bool is_awake_ = false;
  std::optional<double> speed_;
  Duration waited_{0};
  bool has_paused_ = false;
  RoundTrips round_trips_;
  RoundTrips jitter_;
  std::optional<Duration> last_round_trip_;
  std::optional<std::chrono::steady_clock::time_point> answered_at_;
  ConnectionInput answer_;
  Duration patience_{0};
  bool is_over_ = false;
  // On the heap, because the peer borrows them and a session can be moved.
  std::unique_ptr<ConnectionNotes> notes_ = std::make_unique<ConnectionNotes>();
  std::unique_ptr<std::function<void()>> idle_ = std::make_unique<std::function<void()>>();
};

}  // namespace lockstep
