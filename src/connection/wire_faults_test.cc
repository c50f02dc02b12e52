// Robustness tests of all transports: slow readers, port scans, injected message faults; and allocations.

#include <gtest/gtest.h>

#include <limits>

#include "connection/wire_peer_testing.h"
#include "physics/allocation_counter_testing.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WireFaultsThreads : public WirePeerTest {};

TEST_P(WireFaultsThreads, ASlowReaderNeverBlocksARealTimeConnection) {
  constexpr std::size_t kReads = 4000;
  open(seconds(5), ConnectionMode::kRealTime, kReads);
  std::atomic<bool> may_go = false;
  auto controller = start([&](WireClient& client) {
    client.enter();
    while (!may_go) std::this_thread::sleep_for(milliseconds(5));
  });
  while (!ask(0, milliseconds(20)).is_connected) continue;
  Duration longest{0};
  for (std::uint32_t i = 1; i < 500; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(ask(i, Duration(0)).is_fresh);
    longest = std::max(longest, Duration(std::chrono::steady_clock::now() - start));
  }
  EXPECT_LT(longest, kSlack);
  if (!transport().keeps_boundaries) {
    EXPECT_GT(total_.lost, 0);
  }
  may_go = true;
}

TEST_P(WireFaultsThreads, ACommandOfAnotherSessionIsNotUsed) {
  open(seconds(20));
  ConnectionNotes notes;
  const std::function<void()> nothing;
  peer_->report_to(notes, nothing);
  auto controller = start([&](WireClient& client) {
    ASSERT_TRUE(client.connect()) << client.error();
    const auto welcome = client.greet({.name = "test", .has_sessions = true});
    ASSERT_TRUE(welcome && welcome->type == MessageType::kWelcome);
    EXPECT_NE(welcome->session, 0);
    auto heard = client.hear(MessageType::kMeasurement);
    EXPECT_EQ(heard->session, welcome->session);
    // As recorded in an earlier run: everything is right but the session.
    for (const std::uint16_t wrong : {std::uint16_t{0}, static_cast<std::uint16_t>(welcome->session + 1)}) {
      heard->session = wrong;
      client.answer(*heard, {666.0});
      const auto error = client.hear(MessageType::kError);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->notice().code, NoticeCode::kMisfit);
    }
    heard->session = welcome->session;
    client.answer(*heard, decide(heard->numbers()));
    answer_all(client);
  });
  EXPECT_TRUE(ask(1).is_fresh);
  EXPECT_EQ(total_.bad, 2);
  EXPECT_EQ(notes.controller(), "test");
  EXPECT_TRUE(notes.problem().starts_with("a message of session ")) << notes.problem();
  peer_.reset();
}

TEST_P(WireFaultsThreads, EachConnectionHasItsOwnSession) {
  open(seconds(20));
  std::uint16_t first = 0;
  for (int i = 0; i < 2; ++i) {
    auto controller = start([&](WireClient& client) {
      ASSERT_TRUE(client.connect()) << client.error();
      const auto welcome = client.greet({.name = "test", .has_sessions = true});
      ASSERT_TRUE(welcome && welcome->type == MessageType::kWelcome);
      EXPECT_NE(welcome->session, first);
      first = welcome->session;
      const auto heard = client.hear(MessageType::kMeasurement);
      client.answer(*heard, decide(heard->numbers()));
      client.say_bytes(client.make(MessageType::kBye, 0, Duration(0), encode_notice({NoticeCode::kLeaves, ""}),
                                   welcome->session));
    });
    EXPECT_TRUE(ask(static_cast<std::uint32_t>(i + 1)).is_fresh);
    controller.join();
    while (ask(static_cast<std::uint32_t>(i + 1), milliseconds(1)).is_connected) continue;
  }
}

