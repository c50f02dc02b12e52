#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "connection/handshake.h"
#include "connection/message.h"
#include "connection/transport.h"

namespace lockstep {

/// A controller for tests, which sends any message, valid or not.
class WireClient {
 public:
  /// A received message that owns its memory.
  struct Heard {
    MessageType type{};
    std::uint16_t session = 0;
    std::uint32_t sequence = 0;
    Duration time{0};
    std::vector<std::uint8_t> payload;

    std::vector<double> numbers() const {
      std::vector<double> values(payload.size() / 8);
      decode_numbers(payload, values);
      return values;
    }
    Notice notice() const { return decode_notice(payload).value_or(Notice{}); }
  };

  /// Long: reached only if a test fails or the machine is busy.
  static constexpr Duration kPatience = std::chrono::seconds(30);

  explicit WireClient(const std::string& address, Duration spin = Duration(0)) : spin_(spin) {
    std::string error;
    address_ = parse_address(address, error).value();
  }

  /// Retries until a simulation listens.
  bool connect(Duration patience = kPatience) {
    const ConnectionDeadline deadline = std::chrono::steady_clock::now() + patience;
    do {
      channel_ = lockstep::connect(address_, {.spin = spin_}, deadline, error_);
      if (channel_) {
        reader_.emplace(has_boundaries() ? MessageReader::Mode::kBoundaries : MessageReader::Mode::kStream);
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() < deadline);
    return false;
  }
  void leave() { channel_.reset(); }
  /// Disconnects within a message. A client that opens the pipes of a connection that has just ended is closed
  /// with it, so this waits until the simulation has created new pipes.
  void leave_noticed() {
    const auto find_pipe = [&] {
      struct stat status = {};
      (void)::stat((address_.path + ".in").c_str(), &status);
      return std::tuple(status.st_ino, status.st_ctim.tv_sec,
                        status.st_ctim.tv_nsec);  // an inode number may be reused
    };
    const auto before = find_pipe();
    leave();
    if (address_.transport->name != "pipe") return;
    const ConnectionDeadline deadline = std::chrono::steady_clock::now() + kPatience;
    while (find_pipe() == before && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool has_boundaries() const { return address_.transport->keeps_boundaries; }
  const std::string& error() const { return error_; }

  void say_bytes(std::span<const std::uint8_t> bytes) {
    (void)channel_->send(bytes, std::chrono::steady_clock::now() + kPatience);
  }
  static std::vector<std::uint8_t> make(MessageType type, std::uint32_t sequence, Duration time,
                                        std::span<const std::uint8_t> payload, std::uint16_t session = 0) {
    std::vector<std::uint8_t> bytes(payload.size() + kMessageOverhead);
    encode_message({.type = type, .session = session, .sequence = sequence, .time = time, .payload = payload},
                   bytes);
    return bytes;
  }
  static std::vector<std::uint8_t> make_command(const Heard& question, const std::vector<double>& values) {
    std::vector<std::uint8_t> bytes(8 * values.size() + kMessageOverhead);
    encode_numbers(MessageType::kCommand, question.sequence, question.time, values, bytes, question.session);
    return bytes;
  }
  void say(MessageType type, std::span<const std::uint8_t> payload) {
    say_bytes(make(type, 0, Duration(0), payload));
  }
  void answer(const Heard& question, const std::vector<double>& values) {
    say_bytes(make_command(question, values));
  }

  /// The next message; nullopt after the end of the connection or a timeout.
  std::optional<Heard> hear(Duration patience = kPatience) {
    const ConnectionDeadline deadline = std::chrono::steady_clock::now() + patience;
    Message message;
    while (!reader_->next(message)) {
      std::size_t count = 0;
      if (channel_->receive(reader_->space(), count, deadline) != Channel::Result::kDone) return std::nullopt;
      reader_->received(count);
    }
    return Heard{message.type,
                 message.session,
                 message.sequence,
                 message.time,
                 {message.payload.begin(), message.payload.end()}};
  }
  /// The next message of a type; skips others, but stops at BYE.
  std::optional<Heard> hear(MessageType type) {
    auto heard = hear();
    while (heard && heard->type != type && heard->type != MessageType::kBye) heard = hear();
    return heard && heard->type == type ? heard : std::nullopt;
  }

  /// Sends HELLO, repeatedly where it may get lost, and returns WELCOME or ERROR.
  std::optional<Heard> greet(const Hello& hello = {.name = "test"}) {
    const ConnectionDeadline deadline = std::chrono::steady_clock::now() + kPatience;
    const Duration patience = has_boundaries() ? Duration(std::chrono::seconds(1)) : kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      say_bytes(make(MessageType::kHello, 0, Duration(0), encode_hello(hello), hello.has_sessions ? 1 : 0));
      if (auto heard = hear(patience)) return heard;
    }
    return std::nullopt;
  }
  /// Connects and expects WELCOME.
  void enter() {
    ASSERT_TRUE(connect()) << error_;
    const auto heard = greet();
    ASSERT_TRUE(heard.has_value());
    ASSERT_EQ(heard->type, MessageType::kWelcome);
  }

  Channel& channel() { return *channel_; }
  MessageReader& reader() { return *reader_; }

 private:
  Address address_;
  Duration spin_;
  std::string error_;
  std::unique_ptr<Channel> channel_;
  std::optional<MessageReader> reader_;
};

}  // namespace lockstep
