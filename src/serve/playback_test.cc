#include "serve/playback.h"

#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "serve/rejection.h"

namespace lockstep::serve {
namespace {

/// A pendulum with 1 ms steps, stopped by an event after 50 ms.
constexpr const char* kStoppedPendulum = R"(<scenario step="1 ms" duration="1 s">
  <robot name="arm">
    <link name="stand"/>
    <link name="rod" parent="stand">
      <joint name="pivot" axis="0 1 0" initial="0.5 rad"/>
      <capsule radius="1 cm" length="30 cm" position="0 0 -0.15"/>
    </link>
  </robot>
  <event at="50 ms" action="stop"/>
</scenario>)";

class PlaybackTest : public testing::Test {
 protected:
  PlaybackTest() {
    const Open source{.file = {}, .folder = ".", .shown = "t.xml", .text = kStoppedPendulum, .controllers = {}};
    opened_.open(opened_.prepare(source, true), source);
    playback_.begin();
    playback_.set_speed(std::nullopt);
  }
  void run() {
    while (playback_.is_running()) (void)playback_.advance(std::chrono::milliseconds(1));
  }
  std::int64_t step() const { return opened_.simulation().now().step; }

  const Registry registry_ = default_registry();
  Outbox outbox_{{}};
  OpenedScenario opened_{
      {.registry = registry_, .is_wait_cancelled = [] { return false; }, .socket_folder = {}}};
  int jumps_ = 0;
  Playback playback_{opened_, outbox_, [this] { ++jumps_; }};
};

TEST_F(PlaybackTest, GoesThroughItsStates) {
  EXPECT_EQ(playback_.state(), Playback::State::kPaused);
  playback_.step(20);
  EXPECT_TRUE(playback_.is_running());
  run();
  EXPECT_EQ(playback_.state(), Playback::State::kPaused);
  EXPECT_EQ(step(), 20);
  playback_.play(std::nullopt);
  run();
  EXPECT_EQ(playback_.state(), Playback::State::kEnded);
  EXPECT_EQ(playback_.outcome(), "an event stopped the run");
  EXPECT_EQ(step(), 50);
  playback_.play(0.1);  // an ended run can be continued
  run();
  EXPECT_EQ(playback_.state(), Playback::State::kPaused);
  EXPECT_EQ(step(), 150);
  playback_.reset();
  EXPECT_EQ(playback_.state(), Playback::State::kPaused);
  EXPECT_EQ(step(), 0);
}

TEST_F(PlaybackTest, ASeekPastAStopGivesTheSameBits) {
  playback_.play(std::nullopt);
  run();
  playback_.play(0.01);
  run();
  ASSERT_EQ(step(), 60);
  const std::uint64_t hash = opened_.simulation().hash();
  const auto never = [] { return false; };
  playback_.seek(playback_.find_step(0.03), never);
  EXPECT_EQ(step(), 30);
  playback_.seek(playback_.find_step(0.06), never);
  EXPECT_EQ(step(), 60);
  EXPECT_EQ(opened_.simulation().hash(), hash);
  EXPECT_THROW((void)playback_.find_step(0.2), Rejection);
}

TEST_F(PlaybackTest, ASeekGivesUpWhenANewerOneIsWaiting) {
  playback_.step(40);
  run();
  EXPECT_THROW(playback_.seek(20, [] { return true; }), Rejection);
  EXPECT_EQ(playback_.state(), Playback::State::kPaused);
}

TEST_F(PlaybackTest, EveryJumpIsReported) {
  const int before = jumps_;
  playback_.step(10);
  run();
  EXPECT_EQ(jumps_, before);
  playback_.snapshots().save("here", opened_.simulation(), opened_.scenario().loaded.hash);
  playback_.reset();
  EXPECT_EQ(jumps_, before + 1);
  playback_.load(playback_.snapshots().find("here"));
  EXPECT_EQ(jumps_, before + 2);
  EXPECT_EQ(step(), 10);
}

TEST_F(PlaybackTest, PausesOnceAtThePlannedDuration) {
  playback_.play(std::nullopt);
  run();  // to the stop event
  playback_.play(std::nullopt);
  run();
  EXPECT_EQ(playback_.state(), Playback::State::kPaused);
  EXPECT_EQ(step(), 1000);
  EXPECT_TRUE(playback_.is_at_planned_end());
  playback_.step(5);
  run();
  EXPECT_FALSE(playback_.is_at_planned_end());
  playback_.play(std::nullopt);  // no other end is planned
  for (int i = 0; i < 200 && playback_.is_running(); ++i) (void)playback_.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(playback_.is_running());
  EXPECT_GT(step(), 1005);
}

}  // namespace
}  // namespace lockstep::serve
