#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connection/frame.h"
#include "connection/handshake.h"
#include "connection/peer.h"
#include "connection/transport.h"

namespace lockstep {

struct WirePeerConfig {
  LinkSchema schema;
  Address address;
  Duration timeout = std::chrono::seconds(1);  ///< on the wall, for an answer in lock step
  Duration spin{0};                            ///< on the wall; shm looks so long before it sleeps
  std::function<bool()> cancelled;             ///< asked at least every 100 ms of waiting; true ends the wait
};

/// A controller at the end of a wire that speaks docs/protocol.md: greets it, sends it what was measured, takes
/// its commands, refuses others, and counts everything that goes wrong.
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
  /// A connection that has not said a good HELLO yet.
  struct Candidate {
    std::unique_ptr<Connection> connection;
    FrameReader reader;
    LinkDeadline deadline;
  };
  enum class Greeting { kWaiting, kWelcomed, kRefused };
  struct Exchange;  // what one call of exchange() works on

  void exchange_in_lockstep(Exchange& exchange);
  void exchange_in_real_time(Exchange& exchange);
  bool wait_for_controller(Exchange& exchange);
  void wait_for_answer(Exchange& exchange);
  void ask_on(Exchange& exchange);  // what was asked already
  void give_up_incomplete(Exchange& exchange);

  void send_measurement(Exchange& exchange, FrameFault fault);
  void send_again(Exchange& exchange);
  void send_bytes(Exchange& exchange, std::span<const std::uint8_t> bytes);
  void send_notice(Connection& connection, const Notice& notice);
  void send_welcome();
  void send_frame(Connection& connection, FrameType type, std::span<const std::uint8_t> payload,
                  LinkDeadline deadline);

  void look(Exchange& exchange);
  void handle_all(Exchange& exchange);
  void handle(const Frame& frame, Exchange& exchange);
  void handle_hello_again(const Frame& frame, Exchange& exchange);
  void handle_command(const Frame& frame, Exchange& exchange);
  bool is_awaited(const Frame& frame, Exchange& exchange);
  void note_answer(std::uint32_t sequence, Exchange& exchange);
  void refuse(const Notice& notice, Exchange& exchange);

  void look_for_newcomers(Exchange& exchange);
  Greeting greet(Candidate& candidate, Exchange& exchange);
  Greeting answer_hello(const Hello& hello, Candidate& candidate, Exchange& exchange);
  void start_conversation(const Hello& hello);
  void lose_connection(Exchange& exchange);
  bool is_silent(LinkDeadline now) const;
  bool is_asked(std::uint32_t sequence) const { return is_owing_ && sent_ == sequence; }
  bool is_cancelled() const { return config_.cancelled && config_.cancelled(); }

  WirePeerConfig config_;
  std::size_t max_incoming_ = 0;       // bytes of a payload
  std::vector<std::uint8_t> out_;      // the last MEASUREMENT
  std::vector<std::uint8_t> scratch_;  // a frame with a fault in it
  std::vector<double> numbers_;        // of a COMMAND that is not yet accepted

  std::unique_ptr<Listener> listener_;
  std::vector<Candidate> candidates_;
  LinkDeadline next_look_{};      // at newcomers
  std::int64_t connections_ = 0;  // so far
  std::uint32_t next_ = 0;        // number and time of the exchange at hand
  Duration next_time_{0};

  // The connection at hand, and what was said on it since HELLO.
  std::unique_ptr<Connection> connection_;
  std::optional<FrameReader> reader_;
  std::int64_t counted_bad_ = 0;                  // of what the reader dropped
  std::optional<LinkDeadline> incomplete_since_;  // in real time: a frame has begun and not ended
  std::string controller_;
  bool has_sent_ = false;  // a MEASUREMENT
  std::uint32_t first_sent_ = 0;
  std::uint32_t sent_ = 0;               // number of the last one
  std::span<const std::uint8_t> frame_;  // the last one, in out_
  LinkDeadline sent_at_{};               // for the first time
  int resends_ = 0;                      // of it
  bool is_owing_ = false;                // it has not been answered
  LinkDeadline owing_since_{};           // or since it last gave a sign of life
  bool has_answer_ = false;              // a COMMAND was accepted
  std::uint32_t newest_answer_ = 0;      // number of the last one
};

}  // namespace lockstep
