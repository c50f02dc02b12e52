#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace lockstep {

using LinkDeadline = std::chrono::steady_clock::time_point;

/// One end of something that carries bytes: a socket, two pipes, two rings of shared memory. Nothing here
/// blocks beyond its deadline, throws, or raises a signal.
class Connection {
 public:
  enum class Result { kDone, kTimeout, kClosed };

  virtual ~Connection() = default;

  /// Sends all of `bytes`. After kTimeout part of them may have gone out.
  virtual Result send(std::span<const std::uint8_t> bytes, LinkDeadline deadline) = 0;

  /// Waits for at least one byte and takes what there is into `buffer`; `count` tells how many. A deadline that
  /// is past only looks.
  virtual Result receive(std::span<std::uint8_t> buffer, std::size_t& count, LinkDeadline deadline) = 0;

  /// Each receive() gives one whole message or what fits of it (UDP), not a piece of a stream.
  virtual bool has_messages() const { return false; }
};

/// Waits for controllers at an address.
class Listener {
 public:
  virtual ~Listener() = default;

  /// The next controller that has knocked; nothing if none has. Never waits.
  virtual std::unique_ptr<Connection> accept() = 0;

  /// Where a controller finds it, with the port that was really taken: "tcp:127.0.0.1:40112".
  virtual std::string address() const = 0;
};

}  // namespace lockstep
