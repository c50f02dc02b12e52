#include "connection/remote_controller.h"

#include <gtest/gtest.h>

#include "connection/function_peer_testing.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Slot kMeasurement{0}, kOrder{1};
constexpr std::size_t kFirstHealth = 2;
constexpr double kInitial = 5.0;

const PeerReply kNoAnswer{.is_fresh = false, .is_connected = true, .counts = {}, .waited = Duration(0)};
const PeerReply kAnswer{.is_fresh = true, .is_connected = true, .counts = {}, .waited = Duration(0)};

/// A connection with one signal in each direction and a step of 1 ms.
class OneConnection {
 public:
  OneConnection(ConnectionTiming timing, std::int64_t every, FunctionPeer::Function function,
                std::function<bool()> cancelled = {})
      : connection_(
            "arm/plc",
            {.reads = {kMeasurement},
             .writes = {kOrder},
             .initial = {kInitial},
             .health = health_slots(kFirstHealth)},
            {.timing = timing, .every = every, .step = milliseconds(1), .cancelled = std::move(cancelled)},
            std::make_unique<FunctionPeer>(std::move(function))) {
    values_[1] = kInitial;
  }

  Status step() {
    const Status status =
        connection_.exchange({step_, milliseconds(step_), 1e-3 * static_cast<double>(step_)}, Row(values_));
    ++step_;
    return status;
  }
  /// The commands of the next `count` steps.
  std::vector<double> commands(int steps) {
    std::vector<double> commands;
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(step().ok());
      commands.push_back(values_[1]);
    }
    return commands;
  }
  double health(std::string_view quantity) const {
    const auto at = std::find(RemoteController::kHealth.begin(), RemoteController::kHealth.end(), quantity);
    return values_[kFirstHealth + static_cast<std::size_t>(at - RemoteController::kHealth.begin())];
  }
  RemoteController& connection() { return connection_; }
  double& measured() { return values_[0]; }
  double command() const { return values_[1]; }
  std::int64_t& now() { return step_; }

 private:
  std::vector<double> values_ = std::vector<double>(kFirstHealth + RemoteController::kHealth.size());
  std::int64_t step_ = 0;
  RemoteController connection_;
};

/// Answers 10, 20, 30 …
FunctionPeer::Function counting() {
  return [n = 0.0](const PeerRequest&, std::span<double> commands) mutable {
    commands[0] = n += 10.0;
    return kAnswer;
  };
}

TEST(CommandShaper, TheMiddleBetweenTheLargestNumbersIsZero) {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr std::int64_t kEvery = 8;
  for (const CommandShape shape : {CommandShape::kLinear, CommandShape::kSmooth}) {
    CommandShaper shaper(shape, kEvery, {kMax});
    shaper.begin(0, std::vector<double>{-kMax});
    std::vector<double> values(1, kMax);
    double before = kMax;
    for (std::int64_t step = 0; step <= kEvery; ++step) {
      shaper.write(step, std::vector<Slot>{Slot{0}}, Row(values));
      EXPECT_TRUE(std::isfinite(values[0]) && values[0] <= before) << step;
      before = values[0];
      if (step == kEvery / 2) {
        EXPECT_EQ(values[0], 0.0);
      }
    }
    EXPECT_EQ(values[0], -kMax);
  }
}

TEST(CommandShaper, ARampBeyondTheLimitsIsARampBetweenThem) {
  CommandShaper shaper(CommandShape::kLinear, 4, {0.0}, {{.lower = -2.0, .upper = 2.0}});
  shaper.begin(0, std::vector<double>{1e300});
  std::vector<double> values(1);
  for (std::int64_t step = 0; step <= 4; ++step) {
    shaper.write(step, std::vector<Slot>{Slot{0}}, Row(values));
    EXPECT_EQ(values[0], 0.5 * static_cast<double>(step));
  }
}