TEST_P(WireFaultsThreads, AWelcomedControllerDoesNotShortenTheTimeToConnect) {
  open(milliseconds(100));
  auto controller = start([&](WireClient& client) {
    client.enter();
    client.hear(MessageType::kMeasurement);
    client.leave_noticed();  // and another answers, long after the timeout
    std::this_thread::sleep_for(milliseconds(300));
    client.enter();
    answer_all(client);
  });
  EXPECT_TRUE(ask(1, seconds(30)).is_fresh);
  peer_.reset();
}

TEST_P(WireFaultsThreads, AControllerIsWelcomeWhileTheRunWaitsForAnotherConnection) {
  open(seconds(20));
  auto controller = start([&](WireClient& client) {
    client.enter();
    answer_all(client);
  });
  ConnectionNotes notes;
  const std::function<void()> nothing;
  peer_->report_to(notes, nothing);
  while (notes.controller().empty()) {
    peer_->look();
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(ask(1).is_fresh);
  EXPECT_EQ(total_.bad + total_.reconnects, 0);
  peer_.reset();
}

TEST_P(WireFaultsThreads, WhyAClientOrAMessageWasRejectedIsTold) {
  open(seconds(20));
  ConnectionNotes notes;
  const std::function<void()> nothing;
  peer_->report_to(notes, nothing);
  auto controller = start([&](WireClient& client) {
    ASSERT_TRUE(client.connect()) << client.error();
    const auto rejected = client.greet({.name = "old", .writes = {{"arm/motor/torq", "N*m"}}});
    ASSERT_TRUE(rejected && rejected->type == MessageType::kError);
    while (!client.has_boundaries() && client.hear())
      continue;  // until the simulation has closed the connection
    client.leave();
    client.enter();
    const auto heard = client.hear(MessageType::kMeasurement);
    client.answer(*heard, {std::numeric_limits<double>::quiet_NaN()});
    client.answer(*heard, decide(heard->numbers()));
    answer_all(client);
  });
  EXPECT_TRUE(ask(1).is_fresh);
  std::vector<std::string> told;
  for (const ConnectionEvent& event : notes.events()) told.push_back(event.text);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(
      told[0],
      "a client was rejected: connection 'arm/plc': signal 'arm/motor/torq' cannot be written; did you mean "
      "'arm/motor/torque'?");
  EXPECT_EQ(told[1], "controller 'test' connected");
  EXPECT_EQ(told[2], "COMMAND 1 has a non-finite number");
  peer_.reset();
}

TEST_P(WireFaultsThreads, TruncatedSharedMemoryEndsOnlyTheConnection) {
  if (transport().form != AddressForm::kName) GTEST_SKIP() << "only shared memory can be truncated";
  for (const off_t size : {off_t{0}, off_t{4096}}) {  // all of it, and the rings alone
    open(seconds(5));
    const std::string file = "/dev/shm/" + peer_->address().substr(4);
    {
      std::atomic<bool> may_go = false;
      auto controller = start([&](WireClient& client) {
        client.enter();
        const auto heard = client.hear(MessageType::kMeasurement);
        client.answer(*heard, decide(heard->numbers()));
        while (!may_go) std::this_thread::sleep_for(milliseconds(1));
      });
      EXPECT_TRUE(ask(1, WireClient::kPatience).is_fresh);
      ASSERT_EQ(truncate(file.c_str(), size), 0);
      const PeerReply reply = ask(2, milliseconds(100));
      EXPECT_FALSE(reply.is_fresh);
      EXPECT_FALSE(reply.is_connected);
      EXPECT_EQ(reply.counts.bad, 0);
      may_go = true;
    }
    auto controller = start([](WireClient& client) {
      client.enter();
      answer_all(client);
    });
    const PeerReply reply = ask(3, WireClient::kPatience);
    EXPECT_TRUE(reply.is_fresh);
    EXPECT_EQ(reply.counts.reconnects, 1);
    peer_->close();
  }
}

TEST_P(WireFaultsThreads, AHungControllerGivesWayToAnother) {
  open(milliseconds(50));
  std::atomic<bool> may_go = false;
  auto hung = start([&](WireClient& client) {
    client.enter();
    answer_until(client, 2);
    while (!may_go) std::this_thread::sleep_for(milliseconds(5));
  });
  EXPECT_TRUE(ask(1, WireClient::kPatience).is_fresh);
  EXPECT_FALSE(ask(2).is_fresh);
  std::jthread next([address = peer_->address()] {
    WireClient client(address);
    // Until the first one counts as silent, ERROR 3.
    std::optional<Heard> heard;
    while (!heard || heard->type != MessageType::kWelcome) {
      ASSERT_TRUE(client.connect()) << client.error();
      heard = client.greet();
    }
    answer_all(client);
  });
  EXPECT_TRUE(ask(2, WireClient::kPatience).is_fresh);
  may_go = true;
  peer_->close();
}

TEST_P(WireFaultsThreads, ACommandWithAWrongTimeIsRejected) {
  open();
  std::optional<Heard> error;
  auto controller = start([&](WireClient& client) {
    client.enter();
    Heard heard = client.hear(MessageType::kMeasurement).value();
    heard.time += Duration(1);
    client.answer(heard, {99.0});
    error = client.hear(MessageType::kError);
    heard.time -= Duration(1);
    client.answer(heard, decide(heard.numbers()));
    answer_all(client);
  });
  const PeerReply reply = ask(1, WireClient::kPatience);
  EXPECT_TRUE(reply.is_fresh);
  EXPECT_EQ(reply.counts.bad, 1);
  peer_->close();
  controller.join();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->notice().code, NoticeCode::kMisfit);
  EXPECT_EQ(error->notice().sentence, "COMMAND 1 has time 2000001 ns; expected 2000000 ns");
}

