#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_folder_testing.h"
#include "connection/wire_client_testing.h"
#include "connection/wire_peer.h"

namespace lockstep {

using Heard = WireClient::Heard;

inline constexpr Duration kPeriod = std::chrono::milliseconds(2);
/// Tolerance of waits on a busy machine.
inline constexpr Duration kSlack = std::chrono::seconds(2);

/// The command that answers a measurement.
inline std::vector<double> decide(const std::vector<double>& measured) {
  return {measured[0] + 2.0 * measured[1]};
}

/// For gtest: prints the name of a transport instead of a pointer.
inline void PrintTo(const Transport* transport, std::ostream* out) {
  *out << transport->name;
}

class WirePeerTest : public testing::TestWithParam<const Transport*> {
 protected:
  const Transport& transport() const { return *GetParam(); }

  /// A different one each time.
  Address address() const {
    static std::atomic<int> count = 0;
    return make_local_address(transport(), folder_.path(),
                              fmt::format("lockstep_test_{}_{}", getpid(), count++));
  }

  void open(Duration timeout = std::chrono::seconds(20), ConnectionMode mode = ConnectionMode::kLockStep,
            std::size_t reads = 2) {
    WirePeerConfig config{.address = address(), .timeout = timeout};
    config.schema = {.scenario = "test",
                     .connection = "arm/plc",
                     .period = kPeriod,
                     .step = std::chrono::milliseconds(1),
                     .mode = mode};
    config.schema.reads = {{"arm/elbow/angle", "rad"}, {"arm/elbow/speed", "rad/s"}};
    for (std::size_t i = 2; i < reads; ++i) config.schema.reads.push_back({fmt::format("s{}", i), ""});
    config.schema.writes = {{"arm/motor/torque", "N*m", 0.0, -1.0, 1.0}};
    timeout_ = timeout;
    measured_.resize(reads);
    peer_.emplace(std::move(config));
    ASSERT_EQ(peer_->open(), "");
  }

  /// Runs exchange number `sequence`, and checks its command if there is one.
  PeerReply ask(std::uint32_t sequence, std::optional<Duration> wait = {},
                MessageFault outgoing = MessageFault::kNone, MessageFault incoming = MessageFault::kNone) {
    measured_[0] = 0.25 * sequence;
    measured_[1] = -static_cast<double>(sequence);
    command_[0] = -1.0;
    const PeerReply reply = peer_->exchange({.sequence = sequence,
                                             .time = kPeriod * sequence,
                                             .measured = measured_,
                                             .wait = wait.value_or(timeout_),
                                             .outgoing = outgoing,
                                             .incoming = incoming},
                                            command_);
    EXPECT_EQ(command_[0], reply.is_fresh ? decide(measured_)[0] : -1.0);
    EXPECT_EQ(reply.counts.late, 0);
    add(reply.counts);
    return reply;
  }

  void add(const ConnectionCounts& counts) {
    for (const auto count : kConnectionCounts) total_.*count += counts.*count;
  }

  /// Runs the controller's side in a thread.
  template <typename Script>
  std::jthread start(Script script) {
    is_done_ = false;
    return std::jthread([this, script, address = peer_->address()] {
      WireClient client(address);
      script(client);
      client.leave();
      is_done_ = true;
    });
  }
  /// Lets the simulation poll its connection until the controller thread has finished.
  void serve_until_done(std::uint32_t sequence = 0) {
    while (!is_done_) ask(sequence, std::chrono::milliseconds(5));
  }

  static void answer_all(WireClient& client) {
    while (const auto heard = client.hear(MessageType::kMeasurement))
      client.answer(*heard, decide(heard->numbers()));
  }
  /// Answers requests with a number below `end`.
  static std::optional<Heard> answer_until(WireClient& client, std::uint32_t end) {
    while (const auto heard = client.hear(MessageType::kMeasurement)) {
      if (heard->sequence >= end) return heard;
      client.answer(*heard, decide(heard->numbers()));
    }
    return std::nullopt;
  }

  TemporaryFolder folder_;
  std::optional<WirePeer> peer_;
  Duration timeout_{0};
  std::vector<double> measured_;
  std::array<double, 1> command_{};
  ConnectionCounts total_;
  std::atomic<bool> is_done_ = false;
};

/// "Tcp" for tcp.
inline std::string transport_name(const testing::TestParamInfo<const Transport*>& parameter) {
  std::string name(parameter.param->name);
  name.front() = static_cast<char>(std::toupper(name.front()));
  return name;
}

inline auto all_transports() {
  std::vector<const Transport*> all;
  for (const Transport& each : transports()) all.push_back(&each);
  return testing::ValuesIn(all);
}

}  // namespace lockstep
