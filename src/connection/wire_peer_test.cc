// Conformance tests of all transports, with a controller in another thread.

#include "connection/wire_peer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "connection/wire_peer_testing.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WireThreads : public WirePeerTest {};

TEST_P(WireThreads, ThousandsOfExchangesGiveExactCommands) {
  open();
  auto controller = start([](WireClient& client) {
    client.enter();
    answer_all(client);
  });
  for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_TRUE(ask(i).is_fresh) << i;
  peer_->close();
  EXPECT_EQ(total_.lost + total_.duplicate + total_.bad + total_.reconnects, 0);
}

TEST_P(WireThreads, TheEndOfTheRunIsAnnounced) {
  open();
  NoticeCode code{};
  auto controller = start([&](WireClient& client) {
    client.enter();
    const auto question = client.hear(MessageType::kMeasurement);
    client.answer(*question, decide(question->numbers()));
    if (const auto bye = client.hear(MessageType::kBye)) code = bye->notice().code;
  });
  ASSERT_TRUE(ask(0).is_fresh);
  peer_->close();
  controller.join();
  EXPECT_EQ(code, NoticeCode::kRunOver);
}

TEST_P(WireThreads, WelcomeListsTheSignalsAndTheNextExchange) {
  open();
  std::optional<Heard> heard;
  auto controller = start([&](WireClient& client) {
    ASSERT_TRUE(client.connect());
    heard = client.greet();
  });
  serve_until_done(7);
  ASSERT_TRUE(heard.has_value());
  ASSERT_EQ(heard->type, MessageType::kWelcome);
  EXPECT_EQ(heard->sequence, 7u);
  EXPECT_EQ(heard->time, 7 * kPeriod);
  const Welcome welcome = decode_welcome(heard->payload).value();
  EXPECT_EQ(welcome.hash, calc_schema_hash(welcome.schema));
  EXPECT_EQ(welcome.schema.period, kPeriod);
  EXPECT_EQ(welcome.schema.reads[1].name, "arm/elbow/speed");
  EXPECT_EQ(welcome.schema.writes[0].upper, 1.0);
}

TEST_P(WireThreads, AMismatchingControllerIsRejectedWithAReason) {
  open();
  struct Case {
    Hello hello;
    NoticeCode code;
    std::string sentence;
  };
  const std::vector<Case> cases = {
      {{.version = 2}, NoticeCode::kVersion, "protocol version 2 is not supported; expected version 1"},
      {{.period = milliseconds(5)},
       NoticeCode::kDiffers,
       "connection 'arm/plc': requested period 5 ms, but the connection exchanges every 2 ms"},
      {{.reads = {{"arm/elbow/angel", "rad"}}},
       NoticeCode::kDiffers,
       "connection 'arm/plc': signal 'arm/elbow/angel' cannot be read; did you mean 'arm/elbow/angle'?"},
      {{.writes = {{"arm/motor/torque", "N"}}},
       NoticeCode::kDiffers,
       "connection 'arm/plc': signal 'arm/motor/torque' is in 'N*m' here, not in 'N'"}};
  for (const Case& each : cases) {
    std::optional<Heard> heard;
    auto controller = start([&](WireClient& client) {
      ASSERT_TRUE(client.connect());
      heard = client.greet(each.hello);
    });
    serve_until_done();
    ASSERT_TRUE(heard && heard->type == MessageType::kError) << each.sentence;
    EXPECT_EQ(heard->notice().code, each.code);
    EXPECT_EQ(heard->notice().sentence, each.sentence);
  }
  EXPECT_EQ(total_.bad, 4);
  EXPECT_EQ(total_.reconnects, 0);
}

