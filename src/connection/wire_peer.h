#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connection/conversation.h"
#include "connection/handshake.h"
#include "connection/message.h"
#include "connection/newcomers.h"
#include "connection/peer.h"
#include "connection/transport.h"
#include "connection/wire_channel.h"

namespace lockstep {

struct WirePeerConfig {
  ConnectionSchema schema;
  Address address;
  Duration timeout = std::chrono::seconds(1);  ///< real time, for an answer in lock step
  Duration spin{0};                            ///< real time to poll before sleeping, if the transport can
  std::uint16_t port = 0;                      ///< where `address` leaves it open: the one to take if it is free
  std::function<bool()> cancelled;             ///< polled at least every 100 ms of waiting; true ends the wait
  std::uint16_t first_session = 0;             ///< number of the first conversation; 0: any
  std::string token{};                         ///< that HELLO must have; empty: none
  AccessOptions access{};                      ///< who may connect
  bool connects = false;                       ///< to a controller that listens at the address
};

/// A controller that uses the wire protocol (docs/protocol.md): accepts it, sends measurements, receives
/// commands, rejects further controllers, and counts all errors.
///
///     closed ── open() ──► waiting ── a newcomer sends a valid HELLO ──► connected
///                             ▲                                            │ ▲
///                             │       BYE, connection lost,                │ │ HELLO again, or a newcomer
///                             └──── or a disconnect fault ─────────────────┘ └ replaces a silent controller
///
/// While connected, Conversation tracks which answer is owed; Newcomers holds connections in handshake. One
/// exchange in lock step:
///
///     no controller ── newcomer admitted ──► send MEASUREMENT ──► wait for COMMAND ── COMMAND for it ──► done
///          ▲  └── deadline, cancelled ──► done            ▲             │  │  └── deadline, cancelled ──► done
///          │                                              └── resend ───┘  │
///          └──────────────────── connection lost ──────────────────────────┘
///
/// In real time an exchange takes the newest COMMAND that has arrived and sends MEASUREMENT; it waits only
/// while simulated time is paused.
///
/// Without errors an exchange is one send() and one receive() of the channel, and allocates nothing. exchange()
/// waits at most for PeerRequest::wait, with one exception: a controller that connects or answers again while it
/// only polls (wait 0) has the timeout for its first answer.
class WirePeer final : public Peer {
 public:
  explicit WirePeer(WirePeerConfig config);
  ~WirePeer() override;

  std::string open() override;
  void close() override;
  PeerReply exchange(const PeerRequest& request, std::span<double> commands) override;

  bool is_connected() const override { return channel_.has_value(); }
  void look() override;

  std::string address() const override;  ///< with the actual port
  /// The name of the controller from its HELLO; may be empty.
  const std::string& controller() const { return controller_; }

 private:
  struct Exchange;  // working data of one exchange()

  void exchange_in_lockstep(Exchange& exchange);
  void exchange_in_real_time(Exchange& exchange);
  bool wait_for_controller(Exchange& exchange);
  void wait_for_answer(Exchange& exchange);
  void repeat_request(Exchange& exchange);  // of an earlier exchange() with the same number

  void send_measurement(Exchange& exchange, MessageFault fault);
  void send_again(Exchange& exchange);
  void send_bytes(Exchange& exchange, std::span<const std::uint8_t> bytes);

  void look(Exchange& exchange);
  void handle_all(Exchange& exchange);
  void handle(const Message& message, Exchange& exchange);
  void handle_hello_again(const Message& message, Exchange& exchange);
  void handle_command(const Message& message, Exchange& exchange);
  Duration time_of(std::uint32_t sequence, const PeerRequest& request) const;
  void accept_command(const Message& message, Exchange& exchange);
  void reject(const Notice& notice, Exchange& exchange);
  bool is_of_this_session(const Message& message, Exchange& exchange);

  void look_for_newcomers(Exchange& exchange);
  void release_hung_controller(Exchange& exchange);
  bool admit(WireChannel& channel, const Hello& hello, Exchange& exchange);
  void start_conversation(const Hello& hello, std::uint16_t session = 0);
  void lose_connection(Exchange& exchange);
  void end_connection(Exchange& exchange);
  bool is_cancelled() const { return config_.cancelled && config_.cancelled(); }

  WirePeerConfig config_;
  std::vector<std::uint8_t> out_;          // the last MEASUREMENT
  std::span<const std::uint8_t> message_;  // the used bytes of out_
  std::vector<std::uint8_t> scratch_;      // a message damaged by a fault
  std::vector<double> numbers_;            // of a COMMAND before it is accepted

  std::unique_ptr<Listener> listener_;
  Newcomers newcomers_;
  ConnectionDeadline next_look_{};  // when to poll newcomers
  std::int64_t connections_ = 0;    // so far
  ConnectionCounts looked_;         // by look(); part of the next exchange
  MessageStamp stamp_;              // of the current exchange

  std::optional<WireChannel> channel_;  // to the connected controller
  Conversation conversation_;           // with it
  std::string controller_;
  std::uint16_t next_session_ = 0;
  bool has_exchanged_ = false;
};

}  // namespace lockstep