TEST_P(WireFaultsThreads, AnInvalidAnswerEndsTheWaitIfTheRunGoesOnWithoutIt) {
  open(WireClient::kPatience);
  auto controller = start([&](WireClient& client) {
    client.enter();
    while (const auto heard = client.hear(MessageType::kMeasurement))
      client.answer(*heard, {std::numeric_limits<double>::quiet_NaN()});
  });
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint32_t i = 1; i <= 5; ++i) {
    const PeerReply reply = peer_->exchange({.sequence = i,
                                             .time = kPeriod * i,
                                             .measured = measured_,
                                             .wait = WireClient::kPatience,
                                             .ends_at_invalid = true},
                                            command_);
    EXPECT_FALSE(reply.is_fresh);
    EXPECT_EQ(reply.counts.bad, 1);
  }
  EXPECT_LT(Duration(std::chrono::steady_clock::now() - begin), WireClient::kPatience);
  peer_->close();
}

TEST_P(WireFaultsThreads, AFloodOfBadMessagesTakesABoundedPartOfEachExchange) {
  open(seconds(20), ConnectionMode::kRealTime);
  constexpr int kFlood = 1000;
  std::atomic<bool> is_sent = false, may_go = false;
  auto controller = start([&](WireClient& client) {
    client.enter();
    const Heard heard = client.hear(MessageType::kMeasurement).value();
    // Not more than a pipe holds.
    for (int i = 0; i < kFlood; ++i) client.answer(heard, {std::numeric_limits<double>::quiet_NaN()});
    is_sent = true;
    while (!may_go) std::this_thread::sleep_for(milliseconds(1));
  });
  std::uint32_t i = 1;
  while (!is_sent) ask(i++, Duration(0));
  std::int64_t most = 0;
  for (int k = 0; k < 50; ++k) {
    const std::int64_t so_far = total_.bad;
    ask(i++, Duration(0));
    most = std::max(most, total_.bad - so_far);
  }
  EXPECT_LE(most, 256);
  if (!transport().keeps_boundaries) {
    EXPECT_EQ(total_.bad, kFlood);  // none is lost
  }
  may_go = true;
  peer_->close();
}

