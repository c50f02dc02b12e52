#include "connection/conversation.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using Verdict = Conversation::Verdict;

constexpr Duration kTimeout = milliseconds(400);
constexpr ConnectionDeadline kStart = ConnectionDeadline(std::chrono::hours(1));

TEST(Conversation, InLockStepOnlyTheLastRequestIsAnsweredAndOnlyOnce) {
  Conversation talk(ConnectionMode::kLockStep, kTimeout);
  EXPECT_EQ(talk.judge(7), Verdict::kEarly);
  talk.ask(7, kStart);
  talk.ask(8, kStart);
  EXPECT_EQ(talk.judge(7), Verdict::kKnown);
  EXPECT_EQ(talk.judge(9), Verdict::kEarly);
  EXPECT_EQ(talk.judge(8), Verdict::kAwaited);
  EXPECT_EQ(talk.take_answer(8, kStart), 0);
  EXPECT_EQ(talk.judge(8), Verdict::kKnown);
  EXPECT_FALSE(talk.is_owing());
}

TEST(Conversation, InRealTimeSkippedRequestsAreLostAlsoAcrossWrapAround) {
  Conversation talk(ConnectionMode::kRealTime, kTimeout);
  const std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t number : {last - 1, last, 0u, 1u}) talk.ask(number, kStart);
  EXPECT_EQ(talk.judge(last), Verdict::kAwaited);
  EXPECT_EQ(talk.take_answer(last, kStart), 1);  // the first request
  EXPECT_EQ(talk.judge(last - 1), Verdict::kKnown);
  EXPECT_EQ(talk.take_answer(1, kStart), 1);  // number 0
  EXPECT_EQ(talk.judge(2), Verdict::kEarly);
}

TEST(Conversation, ResendsThreeTimesWithinTheTimeoutThenIsSilent) {
  Conversation talk(ConnectionMode::kLockStep, kTimeout);
  talk.ask(1, kStart);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(talk.resend_at(), kStart + i * milliseconds(100));
    talk.resend();
  }
  EXPECT_EQ(talk.resend_at(), ConnectionDeadline::max());
  EXPECT_FALSE(talk.is_silent(kStart + milliseconds(399)));
  EXPECT_TRUE(talk.is_silent(kStart + milliseconds(400)));
  talk.begin();
  EXPECT_FALSE(talk.is_silent(kStart + milliseconds(400)));
}

}  // namespace
}  // namespace lockstep
