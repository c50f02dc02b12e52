#pragma once

#include <poll.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "connection/transport.h"

/// The rows of transports(), each defined next to its implementation, and shared helpers.
namespace lockstep {

Transport make_tcp_transport();
Transport make_udp_transport();
Transport make_unix_transport();
Transport make_pipe_transport();
Transport make_shm_transport();
Transport make_serial_transport();

/// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Error text of the last failed system call, such as "Permission denied".
std::string system_error();

/// Time left until the deadline; zero if it is past or ConnectionDeadline::min().
Duration time_left(ConnectionDeadline deadline);

/// Waits until `fd` can be read (POLLIN) or written (POLLOUT), or has failed; false if the deadline passes
/// first.
bool wait_for(int fd, short events, ConnectionDeadline deadline);

/// Channel::receive() of a pipe or a serial line: waits with poll(), then reads what is there.
Channel::Result receive_from_file(int fd, std::span<std::uint8_t> buffer, std::size_t& count,
                                  ConnectionDeadline deadline);

/// Permits the group to use a file that is for its owner only. Returns whether it could.
bool permit_group(const std::string& path, const AccessOptions& access);

/// A file created by a listener: removed at the end, unless it was replaced by another.
class OwnFile {
 public:
  OwnFile() = default;
  explicit OwnFile(std::string path);
  OwnFile(OwnFile&& other) noexcept : path_(std::exchange(other.path_, {})), inode_(other.inode_) {}
  OwnFile& operator=(OwnFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(inode_, other.inode_);
    return *this;
  }
  ~OwnFile();

 private:
  std::string path_;
  ino_t inode_ = 0;
};

/// Unsent bytes of a message. They are sent before the next message, so that a slow reader gets whole messages.
class Remainder {
 public:
  /// `write_some(span)` sends what it can without waiting and returns the number of bytes, or -1 with errno.
  template <typename WriteSome>
  Channel::Result send(int fd, std::span<const std::uint8_t> bytes, ConnectionDeadline deadline,
                       WriteSome write_some) {
    if (!kept_.empty()) {
      std::span<const std::uint8_t> rest = kept_;
      const Channel::Result result = send_all(fd, rest, deadline, write_some);
      kept_.erase(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(rest.size()));
      if (result != Channel::Result::kDone) return result;
    }
    const std::size_t size = bytes.size();
    const Channel::Result result = send_all(fd, bytes, deadline, write_some);
    if (result == Channel::Result::kTimeout && bytes.size() < size) kept_.assign(bytes.begin(), bytes.end());
    return result;
  }

 private:
  /// `bytes` becomes what is left.
  template <typename WriteSome>
  static Channel::Result send_all(int fd, std::span<const std::uint8_t>& bytes, ConnectionDeadline deadline,
                                  WriteSome write_some) {
    while (!bytes.empty()) {
      const ssize_t sent = write_some(bytes);
      if (sent > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (!wait_for(fd, POLLOUT, deadline)) return Channel::Result::kTimeout;
      } else if (errno != EINTR) {
        return Channel::Result::kClosed;
      }
    }
    return Channel::Result::kDone;
  }

  std::vector<std::uint8_t> kept_;
};

}  // namespace lockstep
