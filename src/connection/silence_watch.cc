#include "connection/silence_watch.h"

#include <utility>

namespace lockstep {

bool SilenceWatch::is_due(std::int64_t now) const {
  if (mode_ == ConnectionMode::kLockStep) return true;
  const std::int64_t since = quiet_since_ < 0 ? now : quiet_since_;
  return now - since >= (timeout_ + step_ - Duration(1)) / step_;
}

void SilenceWatch::note_answer(std::int64_t now) {
  quiet_since_ = last_answered_ = now;
  is_silent_ = false;
}

bool SilenceWatch::note_none(std::int64_t now) {
  if (quiet_since_ < 0) quiet_since_ = now;
  const bool was_silent = std::exchange(is_silent_, is_due(now));
  return is_silent_ && !was_silent;
}

void SilenceWatch::save(StateWriter& writer) const {
  writer.write(is_silent_);
  writer.write(quiet_since_);
  writer.write(last_answered_);
}

void SilenceWatch::restore(StateReader& reader) {
  is_silent_ = reader.read<bool>();
  quiet_since_ = read_connection_count(reader, -1);
  last_answered_ = read_connection_count(reader, -1);
}

std::int64_t read_connection_count(StateReader& reader, std::int64_t least) {
  // More than any run has; sums of such counts do not overflow.
  constexpr std::int64_t kMaxCount = 1ll << 53;
  const auto count = reader.read<std::int64_t>();
  if (count < least || count > kMaxCount) throw StateError("a count of a connection is out of range");
  return count;
}

}  // namespace lockstep
