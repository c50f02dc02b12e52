#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "connection/handshake.h"
#include "connection/message.h"
#include "connection/transport.h"

namespace lockstep {

/// Sequence number and simulated time in the header of a message.
struct MessageStamp {
  std::uint32_t sequence = 0;
  Duration time{0};
};

/// A channel that sends and receives whole messages; each bad one is counted once.
///
///     whole ── a message begins ──► incomplete ── its end comes, or abandon() ──► whole
class WireChannel {
 public:
  using Result = Channel::Result;

  WireChannel(std::unique_ptr<Channel> channel, MessageReader::Mode mode, std::size_t max_payload)
      : channel_(std::move(channel)), reader_(mode, max_payload) {}

  Result send(std::span<const std::uint8_t> message, ConnectionDeadline deadline) {
    return channel_->send(message, deadline);
  }
  /// Sends a message of the handshake or an error, without checking whether it arrives.
  void say(MessageType type, std::span<const std::uint8_t> payload, const MessageStamp& stamp,
           ConnectionDeadline deadline);
  /// Sends an ERROR; never waits.
  void reject(const Notice& notice, const MessageStamp& stamp);

  /// Receives available bytes. After kDone, call next() until it returns false.
  Result receive(ConnectionDeadline deadline);
  /// The next valid message; borrowed until receive() or another next().
  bool next(Message& message);

  /// Whether the other side has closed it. Keeps what has arrived for next().
  bool is_closed();

  std::int64_t take_bad();                                 ///< bad messages since the last call
  const char* defect() const { return reader_.defect(); }  ///< of the last one

  /// In all messages that are sent; 0 before the handshake, or if the controller does not use it.
  std::uint16_t session() const { return session_; }
  void set_session(std::uint16_t session) { session_ = session; }

  bool is_incomplete() const { return reader_.is_incomplete(); }
  /// Abandons an incomplete message: counts it as bad and searches the bytes after its first.
  void abandon() { reader_.abandon(); }
  /// Whether a message has been incomplete for longer than `patience`. Call regularly; true once per message.
  bool is_overdue(ConnectionDeadline now, Duration patience);

 private:
  std::unique_ptr<Channel> channel_;
  MessageReader reader_;
  std::uint16_t session_ = 0;
  std::int64_t counted_bad_ = 0;
  std::optional<ConnectionDeadline> incomplete_since_;
};

}  // namespace lockstep
