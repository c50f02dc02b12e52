#include "connection/silence_watch.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using std::chrono::milliseconds;

TEST(SilenceWatch, InLockStepTheFirstMissingAnswerIsSilence) {
  SilenceWatch watch({.mode = ConnectionMode::kLockStep}, milliseconds(1));
  watch.note_answer(0);
  EXPECT_TRUE(watch.note_none(1));
  EXPECT_FALSE(watch.note_none(2));  // still silent
  watch.note_answer(3);
  EXPECT_FALSE(watch.is_silent());
  EXPECT_TRUE(watch.note_none(4));
}

TEST(SilenceWatch, InRealTimeItBeginsAfterTheTimeoutInWholeSteps) {
  SilenceWatch watch({.mode = ConnectionMode::kRealTime, .timeout = milliseconds(5)}, milliseconds(2));
  EXPECT_FALSE(watch.note_none(10));  // counts from the first exchange
  EXPECT_FALSE(watch.note_none(12));
  EXPECT_TRUE(watch.note_none(13));  // 6 ms
  EXPECT_EQ(watch.last_answered(), -1);
}

}  // namespace
}  // namespace lockstep
