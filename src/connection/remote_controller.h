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

namespace lockstep {

/// A controller at the other end of a Peer. At every exchange it hands over what is read, takes in what comes,
/// and writes the commands, shaped between the exchanges. It writes them only while they change, so that events
/// may set them in between.
///
/// An exchange goes through its parts in this order:
///
///     row ─► FaultyPath (late measurements) ─► PeerSession (the other side, the wall clock) ─► input, or a fed
///     one input ─► counts, SilenceWatch ─► FaultyPath (late commands) ─► CommandShaper ─► row
///
/// From the input on nothing depends on the wall clock.
class RemoteController final : public Connection {
 public:
  /// The signals that tell how the connection does; all but the last two are counts.
  static constexpr std::array<std::string_view, kConnectionCounts.size() + 2> kHealth = {
      "late", "lost", "duplicate", "bad", "reconnects", "missed", "connected", "silent"};

  struct Signals {
    std::vector<Slot> reads;
    std::vector<Slot> writes;
    std::vector<double> initial;  ///< of what is written
    std::array<Slot, kHealth.size()> health{};
  };
  struct Settings {
    ConnectionTiming timing;
    std::int64_t every = 1;  ///< steps between two exchanges
    Duration step{0};
    std::function<bool()> cancelled;  ///< whether the run is to end; asked while no answer comes
    ConnectionFaults faults{};
  };

  /// Without a peer it can only be fed.
  RemoteController(std::string name, Signals signals, Settings settings, std::unique_ptr<Peer> peer);

  std::string open() override;
  void close() override;
  std::string address() const override { return session_.address(); }
  ConnectionMode mode() const override { return timing_.mode; }
  Status exchange(const Instant& now, Row row) override;
  void feed(const ConnectionInput& input) override;
  const ConnectionInput& last_input() const override { return takes_fed_ ? fed_ : session_.answer(); }
  const ConnectionInput& last_answer() const override { return session_.answer(); }
  std::span<const Slot> writes() const override { return signals_.writes; }
  void set_pace(std::optional<double> speed) override { session_.set_pace(speed); }
  Duration waited() const override { return session_.waited(); }
  bool has_paused() const override { return session_.has_paused(); }
  ConnectionReport report() const override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  bool ask(const Instant& now);
  Status take_in(const Instant& now);
  Status lose_controller(const Instant& now) const;
  void write_health(Row row) const;

  std::string name_;
  Signals signals_;
  std::int64_t every_;
  ConnectionTiming timing_;

  // Of the wall clock and of this run alone.
  PeerSession session_;
  bool is_fed_ = false;
  ConnectionInput fed_;
  bool takes_fed_ = false;  // the input of the last exchange was fed

  // Part of the state.
  std::int64_t exchanges_ = 0;
  ConnectionCounts counts_;
  CommandShaper shaper_;
  bool is_connected_ = false;
  SilenceWatch silence_;
  FaultyPath path_;
};

}  // namespace lockstep
