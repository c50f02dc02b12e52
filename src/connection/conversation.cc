#include "connection/conversation.h"

namespace lockstep {
namespace {

constexpr int kMaxResends = 3;

/// How far `a` is ahead of `b`; sequence numbers wrap around.
std::int32_t ahead(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b);
}

}  // namespace

void Conversation::ask(std::uint32_t sequence, ConnectionDeadline now) {
  if (!has_asked_) first_asked_ = sequence;
  has_asked_ = true;
  if (!is_owing_) owing_since_ = now;
  is_owing_ = true;
  last_asked_ = sequence;
  asked_at_ = now;
  resends_ = 0;
}

ConnectionDeadline Conversation::resend_at() const {
  return resends_ < kMaxResends ? asked_at_ + (resends_ + 1) * (timeout_ / (kMaxResends + 1))
                                : ConnectionDeadline::max();
}

Conversation::Verdict Conversation::judge(std::uint32_t sequence) const {
  if (!has_asked_ || ahead(sequence, last_asked_) > 0) return Verdict::kEarly;
  const bool is_known =
      mode_ == ConnectionMode::kLockStep ? !is_asked(sequence) : ahead(sequence, last_settled()) <= 0;
  return is_known ? Verdict::kKnown : Verdict::kAwaited;
}

std::int64_t Conversation::take_answer(std::uint32_t sequence, ConnectionDeadline now) {
  const std::int64_t lost = mode_ == ConnectionMode::kRealTime ? ahead(sequence, last_settled()) - 1 : 0;
  newest_answer_ = sequence;
  has_answer_ = true;
  owing_since_ = now;
  if (sequence == last_asked_) is_owing_ = false;
  return lost;
}

}  // namespace lockstep
