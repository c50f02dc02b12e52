#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "connection/connection_faults.h"
#include "connection/connection_timing.h"
#include "connection/peer.h"
#include "connection/round_trips.h"

namespace lockstep {

/// Asks the other side, waits as the timing of the connection says, and judges whether the answer came in time.
/// All of it is of the wall clock and of this run alone; what follows from the answer is for others.
///
///                                                             no answer
///     closed ── open() ──► connecting ── first ask() ──► exchanging ──────► paused
///       ▲                                                    │  ▲              │
///       │                                                    │  └─ an answer ──┘
///       └───────────────────── close() ──────────────────────┘
///
/// It pauses only if silence="pause", and asks on until an answer comes or the run is cancelled.
///
/// Who is silent is not waited for where the run goes on without it, until it is awake: a sign of life, a
/// connection, a fault that explains the silence, or a restored state.
class PeerSession {
 public:
  struct Settings {
    ConnectionTiming timing;
    Duration period{0};               ///< simulated, between two exchanges
    std::function<bool()> cancelled;  ///< whether the run is to end; asked while no answer comes
  };
  struct Question {
    Instant now;
    std::uint32_t sequence = 0;
    std::span<const double> measured;
    ExchangeFaults faults;
    bool is_repeated = false;         ///< the answer is recorded already, and only compared with this one
    bool was_silent = false;          ///< until now
    bool is_silence_without = false;  ///< no answer means silence
  };

  /// Without a peer it can not be opened. `writes` is the number of commands.
  PeerSession(Settings settings, std::unique_ptr<Peer> peer, std::size_t writes);

  std::string open();
  void close();
  bool is_open() const { return is_open_; }
  std::string address() const { return peer_ ? peer_->address() : ""; }
  std::string problem() const { return peer_ ? peer_->problem() : ""; }

  void begin_step();
  /// Fills answer(); false if the run is to end.
  bool ask(const Question& question);
  const ConnectionInput& answer() const { return answer_; }

  void set_pace(std::optional<double> speed) { speed_ = speed; }
  void wake() { is_awake_ = true; }
  Duration waited() const { return waited_; }      ///< in this step
  bool has_paused() const { return has_paused_; }  ///< in this step simulated time stood still
  const RoundTrips& round_trips() const { return round_trips_; }

 private:
  bool is_cancelled() const { return settings_.cancelled && settings_.cancelled(); }
  void put(const PeerRequest& request);
  Duration time_to_wait(const Question& question) const;
  void judge(bool was_connecting, bool is_overdue);

  Settings settings_;
  std::unique_ptr<Peer> peer_;
  bool is_open_ = false;
  bool is_connecting_ = false;  // it was not asked yet since it is open
  bool is_awake_ = false;
  std::optional<double> speed_;
  Duration waited_{0};
  bool has_paused_ = false;
  RoundTrips round_trips_;
  ConnectionInput answer_;
};

}  // namespace lockstep