TEST(RemoteController, AnswersTheMeasurementOfTheSameInstant) {
  OneConnection one({}, 1, [](const PeerRequest& request, std::span<double> commands) {
    commands[0] = -2.0 * request.measured[0];
    return kAnswer;
  });
  ASSERT_EQ(one.connection().open(), "");
  for (const double x : {1.0, 3.0, -4.0}) {
    one.measured() = x;
    ASSERT_TRUE(one.step().ok());
    EXPECT_EQ(one.command(), -2.0 * x);
  }
}

TEST(RemoteController, AsksAtItsPeriodWithConsecutiveNumbersAndTheTime) {
  std::vector<std::pair<std::uint32_t, Duration>> asked;
  OneConnection one({}, 4, [&](const PeerRequest& request, std::span<double>) {
    asked.emplace_back(request.sequence, request.time);
    return kAnswer;
  });
  ASSERT_EQ(one.connection().open(), "");
  one.commands(9);
  const std::vector<std::pair<std::uint32_t, Duration>> expected = {
      {1, milliseconds(0)}, {2, milliseconds(4)}, {3, milliseconds(8)}};
  EXPECT_EQ(asked, expected);
}

TEST(RemoteController, HeldCommandsJumpAtTheExchange) {
  OneConnection one({}, 4, counting());
  ASSERT_EQ(one.connection().open(), "");
  EXPECT_EQ(one.commands(9), (std::vector<double>{10, 10, 10, 10, 20, 20, 20, 20, 30}));
}

TEST(RemoteController, LinearCommandsRampFromTheOldToTheNewValueOverOnePeriod) {
  OneConnection one({.interpolation = CommandShape::kLinear}, 4, counting());
  ASSERT_EQ(one.connection().open(), "");
  EXPECT_EQ(one.commands(9), (std::vector<double>{5, 6.25, 7.5, 8.75, 10, 12.5, 15, 17.5, 20}));
}

TEST(RemoteController, SmoothCommandsAreTwoParabolasThatMeetInTheMiddle) {
  OneConnection one({.interpolation = CommandShape::kSmooth}, 4, counting());
  ASSERT_EQ(one.connection().open(), "");
  // s(1/4) = 2/16, s(1/2) = 1/2, s(3/4) = 1 - 2/16.
  EXPECT_EQ(one.commands(9), (std::vector<double>{5, 5.625, 7.5, 9.375, 10, 11.25, 15, 18.75, 20}));
}

TEST(RemoteController, ARampEndsAtItsValueWithoutANewCommand) {
  OneConnection one({.silence = Silence::kHold, .interpolation = CommandShape::kLinear}, 2,
                    [n = 0](const PeerRequest&, std::span<double> commands) mutable {
                      commands[0] = 9.0;
                      return n++ == 0 ? kAnswer : kNoAnswer;
                    });
  ASSERT_EQ(one.connection().open(), "");
  EXPECT_EQ(one.commands(5), (std::vector<double>{5, 7, 9, 9, 9}));
}

TEST(RemoteController, SilenceStopsTheRunWithAReason) {
  OneConnection one({}, 1, [n = 0](const PeerRequest& request, std::span<double> commands) mutable {
    if (n++ < 3) {
      commands[0] = 1.0;
      return kAnswer;
    }
    return PeerReply{.is_fresh = false, .is_connected = true, .counts = {.lost = 3}, .waited = request.wait};
  });
  ASSERT_EQ(one.connection().open(), "");
  one.commands(3);
  const Status status = one.step();
  EXPECT_EQ(status.outcome, Outcome::kControllerLost);
  EXPECT_EQ(status.subject, "arm/plc");
  EXPECT_EQ(status.cause, "no command for 1 s; 3 messages lost, last answer at step 2");
  EXPECT_EQ(status.step, 3);
  EXPECT_EQ(one.health("silent"), 1.0);
}

TEST(RemoteController, AControllerThatNeverAnswersIsLostAfterTheTimeToConnect) {
  std::vector<Duration> waits;
  OneConnection one({}, 1, [&](const PeerRequest& request, std::span<double>) {
    waits.push_back(request.wait);
    return PeerReply{.is_fresh = false, .is_connected = false, .counts = {}, .waited = Duration(0)};
  });
  ASSERT_EQ(one.connection().open(), "");
  EXPECT_EQ(one.step().cause, "no command for 10 s; 0 messages lost, no answer yet");
  EXPECT_EQ(waits, std::vector<Duration>{seconds(10)});
}

