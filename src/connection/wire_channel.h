#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "connection/handshake.h"
#include "connection/message.h"
#include "connection/transport.h"

namespace lockstep {

/// Number and simulated time in the header of a message.
struct MessageStamp {
  std::uint32_t sequence = 0;
  Duration time{0};
};

/// A connection as the protocol uses it: whole messages go out, whole messages come in, and each bad one is
/// counted once.
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
  /// Of the handshake or about a mistake; whether it arrives shows by what the other side does.
  void say(MessageType type, std::span<const std::uint8_t> payload, const MessageStamp& stamp,
           ConnectionDeadline deadline);
  /// An ERROR; never waits.
  void reject(const Notice& notice, const MessageStamp& stamp);

  /// Takes what there is. After kDone next() must be called until it gives no more.
  Result receive(ConnectionDeadline deadline);
  /// The next good message, valid until receive() or another next().
  bool next(Message& message);

  std::int64_t take_bad();  ///< messages dropped since this was called last
  bool is_incomplete() const { return reader_.is_incomplete(); }
  /// Gives up a message whose end does not come: it is bad, and what follows its first byte is looked at.
  void abandon() { reader_.abandon(); }
  /// Whether a message has been incomplete for longer than `patience`. Called again and again; says so once.
  bool is_overdue(ConnectionDeadline now, Duration patience);

 private:
  std::unique_ptr<Channel> channel_;
  MessageReader reader_;
  std::int64_t counted_bad_ = 0;
  std::optional<ConnectionDeadline> incomplete_since_;
};

}  // namespace lockstep
