#include "connection/wire_channel.h"

#include <utility>
#include <vector>

namespace lockstep {

void WireChannel::say(MessageType type, std::span<const std::uint8_t> payload, const MessageStamp& stamp,
                      ConnectionDeadline deadline) {
  std::vector<std::uint8_t> bytes(payload.size() + kMessageOverhead);
  const Message message{
      .type = type, .session = session_, .sequence = stamp.sequence, .time = stamp.time, .payload = payload};
  (void)channel_->send(encode_message(message, bytes), deadline);
}

void WireChannel::reject(const Notice& notice, const MessageStamp& stamp) {
  say(MessageType::kError, encode_notice(notice), stamp, ConnectionDeadline::min());
}

WireChannel::Result WireChannel::receive(ConnectionDeadline deadline) {
  std::size_t count = 0;
  const Result result = channel_->receive(reader_.space(), count, deadline);
  if (result == Result::kDone) reader_.received(count);
  return result;
}

bool WireChannel::is_closed() {
  // A buffer full of unread messages: whether it is closed shows after they are read.
  return !reader_.space().empty() && receive(ConnectionDeadline::min()) == Result::kClosed;
}

bool WireChannel::next(Message& message) {
  if (!reader_.next(message)) return false;
  incomplete_since_.reset();
  return true;
}

std::int64_t WireChannel::take_bad() {
  const std::int64_t before = std::exchange(counted_bad_, reader_.bad());
  return counted_bad_ - before;
}

bool WireChannel::is_overdue(ConnectionDeadline now, Duration patience) {
  if (!is_incomplete()) {
    incomplete_since_.reset();
    return false;
  }
  if (!incomplete_since_) incomplete_since_ = now;
  if (now - *incomplete_since_ < patience) return false;
  incomplete_since_.reset();
  return true;
}

}  // namespace lockstep
