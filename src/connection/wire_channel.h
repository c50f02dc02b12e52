#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "connection/frame.h"
#include "connection/handshake.h"
#include "connection/transport.h"

namespace lockstep {

/// Number and simulated time in the header of a frame.
struct FrameStamp {
  std::uint32_t sequence = 0;
  Duration time{0};
};

/// A connection as the protocol uses it: whole frames go out, whole frames come in, and each bad one is counted
/// once.
///
///     whole ── a frame begins ──► incomplete ── its end comes, or abandon() ──► whole
class WireChannel {
 public:
  using Result = Connection::Result;

  WireChannel(std::unique_ptr<Connection> connection, FrameReader::Mode mode, std::size_t max_payload)
      : connection_(std::move(connection)), reader_(mode, max_payload) {}

  Result send(std::span<const std::uint8_t> frame, LinkDeadline deadline) {
    return connection_->send(frame, deadline);
  }
  /// Of the handshake or about a mistake; whether it arrives shows by what the other side does.
  void say(FrameType type, std::span<const std::uint8_t> payload, const FrameStamp& stamp,
           LinkDeadline deadline);
  /// An ERROR; never waits.
  void refuse(const Notice& notice, const FrameStamp& stamp);

  /// Takes what there is. After kDone next() must be called until it gives no more.
  Result receive(LinkDeadline deadline);
  /// The next good frame, valid until receive() or another next().
  bool next(Frame& frame);

  std::int64_t take_bad();  ///< frames dropped since this was called last
  bool is_incomplete() const { return reader_.is_incomplete(); }
  /// Gives up a frame whose end does not come: it is bad, and what follows its first byte is looked at.
  void abandon() { reader_.abandon(); }
  /// Whether a frame has been incomplete for longer than `patience`. Called again and again; says so once.
  bool is_overdue(LinkDeadline now, Duration patience);

 private:
  std::unique_ptr<Connection> connection_;
  FrameReader reader_;
  std::int64_t counted_bad_ = 0;
  std::optional<LinkDeadline> incomplete_since_;
};

}  // namespace lockstep
