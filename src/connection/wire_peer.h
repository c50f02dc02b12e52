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
  Duration spin{0};                 ///< real time; how long a transport that can looks before it sleeps
  std::function<bool()> cancelled;  ///< asked at least every 100 ms of waiting; true ends the wait
};

/// A controller at the end of a wire that speaks docs/protocol.md: greets it, sends it what was measured, takes
/// its commands, rejects others, and counts everything that goes wrong.
///
///     closed ── open() ──► waiting ── a newcomer says a good HELLO ──► connected
///                             ▲                                           │ ▲
///                             │       BYE, end of the connection,         │ │ HELLO again, or a newcomer
///                             └──── a fault that disconnects ─────────────┘ └ in place of one that is silent
///
/// While connected its Conversation says what is owed, Newcomers keeps those in handshake.
///
/// In the good case an exchange is one send() and one receive() of the connection, and allocates nothing.
/// exchange() waits at most for PeerRequest::wait, with two exceptions. A controller that comes while it waits
/// longer than the timeout, or that comes or shows life again while it only looks, has the timeout for its
/// first answer.
class WirePeer final : public Peer {
 public:
  explicit WirePeer(WirePeerConfig config);
  ~WirePeer() override;

  std::string open() override;
  void close() override;
  PeerReply exchange(const PeerRequest& request, std::span<double> commands) override;

  std::string address() const override;  ///< with the port that was really taken
  /// The name that the controller gave in its HELLO; empty if there was none.
  const std::string& controller() const { return controller_; }

 private:
  struct Exchange;  // what one call of exchange() works on

  void exchange_in_lockstep(Exchange& exchange);
  void exchange_in_real_time(Exchange& exchange);
  bool wait_for_controller(Exchange& exchange);
  void wait_for_answer(Exchange& exchange);
  void ask_on(Exchange& exchange);  // what was asked already

  void send_measurement(Exchange& exchange, MessageFault fault);
  void send_again(Exchange& exchange);
  void send_bytes(Exchange& exchange, std::span<const std::uint8_t> bytes);

  void look(Exchange& exchange);
  void handle_all(Exchange& exchange);
  void handle(const Message& message, Exchange& exchange);
  void handle_hello_again(const Message& message, Exchange& exchange);
  void handle_command(const Message& message, Exchange& exchange);
  void accept_command(const Message& message, Exchange& exchange);
  void reject(const Notice& notice, Exchange& exchange);

  void look_for_newcomers(Exchange& exchange);
  bool admit(WireChannel& channel, const Hello& hello, Exchange& exchange);
  void start_conversation(const Hello& hello);
  void lose_connection(Exchange& exchange);
  void end_connection(Exchange& exchange);
  bool is_cancelled() const { return config_.cancelled && config_.cancelled(); }

  WirePeerConfig config_;
  std::vector<std::uint8_t> out_;          // the last MEASUREMENT
  std::span<const std::uint8_t> message_;  // as much of it as is used
  std::vector<std::uint8_t> scratch_;      // a message with a fault in it
  std::vector<double> numbers_;            // of a COMMAND that is not yet accepted

  std::unique_ptr<Listener> listener_;
  Newcomers newcomers_;
  ConnectionDeadline next_look_{};  // at newcomers
  std::int64_t connections_ = 0;    // so far
  MessageStamp stamp_;              // of the exchange at hand

  std::optional<WireChannel> channel_;  // to the controller that is connected
  Conversation conversation_;           // on it
  std::string controller_;
};

}  // namespace lockstep