TEST(RemoteController, TheTimeToConnectMayBeShorterThanTheTimeout) {
  std::vector<Duration> waits;
  OneConnection one({.timeout = seconds(5), .connect_timeout = seconds(2)}, 1,
                    [&](const PeerRequest& request, std::span<double>) {
                      waits.push_back(request.wait);
                      return kNoAnswer;
                    });
  ASSERT_EQ(one.connection().open(), "");
  EXPECT_EQ(one.step().cause, "no command for 2 s; 0 messages lost, no answer yet");
  EXPECT_EQ(waits, std::vector<Duration>{seconds(2)});
}

TEST(RemoteController, SilenceAndReturnAreEventsThatAreToldOnce) {
  for (const Silence silence : {Silence::kHold, Silence::kZero}) {
    int n = 0;
    OneConnection one({.silence = silence}, 1, [&](const PeerRequest&, std::span<double> commands) {
      commands[0] = 1.0;
      return ++n == 1 || n > 4 ? kAnswer : kNoAnswer;
    });
    std::vector<std::string> told;
    one.connection().set_listener([&](const ConnectionEvent& event) {
      told.push_back(fmt::format("{} {}", event.step, name(event.kind)));
    });
    ASSERT_EQ(one.connection().open(), "");
    (void)one.commands(7);
    EXPECT_EQ(told, (std::vector<std::string>{"1 silent", "4 returned"}));
    const ConnectionReport report = one.connection().report();
    ASSERT_EQ(report.events.size(), 2u);
    EXPECT_EQ(report.events[0].text, silence == Silence::kHold ? "no answer for 1 s; its last commands are held"
                                                               : "no answer for 1 s; its commands are zero");
  }
}

/// One command, answered once with 8; one step is 1 ms.
class WatchedConnection {
 public:
  WatchedConnection(Watchdogs::Watchdog watchdog, std::function<bool(int)> answers)
      : connection_("arm/plc",
                    {.reads = {kMeasurement},
                     .writes = {kOrder},
                     .initial = {kInitial},
                     .health = health_slots(kFirstHealth)},
                    {.timing = {.silence = Silence::kHold},
                     .step = milliseconds(1),
                     .cancelled = {},
                     .watchdogs = {watchdog}},
                    std::make_unique<FunctionPeer>(
                        [answers, n = 0](const PeerRequest&, std::span<double> commands) mutable {
                          commands[0] = 8.0;
                          return answers(n++) ? kAnswer : kNoAnswer;
                        })) {
    EXPECT_EQ(connection_.open(), "");
  }
  Status step() {
    const Status status = connection_.exchange({step_, milliseconds(step_), 0.0}, Row(values_));
    ++step_;
    return status;
  }
  double command() const { return values_[1]; }
  RemoteController& connection() { return connection_; }

 private:
  RemoteController connection_;
  std::vector<double> values_ = std::vector<double>(kFirstHealth + RemoteController::kHealth.size(), kInitial);
  std::int64_t step_ = 0;
};

TEST(Watchdog, HoldsThenRampsToTheSafeValueAndRestsWhenTheControllerReturns) {
  WatchedConnection one({.hold = 3, .ramp = 4, .safe = 2.0}, [](int n) { return n == 0 || n == 9; });
  std::vector<double> commands;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(one.step().ok());
    commands.push_back(one.command());
  }
  // Steps 1 to 2 are held, then 8 falls to 2 within four steps.
  EXPECT_EQ(commands, (std::vector<double>{8, 8, 8, 8, 6.5, 5, 3.5, 2, 2, 8}));
}

