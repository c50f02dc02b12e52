#include "connection/wire_channel.h"

#include <vector>

namespace lockstep {

void WireChannel::say(FrameType type, std::span<const std::uint8_t> payload, const FrameStamp& stamp,
                      LinkDeadline deadline) {
  std::vector<std::uint8_t> bytes(payload.size() + kFrameOverhead);
  const Frame frame{.type = type, .sequence = stamp.sequence, .time = stamp.time, .payload = payload};
  (void)connection_->send(encode_frame(frame, bytes), deadline);
}

void WireChannel::refuse(const Notice& notice, const FrameStamp& stamp) {
  say(FrameType::kError, encode_notice(notice), stamp, LinkDeadline::min());
}

WireChannel::Result WireChannel::receive(LinkDeadline deadline) {
  std::size_t count = 0;
  const Result result = connection_->receive(reader_.space(), count, deadline);
  if (result == Result::kDone) reader_.received(count);
  return result;
}

bool WireChannel::next(Frame& frame) {
  if (!reader_.next(frame)) return false;
  incomplete_since_.reset();
  return true;
}

std::int64_t WireChannel::take_bad() {
  const std::int64_t before = std::exchange(counted_bad_, reader_.bad());
  return counted_bad_ - before;
}

bool WireChannel::is_overdue(LinkDeadline now, Duration patience) {
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