TEST_P(WireFaultsThreads, InRealTimeTheNewestCommandIsUsedAndGapsAreLost) {
  open(seconds(20), ConnectionMode::kRealTime);
  std::atomic<int> answered = 0;
  auto controller = start([&](WireClient& client) {
    client.enter();
    std::vector<Heard> heard;
    while (heard.size() < 6) heard.push_back(client.hear(MessageType::kMeasurement).value());
    for (const std::size_t i : {0, 3, 4, 3}) client.answer(heard[i], {10.0 * static_cast<double>(i)});
    answered = 1;
    while (answered == 1) std::this_thread::sleep_for(milliseconds(1));
  });
  PeerReply reply;
  std::uint32_t i = 0;
  const auto exchange = [&] {
    reply = peer_->exchange({.sequence = i, .time = kPeriod * i, .measured = measured_}, command_);
    add(reply.counts);
    if (reply.is_connected) ++i;
  };
  while (i < 6) exchange();
  while (answered == 0) std::this_thread::sleep_for(milliseconds(1));
  exchange();
  if (!reply.is_fresh) exchange();
  answered = 2;
  EXPECT_EQ(command_[0], 40.0);
  EXPECT_EQ(total_.lost, 2);       // 1 and 2
  EXPECT_EQ(total_.duplicate, 1);  // 3, after 4
}

TEST_P(WireFaultsThreads, AControllerThatReconnectsAtOnceIsAcceptedAndItsEarlierMessagesCount) {
  for (const ConnectionMode mode : {ConnectionMode::kLockStep, ConnectionMode::kRealTime}) {
    total_ = {};
    open(seconds(20), mode);
    std::atomic<int> rounds = 0;
    auto controller = start([&](WireClient& client) {
      client.enter();
      for (; rounds < 5; ++rounds) {
        const auto heard = client.hear(MessageType::kMeasurement);
        const auto bytes = WireClient::make_command(*heard, {1e9});
        client.say_bytes(std::span(bytes).first(20));
        if (client.has_boundaries())
          client.say(MessageType::kBye, encode_notice({NoticeCode::kLeaves, "soon back"}));
        client.leave_noticed();
        client.enter();
      }
      answer_all(client);
    });
    const auto deadline = std::chrono::steady_clock::now() + WireClient::kPatience;
    for (std::uint32_t i = 0; total_.reconnects < 5 && std::chrono::steady_clock::now() < deadline; ++i) {
      const PeerRequest request{
          .sequence = i, .time = kPeriod * i, .measured = measured_, .wait = milliseconds(5)};
      add(peer_->exchange(request, command_).counts);
    }
    EXPECT_EQ(total_.reconnects, 5);
    EXPECT_EQ(total_.bad, 5);
    peer_->close();
  }
}

TEST_P(WireFaultsThreads, InRealTimeADamagedLengthLosesCommandsForAQuarterOfTheTimeout) {
  open(milliseconds(400), ConnectionMode::kRealTime);
  std::atomic<bool> is_over = false;
  auto controller = start([&](WireClient& client) {
    client.enter();
    auto heard = client.hear(MessageType::kMeasurement);
    auto bytes = WireClient::make_command(*heard, {1e9});
    bytes[9] ^= 0x08;  // 2048 bytes more
    client.say_bytes(bytes);
    client.answer(*heard, {7.0});
    while (!is_over) std::this_thread::sleep_for(milliseconds(1));
  });
  const auto deadline = std::chrono::steady_clock::now() + WireClient::kPatience;
  PeerReply reply;
  for (std::uint32_t i = 0; !reply.is_fresh && std::chrono::steady_clock::now() < deadline; ++i) {
    reply = peer_->exchange({.sequence = i, .time = kPeriod * i, .measured = measured_}, command_);
    add(reply.counts);
    std::this_thread::sleep_for(milliseconds(1));
  }
  is_over = true;
  EXPECT_EQ(command_[0], 7.0);
  EXPECT_EQ(total_.bad, 1);
}