TEST(Watchdog, MayEndTheRunAndContinuesFromASavedState) {
  const Watchdogs::Watchdog watchdog{.hold = 1, .ramp = 4, .safe = 0.0, .stops = true};
  const auto answers = [](int n) { return n == 0; };
  WatchedConnection one(watchdog, answers);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(one.step().ok());
  EXPECT_EQ(one.command(), 6.0);
  StateWriter writer;
  one.connection().save(writer);
  StateReader reader(writer.bytes());
  one.connection().restore(reader);  // in the middle of the ramp
  EXPECT_TRUE(one.step().ok());
  EXPECT_EQ(one.command(), 4.0);
  EXPECT_TRUE(one.step().ok());
  const Status status = one.step();
  EXPECT_EQ(status.outcome, Outcome::kControllerLost);
  EXPECT_EQ(status.cause, "no command for 0.005 s of simulated time: the watchdog of command 1 ends the run");
  EXPECT_EQ(one.command(), 0.0);
}

TEST(RemoteController, APauseAndItsEndAreEvents) {
  int n = 0;
  OneConnection one({.silence = Silence::kPause}, 1, [&](const PeerRequest&, std::span<double>) {
    return ++n == 1 || n > 4 ? kAnswer : kNoAnswer;
  });
  std::vector<std::string> told;
  one.connection().set_listener([&](const ConnectionEvent& event) {
    told.push_back(fmt::format("{} {}", event.step, name(event.kind)));
  });
  ASSERT_EQ(one.connection().open(), "");
  (void)one.commands(3);
  EXPECT_EQ(told, (std::vector<std::string>{"1 paused", "1 returned"}));
}

TEST(RemoteController, HoldKeepsTheLastCommandAndDoesNotWaitUntilASignOfLife) {
  int n = 0;
  std::vector<Duration> waits;
  OneConnection one({.silence = Silence::kHold}, 1,
                    [&](const PeerRequest& request, std::span<double> commands) {
                      waits.push_back(request.wait);
                      PeerReply reply = kNoAnswer;
                      if (n == 0 || n == 5) {
                        commands[0] = 7.0 + n;
                        reply = kAnswer;
                      }
                      if (n == 4) reply.counts.duplicate = 1;
                      ++n;
                      return reply;
                    });
  ASSERT_EQ(one.connection().open(), "");
  EXPECT_EQ(one.commands(7), (std::vector<double>{7, 7, 7, 7, 7, 12, 12}));
  const std::vector<Duration> expected = {seconds(10), seconds(1), Duration(0), Duration(0),
                                          Duration(0), seconds(1), seconds(1)};
  EXPECT_EQ(waits, expected);
  EXPECT_EQ(one.health("late"), 5.0);
}

TEST(RemoteController, ZeroSetsTheCommandsToZeroAtOnceEvenDuringARamp) {
  OneConnection one({.silence = Silence::kZero, .interpolation = CommandShape::kLinear}, 2,
                    [n = 0](const PeerRequest&, std::span<double> commands) mutable {
                      commands[0] = 9.0;
                      return n++ == 0 ? kAnswer : kNoAnswer;
                    });
  ASSERT_EQ(one.connection().open(), "");
  EXPECT_EQ(one.commands(5), (std::vector<double>{5, 7, 0, 0, 0}));
}

TEST(RemoteController, PauseRepeatsTheExchangeUntilAnAnswer) {
  std::vector<std::uint32_t> asked;
  OneConnection one({.silence = Silence::kPause}, 1,
                    [&](const PeerRequest& request, std::span<double> commands) {
                      asked.push_back(request.sequence);
                      commands[0] = 3.0;
                      return asked.size() == 2 || asked.size() == 3 ? kNoAnswer : kAnswer;
                    });
  ASSERT_EQ(one.connection().open(), "");
  one.commands(3);
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{1, 2, 2, 2, 3}));
  EXPECT_EQ(one.health("late"), 1.0);
}

