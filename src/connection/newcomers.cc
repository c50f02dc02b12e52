#include "connection/newcomers.h"

#include <algorithm>

namespace lockstep {
namespace {

/// Maximum connections in handshake; further ones wait in the operating system.
constexpr std::size_t kMaxCandidates = 8;
/// HELLO must arrive within half the timeout, bounded by these two times.
constexpr Duration kMaxHandshake = std::chrono::seconds(1);
constexpr Duration kMinHandshake = std::chrono::milliseconds(50);

}  // namespace

Newcomers::Newcomers(const Settings& settings) : settings_(settings) {
  candidates_.reserve(kMaxCandidates);
}

std::int64_t Newcomers::look(Listener& listener, ConnectionDeadline now, const MessageStamp& stamp,
                             const Admit& admit) {
  while (candidates_.size() < kMaxCandidates) {
    std::unique_ptr<Channel> channel = listener.accept();
    if (!channel) break;
    const Duration patience = std::clamp<Duration>(settings_.timeout / 2, kMinHandshake, kMaxHandshake);
    candidates_.push_back(
        {WireChannel(std::move(channel), settings_.mode, settings_.max_payload), now + patience});
  }
  std::int64_t bad = 0;
  for (std::size_t i = 0; i < candidates_.size();) {
    const Greeting greeting = greet(candidates_[i], now, stamp, admit);
    if (greeting == Greeting::kWaiting) {
      ++i;
      continue;
    }
    // A connection that is not a controller counts as bad at least once.
    if (greeting == Greeting::kRejected) bad += std::max<std::int64_t>(1, candidates_[i].channel.take_bad());
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return bad;
}

Newcomers::Greeting Newcomers::greet(Candidate& candidate, ConnectionDeadline now, const MessageStamp& stamp,
                                     const Admit& admit) const {
  WireChannel& channel = candidate.channel;
  if (channel.receive(ConnectionDeadline::min()) == WireChannel::Result::kClosed) {
    if (settings_.on_rejected) settings_.on_rejected("a client connected and left without a valid HELLO");
    return Greeting::kRejected;
  }
  Message message;
  while (channel.next(message)) {
    auto hello = message.type == MessageType::kHello ? decode_hello(message.payload) : std::nullopt;
    if (!hello) {
      reject(candidate, {NoticeCode::kMisfit, "expected a HELLO"}, stamp);
      continue;
    }
    if (const auto mismatch = find_mismatch(*hello, *settings_.schema, settings_.token)) {
      reject(candidate, {mismatch->code, mismatch->sentence}, stamp);
      return Greeting::kRejected;
    }
    hello->has_sessions = message.session != 0;
    return admit(channel, *hello) ? Greeting::kWelcomed : Greeting::kRejected;
  }
  if (now < candidate.deadline) return Greeting::kWaiting;
  reject(candidate, {NoticeCode::kSilent, "no HELLO received in time"}, stamp);
  return Greeting::kRejected;
}

void Newcomers::reject(Candidate& candidate, const Notice& notice, const MessageStamp& stamp) const {
  candidate.channel.reject(notice, stamp);
  if (settings_.on_rejected) settings_.on_rejected("a client was rejected: " + notice.sentence);
}

}  // namespace lockstep
