#pragma once

#include <poll.h>

#include <cerrno>
#include <span>
#include <vector>

#include "connection/transports_internal.h"

namespace lockstep {

/// Bytes of a frame that did not go out in time. They go before the next frame, so that a slow reader gets
/// whole frames.
class Remainder {
 public:
  /// `write_some(span)` sends what it can without waiting and returns how many bytes, or -1 with errno.
  template <typename WriteSome>
  Connection::Result send(int fd, std::span<const std::uint8_t> bytes, LinkDeadline deadline,
                          WriteSome write_some) {
    if (!kept_.empty()) {
      std::span<const std::uint8_t> rest = kept_;
      const Connection::Result result = send_all(fd, rest, deadline, write_some);
      kept_.erase(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(rest.size()));
      if (result != Connection::Result::kDone) return result;
    }
    const std::size_t size = bytes.size();
    const Connection::Result result = send_all(fd, bytes, deadline, write_some);
    if (result == Connection::Result::kTimeout && bytes.size() < size) kept_.assign(bytes.begin(), bytes.end());
    return result;
  }

 private:
  /// `bytes` becomes what is left.
  template <typename WriteSome>
  static Connection::Result send_all(int fd, std::span<const std::uint8_t>& bytes, LinkDeadline deadline,
                                     WriteSome write_some) {
    while (!bytes.empty()) {
      const ssize_t sent = write_some(bytes);
      if (sent > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (!wait_for(fd, POLLOUT, deadline)) return Connection::Result::kTimeout;
      } else if (errno != EINTR) {
        return Connection::Result::kClosed;
      }
    }
    return Connection::Result::kDone;
  }

  std::vector<std::uint8_t> kept_;
};

}  // namespace lockstep