TEST_P(WireFaultsThreads, APauseInRealTimeResendsAsRarelyAsLockStep) {
  open(milliseconds(200), ConnectionMode::kRealTime);
  std::atomic<bool> may_go = false;
  auto controller = start([&](WireClient& client) {
    client.enter();
    while (!may_go) std::this_thread::sleep_for(milliseconds(5));
  });
  while (!ask(0, milliseconds(20)).is_connected) continue;
  ask(1, Duration(0));
  total_ = {};
  const auto start = std::chrono::steady_clock::now();
  for (int n = 0; n < 2; ++n) EXPECT_FALSE(ask(1, milliseconds(200)).is_fresh);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(400));
  EXPECT_LE(total_.lost, 7);  // three in each wait, and one between them
  may_go = true;
}

TEST_P(WireFaultsThreads, APauseInRealTimeDoesNotRepeatAnAnsweredRequest) {
  open(seconds(20), ConnectionMode::kRealTime);
  std::atomic<bool> has_answered = false, may_go = false;
  int repeated = 0;
  auto controller = start([&](WireClient& client) {
    client.enter();
    std::optional<Heard> heard;
    while ((heard = client.hear(MessageType::kMeasurement)) && heard->sequence < 1) continue;
    client.answer(*heard, decide(heard->numbers()));
    has_answered = true;
    while ((heard = client.hear(MessageType::kMeasurement)) && heard->sequence == 1) ++repeated;
    client.answer(*heard, decide(heard->numbers()));
    while (!may_go) std::this_thread::sleep_for(milliseconds(1));
  });
  while (!ask(0, milliseconds(20)).is_connected) continue;
  ask(1, Duration(0));
  while (!has_answered) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(ask(1).is_fresh);
  const PeerReply next = peer_->exchange({.sequence = 2, .time = kPeriod * 2, .measured = measured_}, command_);
  EXPECT_TRUE(next.is_fresh);  // the answer to 1 is the newest possible
  may_go = true;
  controller.join();
  EXPECT_EQ(repeated, 0);
}

TEST_P(WireFaultsThreads, APortScanDoesNotBlockTheController) {
  if (!transport().has_waiting_line) GTEST_SKIP() << "one controller only";
  open(seconds(20));
  std::vector<WireClient> scanners;
  for (int n = 0; n < 6; ++n) scanners.emplace_back(peer_->address());
  std::jthread scan([&] {
    for (std::size_t i = 0; i < scanners.size(); ++i) {
      ASSERT_TRUE(scanners[i].connect());
      const std::string_view garbage = "GET / HTTP/1.1\r\n\r\n";
      if (i % 2 == 1 || scanners[i].has_boundaries())
        scanners[i].say_bytes({reinterpret_cast<const std::uint8_t*>(garbage.data()), garbage.size()});
    }
  });
  scan.join();
  auto controller = start([](WireClient& client) {
    client.enter();
    answer_all(client);
  });
  const auto begin = std::chrono::steady_clock::now();
  std::uint32_t i = 0;
  // Until all of them have been rejected.
  for (; std::chrono::steady_clock::now() - begin < seconds(20) && total_.bad < 6; ++i)
    ASSERT_TRUE(ask(i).is_fresh) << i;
  EXPECT_EQ(total_.bad, 6);
  peer_->close();
}

TEST_P(WireFaultsThreads, AnExchangeAllocatesNothing) {
  open();
  auto controller = start([](WireClient& client) {
    client.enter();
    std::array<std::uint8_t, 64> out{};
    std::array<double, 2> measured{};
    Message message;
    while (true) {
      while (client.reader().next(message)) {
        if (message.type == MessageType::kBye) return;
        if (message.type != MessageType::kMeasurement) continue;
        decode_numbers(message.payload, measured);
        const std::array<double, 1> command = {measured[0] + 2.0 * measured[1]};
        client.say_bytes(encode_numbers(MessageType::kCommand, message.sequence, message.time, command, out));
      }
      std::size_t count = 0;
      const ConnectionDeadline deadline = std::chrono::steady_clock::now() + WireClient::kPatience;
      if (client.channel().receive(client.reader().space(), count, deadline) != Channel::Result::kDone) return;
      client.reader().received(count);
    }
  });
  for (std::uint32_t i = 0; i < 10; ++i) ASSERT_TRUE(ask(i).is_fresh);
  const std::int64_t before = allocation_count;
  std::uint32_t fresh = 0;
  for (std::uint32_t i = 10; i < 1000; ++i)
    fresh +=
        peer_->exchange({.sequence = i, .measured = measured_, .wait = timeout_}, command_).is_fresh ? 1 : 0;
  EXPECT_EQ(allocation_count - before, 0);
  EXPECT_EQ(fresh, 990u);
  peer_->close();
}