TEST(RemoteController, APauseEndsWhenTheRunIsCancelled) {
  int n = 0;
  OneConnection one(
      {.silence = Silence::kPause}, 1,
      [&](const PeerRequest&, std::span<double>) {
        ++n;
        return kNoAnswer;
      },
      [&] { return n >= 5; });
  ASSERT_EQ(one.connection().open(), "");
  const Status status = one.step();
  EXPECT_EQ(status.outcome, Outcome::kInterrupted);
  EXPECT_EQ(status.subject, "arm/plc");
  EXPECT_EQ(one.connection().last_input().step, -1);  // nothing to record
}

TEST(RemoteController, ACancelledWaitForTheFirstAnswerIsRepeatedInFull) {
  std::vector<Duration> waits;
  OneConnection one(
      {.timeout = seconds(1), .connect_timeout = seconds(10)}, 1,
      [&](const PeerRequest& request, std::span<double>) {
        waits.push_back(request.wait);
        return waits.size() == 2 ? kAnswer : kNoAnswer;
      },
      [&] { return waits.size() == 1; });
  ASSERT_EQ(one.connection().open(), "");
  ASSERT_EQ(one.step().outcome, Outcome::kInterrupted);
  one.now() = 0;
  ASSERT_TRUE(one.step().ok());
  EXPECT_EQ(waits, (std::vector<Duration>{seconds(10), seconds(10)}));
}

TEST(RemoteController, InRealTimeItNeverWaitsAndIsSilentAfterTheSimulatedTimeout) {
  std::vector<Duration> waits;
  OneConnection one({.mode = ConnectionMode::kRealTime, .timeout = milliseconds(3)}, 1,
                    [&](const PeerRequest& request, std::span<double> commands) {
                      waits.push_back(request.wait);
                      commands[0] = 1.0;
                      return waits.size() == 1 ? kAnswer : kNoAnswer;
                    });
  ASSERT_EQ(one.connection().open(), "");
  one.commands(3);
  EXPECT_EQ(one.health("late"), 2.0);
  EXPECT_EQ(one.health("silent"), 0.0);
  EXPECT_EQ(one.step().outcome, Outcome::kControllerLost);
  EXPECT_EQ(waits, (std::vector<Duration>{seconds(10), Duration(0), Duration(0), Duration(0)}));
}

TEST(RemoteController, CountsAreSignals) {
  OneConnection one({}, 1, [](const PeerRequest&, std::span<double>) {
    return PeerReply{.is_fresh = true,
                     .is_connected = true,
                     .counts = {.lost = 1, .duplicate = 2, .bad = 3, .reconnects = 4},
                     .waited = Duration(0)};
  });
  ASSERT_EQ(one.connection().open(), "");
  one.commands(10);
  EXPECT_EQ(one.health("lost"), 10.0);
  EXPECT_EQ(one.health("duplicate"), 20.0);
  EXPECT_EQ(one.health("bad"), 30.0);
  EXPECT_EQ(one.health("reconnects"), 40.0);
  EXPECT_EQ(one.health("connected"), 1.0);
  EXPECT_EQ(one.health("late"), 0.0);
}

TEST(RemoteController, AnAnswerThatTakesLongerThanThePeriodAtThePaceIsLate) {
  OneConnection one({}, 2, [n = 0](const PeerRequest&, std::span<double>) mutable {
    // The period of 2 ms is 1 ms of real time at twice real time.
    const Duration waited[] = {seconds(5), std::chrono::microseconds(900), std::chrono::microseconds(3400)};
    PeerReply reply = kAnswer;
    reply.waited = waited[n++];
    return reply;
  });
  one.connection().set_pace(2.0);
  ASSERT_EQ(one.connection().open(), "");
  one.commands(2);
  EXPECT_EQ(one.health("late"), 0.0);  // it connected
  one.commands(2);
  EXPECT_EQ(one.health("late"), 0.0);
  one.commands(2);
  EXPECT_EQ(one.health("late"), 1.0);
  EXPECT_EQ(one.health("missed"), 3.0);
  EXPECT_EQ(one.connection().report().round_trip.worst, std::chrono::microseconds(3400));
}

