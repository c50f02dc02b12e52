#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "connection/peer.h"
#include "connection/transport.h"

namespace lockstep {

/// Translates between signals and the packets of a program, both of a fixed size.
class PacketCodec {
 public:
  enum class Verdict {
    kGood,   ///< the commands were written
    kBad,    ///< they were not; the problem says why
    kStale,  ///< a good packet, but for an earlier one of ours
    kOver,   ///< the program ends the run
  };

  virtual ~PacketCodec() = default;
  virtual std::size_t out_size() const = 0;
  virtual std::size_t in_size() const = 0;
  /// Constant bytes at the start of the program's packets, to find the next one in a stream; may be empty.
  virtual std::span<const std::uint8_t> prefix() const { return {}; }
  virtual std::string_view in_name() const { return "packet"; }  ///< for texts

  /// A program has connected, at a time with these measurements.
  virtual void begin(std::span<const double> measured) { (void)measured; }
  /// `is_last`: the run is over, and nothing is measured; only where the program sends first.
  virtual void encode(std::span<const double> measured, std::uint32_t sequence, bool is_last,
                      std::span<std::uint8_t> bytes) = 0;
  virtual Verdict decode(std::span<const std::uint8_t> bytes, std::uint32_t sequence,
                         std::span<double> commands, std::string& problem) = 0;
};

/// A program that exchanges packets of fixed sizes, without a handshake (docs/packets.md). Who sends first is a matter
/// of the program:
///
/// - The simulation: each exchange sends a packet and waits for the answer. In real time it takes the newest packet
///   that has arrived, then sends its own.
/// - The program: each exchange sends the packet that answers the program's last one, and waits for the next.
///
/// Packets of a stream have no boundaries. Too few bytes are detected by the timeout, wrong ones by what the codec
/// checks; the next packet is found by its prefix or, without one, starts after what has arrived until then. Where the
/// program sends first, bytes that arrive before our answer are too many. Each is counted as bad.
///
///     waiting ── a program connects ──► connected ── it closes, ends the run, does not read; a fault disconnects; or it
///        ▲                                  │            is silent and another connects ──┐
///        └──────────────────────────────────┴─────────────────────────────────────────────┘
class PacketPeer : public Peer {
 public:
  struct Settings {
    bool program_first = false;
    ConnectionMode mode = ConnectionMode::kLockStep;
    bool keeps_boundaries = false;               ///< datagrams: one packet each, and they may get lost
    Duration timeout = std::chrono::seconds(1);  ///< real time, to complete a packet, and to answer
    std::function<bool()> cancelled{};           ///< polled while waiting
  };
  /// Starts to listen; null with the error if it cannot.
  using Listen = std::function<std::unique_ptr<Listener>(std::string& why)>;

  PacketPeer(Settings settings, std::unique_ptr<PacketCodec> codec, Listen listen);

  std::string open() override;
  void close() override;
  std::string address() const override { return listener_ ? listener_->address() : ""; }
  PeerReply exchange(const PeerRequest& request, std::span<double> commands) override;
  bool is_connected() const override { return channel_ != nullptr; }
  void look() override;

  /// The last error of the program; empty if none.
  const std::string& problem() const { return problem_; }

 private:
  struct Exchange;
  enum class Arrival { kPacket, kNothing, kGone };

  bool connect(Exchange& exchange);
  bool accept(std::span<const double> measured);
  void replace_silent(Exchange& exchange);

  void answer_and_receive(Exchange& exchange);
  void answer(Exchange& exchange);
  void drop_leftovers(Exchange& exchange);

  void ask(Exchange& exchange);
  void wait_for_answer(Exchange& exchange);
  void exchange_in_real_time(Exchange& exchange);
  void send_request(Exchange& exchange);
  void drain(Exchange& exchange);

  Arrival receive(Exchange& exchange, ConnectionDeadline deadline);
  void take(Exchange& exchange);
  void search_next();
  void send(Exchange& exchange, ConnectionDeadline deadline);
  void complain(std::string problem, bool is_bad);
  void disconnect();
  bool is_cancelled() const { return settings_.cancelled && settings_.cancelled(); }

  Settings settings_;
  std::unique_ptr<PacketCodec> codec_;
  Listen listen_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Channel> channel_;
  bool was_connected_ = false;
  bool was_accepted_ = false;    // connected outside of an exchange: counted by the next one
  bool owes_answer_ = false;     // program first: a packet arrived and is not answered yet
  bool is_owed_ = false;         // simulation first: the last packet is not answered yet
  std::uint32_t asked_ = 0;      // its number
  ConnectionDeadline asked_at_;  // when it was sent first
  int stale_ = 0;                // answers to earlier packets that may still come, on a stream
  int resends_ = 0;
  std::vector<std::uint8_t> out_;
  std::vector<std::uint8_t> in_;
  std::size_t received_ = 0;  // bytes of the packet so far
  ConnectionDeadline began_;  // when the first byte arrived
  std::string problem_;
};

}  // namespace lockstep