TEST_P(WireFaultsThreads, OutgoingFaultsAreRecoveredByResending) {
  open(seconds(4));
  auto controller = start([](WireClient& client) {
    client.enter();
    answer_all(client);
  });
  ASSERT_TRUE(ask(0).is_fresh);
  const PeerReply dropped = ask(1, {}, MessageFault::kDrop);
  EXPECT_TRUE(dropped.is_fresh);
  EXPECT_EQ(dropped.counts.lost, 1);
  const PeerReply corrupt = ask(2, {}, MessageFault::kCorrupt);
  EXPECT_TRUE(corrupt.is_fresh);
  EXPECT_EQ(corrupt.counts.lost, 1);
  EXPECT_TRUE(ask(3, {}, MessageFault::kDuplicate).is_fresh);
  for (std::uint32_t i = 4; i < 40; ++i) ASSERT_TRUE(ask(i).is_fresh);
  EXPECT_EQ(total_.duplicate, 1);
  EXPECT_EQ(total_.bad, 0);
  peer_->close();
}

TEST_P(WireFaultsThreads, IncomingFaultsEndTheExchangeAtOnce) {
  open(seconds(60));
  auto controller = start([](WireClient& client) {
    client.enter();
    answer_all(client);
  });
  ASSERT_TRUE(ask(0).is_fresh);
  const auto begin = std::chrono::steady_clock::now();
  const PeerReply dropped = ask(1, {}, MessageFault::kNone, MessageFault::kDrop);
  EXPECT_FALSE(dropped.is_fresh);
  EXPECT_EQ(dropped.counts.lost, 1);
  const PeerReply corrupt = ask(2, {}, MessageFault::kNone, MessageFault::kCorrupt);
  EXPECT_FALSE(corrupt.is_fresh);
  EXPECT_EQ(corrupt.counts.bad, 1);
  EXPECT_FALSE(ask(3, {}, MessageFault::kFreeze).is_fresh);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(15));  // a quarter of the timeout
  const PeerReply doubled = ask(4, {}, MessageFault::kNone, MessageFault::kDuplicate);
  EXPECT_TRUE(doubled.is_fresh);
  EXPECT_EQ(doubled.counts.duplicate, 1);
  EXPECT_TRUE(ask(5).is_fresh);
  EXPECT_EQ(total_.lost + total_.bad + total_.duplicate, 3);
  peer_->close();
}

TEST_P(WireFaultsThreads, AControllerReconnectsAfterADisconnectFault) {
  open();
  std::atomic<int> connections = 0;
  std::atomic<bool> is_over = false;
  auto controller = start([&](WireClient& client) {
    while (!is_over && client.connect(seconds(2))) {
      const auto heard = client.greet();
      if (!heard || heard->type != MessageType::kWelcome) continue;
      ++connections;
      while (const auto question = client.hear(seconds(1))) {
        if (question->type == MessageType::kMeasurement) client.answer(*question, decide(question->numbers()));
      }
      client.leave();
    }
  });
  ASSERT_TRUE(ask(0).is_fresh);
  const PeerReply cut = ask(1, {}, MessageFault::kDisconnect);
  EXPECT_FALSE(cut.is_fresh);
  EXPECT_FALSE(cut.is_connected);
  EXPECT_TRUE(ask(2).is_fresh);
  EXPECT_EQ(total_.reconnects, 1);
  is_over = true;
  peer_->close();
}

INSTANTIATE_TEST_SUITE_P(Transports, WireFaultsThreads, all_transports(), transport_name);

}  // namespace
}  // namespace lockstep