TEST(RemoteController, FedWithItsInputsItRepeatsTheRunWithoutAPeer) {
  const ConnectionTiming timing{.silence = Silence::kZero, .interpolation = CommandShape::kSmooth};
  OneConnection live(timing, 3, [n = 0](const PeerRequest&, std::span<double> commands) mutable {
    commands[0] = 0.1 * n;
    PeerReply reply = ++n % 4 == 0 ? kNoAnswer : kAnswer;
    reply.counts.bad = n % 2;
    return reply;
  });
  OneConnection fed(timing, 3, {});
  ASSERT_EQ(live.connection().open(), "");
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(live.step().ok());
    if (i % 3 == 0) fed.connection().feed(live.connection().last_input());
    ASSERT_TRUE(fed.step().ok());
    ASSERT_EQ(fed.command(), live.command()) << i;
  }
  StateWriter a, b;
  live.connection().save(a);
  fed.connection().save(b);
  EXPECT_TRUE(std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end()));
}

TEST(RemoteController, ARestoredConnectionContinuesWithAnotherController) {
  OneConnection first({.interpolation = CommandShape::kLinear}, 4, counting());
  ASSERT_EQ(first.connection().open(), "");
  first.commands(6);  // in the middle of the second ramp, from 10 to 20
  StateWriter writer;
  first.connection().save(writer);
  std::vector<std::uint32_t> asked;
  OneConnection second({.interpolation = CommandShape::kLinear}, 4,
                       [&](const PeerRequest& request, std::span<double> commands) {
                         asked.push_back(request.sequence);
                         commands[0] = 40.0;
                         return kAnswer;
                       });
  StateReader reader(writer.bytes());
  second.connection().restore(reader);
  EXPECT_TRUE(reader.at_end());
  second.now() = first.now();
  ASSERT_EQ(second.connection().open(), "");
  EXPECT_EQ(second.commands(5), (std::vector<double>{15, 17.5, 20, 25, 30}));
  EXPECT_EQ(asked, std::vector<std::uint32_t>{3});
}

TEST(RemoteController, RejectsAStateWithANonFiniteCommand) {
  OneConnection one({}, 1, counting());
  StateWriter writer;
  one.connection().save(writer);
  std::vector<std::uint8_t> bytes(writer.bytes().begin(), writer.bytes().end());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // After the exchanges, the counts and the length of the old commands.
  std::memcpy(bytes.data() + 8 + 8 * kConnectionCounts.size() + 8, &nan, 8);
  StateReader reader(bytes);
  EXPECT_THROW(one.connection().restore(reader), StateError);
}

TEST(RemoteController, AClosedConnectionLeavesTheCommandUnchanged) {
  OneConnection one({}, 1, [](const PeerRequest&, std::span<double>) -> PeerReply {
    ADD_FAILURE() << "asked";
    return kNoAnswer;
  });
  EXPECT_EQ(one.commands(3), (std::vector<double>{5, 5, 5}));
}

TEST(RoundTrips, GivesQuantilesToOnePercentAndTheMaximumExactly) {
  RoundTrips times;
  for (int i = 1; i <= 1000; ++i) times.note(std::chrono::microseconds(i), milliseconds(i));
  EXPECT_NEAR(to_seconds(times.quantile(0.5)), 500e-6, 5e-6);
  EXPECT_NEAR(to_seconds(times.quantile(0.99)), 990e-6, 9.9e-6);
  EXPECT_EQ(times.worst(), std::chrono::microseconds(1000));
  EXPECT_EQ(times.worst_at(), milliseconds(1000));
  // Up to 10, 30, 100, 300 us and 1 ms; a class at a bound is 1.6 % wide.
  const TimeHistogram histogram = times.histogram();
  EXPECT_NEAR(static_cast<double>(histogram[0]), 10.0, 1.0);
  EXPECT_NEAR(static_cast<double>(histogram[2]), 70.0, 2.0);
  EXPECT_NEAR(static_cast<double>(histogram[4]), 700.0, 8.0);
  EXPECT_EQ(RoundTrips().quantile(0.5), Duration(0));
}

}  // namespace
}  // namespace lockstep