TEST_P(WireThreads, MessagesMayArriveByteByByte) {
  if (transport().keeps_boundaries) GTEST_SKIP() << "a datagram is a whole message";
  open();
  auto controller = start([](WireClient& client) {
    ASSERT_TRUE(client.connect());
    const auto dribble = [&](const std::vector<std::uint8_t>& bytes) {
      for (const std::uint8_t& byte : bytes) client.say_bytes({&byte, 1});
    };
    dribble(WireClient::make(MessageType::kHello, 0, Duration(0), encode_hello({.name = "slow"})));
    while (const auto heard = client.hear(MessageType::kMeasurement))
      dribble(WireClient::make_command(*heard, decide(heard->numbers())));
  });
  for (std::uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(ask(i).is_fresh) << i;
  EXPECT_EQ(total_.bad + total_.lost, 0);
  peer_->close();
}

TEST_P(WireThreads, DamagedMessagesAreCountedAndNotUsed) {
  open();
  auto controller = start([](WireClient& client) {
    client.enter();
    while (const auto heard = client.hear(MessageType::kMeasurement)) {
      auto bytes = WireClient::make_command(*heard, {1e9});
      switch (heard->sequence) {
        case 0:  // payload
          bytes[26] ^= 0x40;
          break;
        case 1:  // type
          bytes[4] = 9;
          break;
        case 2:  // length
          bytes[11] = 0x7F;
          break;
        case 3:  // magic
          bytes[0] = 'X';
          break;
        default:  // checksum
          bytes.back() ^= 1;
          break;
      }
      client.say_bytes(bytes);
      client.answer(*heard, decide(heard->numbers()));
    }
  });
  for (std::uint32_t i = 0; i < 5; ++i) {
    const PeerReply reply = ask(i);
    EXPECT_TRUE(reply.is_fresh) << i;
    EXPECT_EQ(reply.counts.bad, 1) << i;
  }
  EXPECT_EQ(total_.lost + total_.duplicate, 0);
  peer_->close();
}

TEST_P(WireThreads, ATruncatedAnswerIsRequestedAgain) {
  open(seconds(4));
  auto controller = start([](WireClient& client) {
    client.enter();
    const auto first = client.hear(MessageType::kMeasurement);
    const auto bytes = WireClient::make_command(*first, {1e9});
    client.say_bytes(std::span(bytes).first(20));
    answer_all(client);
  });
  ASSERT_TRUE(ask(0).is_fresh);
  EXPECT_EQ(total_.bad, 1);
  EXPECT_EQ(total_.lost, 1);
  peer_->close();
}

TEST_P(WireThreads, NonFiniteNumbersAreRejected) {
  open();
  std::vector<NoticeCode> codes;
  auto controller = start([&](WireClient& client) {
    client.enter();
    while (const auto heard = client.hear(MessageType::kMeasurement)) {
      for (const double wrong : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        client.answer(*heard, {wrong});
        codes.push_back(client.hear(MessageType::kError)->notice().code);
      }
      client.answer(*heard, decide(heard->numbers()));
    }
  });
  const PeerReply reply = ask(0);
  EXPECT_TRUE(reply.is_fresh);
  EXPECT_EQ(reply.counts.bad, 2);
  peer_->close();
  controller.join();
  EXPECT_EQ(codes, (std::vector{NoticeCode::kNotFinite, NoticeCode::kNotFinite}));
}

TEST_P(WireThreads, UnexpectedMessagesAreRejectedAndTheConnectionStays) {
  open();
  std::vector<std::string> sentences;
  auto controller = start([&](WireClient& client) {
    client.enter();
    const auto heard = client.hear(MessageType::kMeasurement);
    client.answer(*heard, {1.0, 2.0});
    sentences.push_back(client.hear(MessageType::kError)->notice().sentence);
    client.say(MessageType::kMeasurement, {});
    sentences.push_back(client.hear(MessageType::kError)->notice().sentence);
    client.answer(*heard, decide(heard->numbers()));
    answer_all(client);
  });
  const PeerReply reply = ask(0);
  EXPECT_TRUE(reply.is_fresh);
  EXPECT_EQ(reply.counts.bad, 2);
  EXPECT_TRUE(ask(1).is_fresh);
  peer_->close();
  controller.join();
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0], "COMMAND has 16 bytes of numbers; expected 8 for 1 signals");
  EXPECT_EQ(sentences[1], "only the simulation sends WELCOME and MEASUREMENT");
}

TEST_P(WireThreads, AnswersToAnotherExchangeAreCountedAndNotUsed) {
  open();
  auto controller = start([](WireClient& client) {
    client.enter();
    std::optional<Heard> last;
    while (auto heard = client.hear(MessageType::kMeasurement)) {
      if (last) client.answer(*last, {1e9});  // older
      Heard newer = *heard;
      ++newer.sequence;
      client.answer(newer, {1e9});
      client.answer(*heard, decide(heard->numbers()));
      last = std::move(heard);
    }
  });
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(ask(i).is_fresh);
  EXPECT_EQ(total_.duplicate, 99);
  EXPECT_EQ(total_.bad, 100);
  peer_->close();
}

TEST_P(WireThreads, SequenceNumbersWrapAround) {
  open();
  auto controller = start([](WireClient& client) {
    client.enter();
    answer_all(client);
  });
  for (std::uint32_t i = 0xFFFFFFFE; i != 3; ++i) ASSERT_TRUE(ask(i).is_fresh) << i;
  EXPECT_EQ(total_.duplicate + total_.bad, 0);
  peer_->close();
}

TEST_P(WireThreads, ASecondControllerIsRejectedAndTheFirstContinues) {
  open();
  std::jthread first = start([](WireClient& client) {
    client.enter();
    answer_all(client);
  });
  ASSERT_TRUE(ask(0).is_fresh);
  std::string rejection;
  std::atomic<bool> is_rejected = false;
  std::jthread second([&] {
    WireClient client(peer_->address());
    if (client.connect(transport().has_waiting_line ? WireClient::kPatience : Duration(milliseconds(1)))) {
      const auto heard = client.greet();
      rejection = heard ? heard->notice().sentence : "nothing";
    } else {
      rejection = client.error();
    }
    is_rejected = true;
  });
  for (std::uint32_t i = 1; !is_rejected; ++i) ASSERT_TRUE(ask(i).is_fresh);
  second.join();
  EXPECT_NE(rejection.find("another controller is connected"), std::string::npos) << rejection;
  EXPECT_EQ(total_.reconnects, 0);
  peer_->close();
}

