#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "connection/address.h"
#include "connection/connection.h"

/// The two sides of each transport, for listen() and connect() of address.h, and what they have in common.
namespace lockstep {

std::unique_ptr<Listener> listen_tcp(const Address& address, std::string& error);
std::unique_ptr<Listener> listen_unix(const Address& address, std::string& error);
std::unique_ptr<Listener> listen_udp(const Address& address, std::string& error);
std::unique_ptr<Listener> listen_pipe(const Address& address, std::string& error);
std::unique_ptr<Listener> listen_shm(const Address& address, const TransportOptions& options,
                                     std::string& error);

std::unique_ptr<Connection> connect_tcp(const Address& address, std::string& error);
std::unique_ptr<Connection> connect_unix(const Address& address, std::string& error);
std::unique_ptr<Connection> connect_udp(const Address& address, std::string& error);
std::unique_ptr<Connection> connect_pipe(const Address& address, std::string& error);
std::unique_ptr<Connection> connect_shm(const Address& address, const TransportOptions& options,
                                        LinkDeadline deadline, std::string& error);

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

/// "Permission denied", of the last call that failed.
std::string system_error();

/// Time left until the deadline; nothing if it is past or LinkDeadline::min().
Duration time_left(LinkDeadline deadline);

/// Waits until `fd` can be read (POLLIN) or written (POLLOUT), or has failed; false if the deadline passes
/// first.
bool wait_for(int fd, short events, LinkDeadline deadline);

/// A file that a listener has made: removes it at the end, unless another has taken its place.
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

}  // namespace lockstep