TEST_P(WireThreads, AControllerMayReconnect) {
  open();
  for (int round = 0; round < 4; ++round) {
    auto controller = start([round](WireClient& client) {
      client.enter();
      answer_until(client, static_cast<std::uint32_t>(10 * round + 9));
      if (round % 2 == 0)
        client.say(MessageType::kBye, encode_notice({NoticeCode::kLeaves, "the controller leaves"}));
    });
    for (std::uint32_t i = 0; i < 9; ++i) ASSERT_TRUE(ask(static_cast<std::uint32_t>(10 * round) + i).is_fresh);
    // It leaves during a request, so the next controller gets the request again, if it connects in time.
    while (!is_done_) ask(static_cast<std::uint32_t>(10 * round + 9), milliseconds(5));
  }
  EXPECT_EQ(total_.reconnects, 3);
  EXPECT_EQ(total_.bad, 0);
}

TEST_P(WireThreads, AConnectionLostWithinAMessageIsOneBadMessage) {
  if (transport().keeps_boundaries) GTEST_SKIP() << "a datagram is a whole message";
  open();
  auto controller = start([](WireClient& client) {
    client.enter();
    const auto heard = client.hear(MessageType::kMeasurement);
    const auto bytes = WireClient::make_command(*heard, {1e9});
    client.say_bytes(std::span(bytes).first(30));
    client.leave_noticed();
    client.enter();
    answer_all(client);
  });
  ASSERT_TRUE(ask(0).is_fresh);
  EXPECT_EQ(total_.bad, 1);
  EXPECT_EQ(total_.reconnects, 1);
  peer_->close();
}

TEST_P(WireThreads, ASilentControllerCostsTheTimeoutAndNoMore) {
  open(milliseconds(400));
  std::atomic<bool> may_go = false;
  auto controller = start([&](WireClient& client) {
    client.enter();
    while (!may_go) std::this_thread::sleep_for(milliseconds(5));
  });
  while (!ask(0, milliseconds(20)).is_connected) continue;
  total_ = {};
  const auto start = std::chrono::steady_clock::now();
  const PeerReply reply = ask(1);
  const Duration took = std::chrono::steady_clock::now() - start;
  EXPECT_FALSE(reply.is_fresh);
  EXPECT_TRUE(reply.is_connected);
  EXPECT_GE(took, milliseconds(400));
  EXPECT_LT(took, milliseconds(400) + kSlack);
  EXPECT_LE(reply.counts.lost, 3);
  may_go = true;
}

TEST_P(WireThreads, WaitingCanBeCancelled) {
  open(seconds(60));
  WirePeerConfig config{.address = address(), .timeout = seconds(60)};
  const auto start = std::chrono::steady_clock::now();
  config.cancelled = [start] { return std::chrono::steady_clock::now() - start > milliseconds(50); };
  WirePeer peer(std::move(config));
  ASSERT_EQ(peer.open(), "");
  EXPECT_FALSE(peer.exchange({.wait = seconds(60)}, {}).is_fresh);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
}

TEST_P(WireThreads, ASilentControllerIsHeardAgainWithoutWaiting) {
  open(milliseconds(200));
  std::atomic<bool> may_wake = false;
  auto controller = start([&](WireClient& client) {
    client.enter();
    const auto first = client.hear(MessageType::kMeasurement);
    while (!may_wake) std::this_thread::sleep_for(milliseconds(5));
    client.answer(*first, decide(first->numbers()));
    answer_all(client);
  });
  while (!ask(0, milliseconds(20)).is_connected) continue;
  for (std::uint32_t i = 1; i < 100; ++i) EXPECT_FALSE(ask(i, Duration(0)).is_fresh);
  may_wake = true;
  const auto deadline = std::chrono::steady_clock::now() + WireClient::kPatience;
  std::uint32_t i = 100;
  while (!ask(i, Duration(0)).is_fresh && std::chrono::steady_clock::now() < deadline) ++i;
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
  peer_->close();
}

TEST_P(WireThreads, ASilentControllerIsReplacedByAnother) {
  if (!transport().has_waiting_line) GTEST_SKIP() << "one controller only";
  open(milliseconds(300));
  std::atomic<bool> may_go = false;
  auto controller = start([&](WireClient& client) {
    client.enter();
    while (!may_go) std::this_thread::sleep_for(milliseconds(5));
  });
  while (!ask(0, milliseconds(50)).is_connected) continue;
  std::jthread other([&] {
    WireClient client(peer_->address());
    while (client.connect()) {
      const auto heard = client.greet();
      if (heard && heard->type == MessageType::kWelcome) break;
    }
    answer_all(client);
  });
  const auto deadline = std::chrono::steady_clock::now() + WireClient::kPatience;
  while (!ask(1, milliseconds(300)).is_fresh && std::chrono::steady_clock::now() < deadline) continue;
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
  EXPECT_EQ(total_.reconnects, 1);
  may_go = true;
  peer_->close();
}

INSTANTIATE_TEST_SUITE_P(Transports, WireThreads, all_transports(), transport_name);

}  // namespace
}  // namespace lockstep
