#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "connection/socket_internal.h"

namespace lockstep {

bool operator==(const SocketAddress& a, const SocketAddress& b) {
  if (a.family() != b.family()) return false;
  if (a.family() == AF_INET) {
    const auto& left = reinterpret_cast<const sockaddr_in&>(a.storage);
    const auto& right = reinterpret_cast<const sockaddr_in&>(b.storage);
    return left.sin_port == right.sin_port && left.sin_addr.s_addr == right.sin_addr.s_addr;
  }
  const auto& left = reinterpret_cast<const sockaddr_in6&>(a.storage);
  const auto& right = reinterpret_cast<const sockaddr_in6&>(b.storage);
  return left.sin6_port == right.sin6_port && left.sin6_scope_id == right.sin6_scope_id &&
         std::memcmp(&left.sin6_addr, &right.sin6_addr, sizeof(in6_addr)) == 0;
}

std::vector<SocketAddress> resolve(const Address& address, int socket_type, std::string& error) {
  addrinfo hints{};
  hints.ai_socktype = socket_type;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string host = address.host.empty() ? "127.0.0.1" : address.host;
  const int failure = getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failure != 0) {
    error = fmt::format("{}: unknown host '{}': {}", to_string(address), host, gai_strerror(failure));
    return {};
  }
  std::vector<SocketAddress> all;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    SocketAddress& one = all.emplace_back();
    std::memcpy(&one.storage, each->ai_addr, each->ai_addrlen);
    one.size = each->ai_addrlen;
  }
  freeaddrinfo(found);
  if (all.empty()) error = fmt::format("{}: host '{}' has no IP address", to_string(address), host);
  return all;
}

void set_bound(int fd, Address& address) {
  SocketAddress bound;
  if (getsockname(fd, bound.get(), &bound.size) != 0) return;
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  if (getnameinfo(bound.get(), bound.size, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
    address.host = host;
    address.port = static_cast<std::uint16_t>(std::stoi(port));
  }
}

namespace {

/// Maximum time recv() blocks. The kernel counts in ticks of up to 10 ms, so less would not be accurate.
constexpr Duration kReceiveSlice = std::chrono::milliseconds(20);
/// Listen backlog.
constexpr int kBacklog = 16;
/// Bytes to discard before closing; unread bytes would cause a reset, which destroys data still on its way to
/// the other side.
constexpr std::size_t kMaxDrained = 1 << 20;

}  // namespace

void set_receive_slice(int fd) {
  const timeval slice{0, std::chrono::duration_cast<std::chrono::microseconds>(kReceiveSlice).count()};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice));
}

Channel::Result receive_from_socket(int fd, std::span<std::uint8_t> buffer, std::size_t& count,
                                    ConnectionDeadline deadline, bool is_stream) {
  count = 0;
  while (true) {
    const Duration left = time_left(deadline);
    // A blocking recv() if there is time for the whole slice; ppoll() for the rest, which is accurate.
    int flags = 0;
    if (left < kReceiveSlice) {
      flags = MSG_DONTWAIT;
      if (left > Duration(0) && !wait_for(fd, POLLIN, deadline)) return Channel::Result::kTimeout;
    }
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), flags);
    if (got > 0) {
      count = static_cast<std::size_t>(got);
      return Channel::Result::kDone;
    }
    if (got == 0 && is_stream) return Channel::Result::kClosed;
    if (got == 0) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (left == Duration(0)) return Channel::Result::kTimeout;
    } else if (errno != EINTR) {
      return Channel::Result::kClosed;
    }
  }
}

namespace {

/// A connected stream socket.
class StreamChannel final : public Channel {
 public:
  explicit StreamChannel(FileDescriptor socket) : socket_(std::move(socket)) {
    set_receive_slice(socket_.get());
    const int on = 1;  // fails for a Unix socket, which does not need it
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  ~StreamChannel() override {
    shutdown(socket_.get(), SHUT_WR);
    std::uint8_t sink[4096];
    for (std::size_t drained = 0; drained < kMaxDrained; drained += sizeof(sink)) {
      if (recv(socket_.get(), sink, sizeof(sink), MSG_DONTWAIT) <= 0) break;
    }
  }
  StreamChannel(const StreamChannel&) = delete;
  StreamChannel& operator=(const StreamChannel&) = delete;

  Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) override {
    return remainder_.send(socket_.get(), bytes, deadline, [this](std::span<const std::uint8_t> part) {
      return ::send(socket_.get(), part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    });
  }
  Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) override {
    return receive_from_socket(socket_.get(), buffer, count, deadline, true);
  }

 private:
  FileDescriptor socket_;
  Remainder remainder_;
};

class StreamListener final : public Listener {
 public:
  StreamListener(FileDescriptor socket, Address address, OwnFile file, std::vector<HostRange> allow = {})
      : socket_(std::move(socket)),
        address_(std::move(address)),
        file_(std::move(file)),
        allow_(std::move(allow)) {}

  std::unique_ptr<Channel> accept() override {
    SocketAddress remote;
    FileDescriptor socket(accept4(socket_.get(), remote.get(), &remote.size, SOCK_CLOEXEC));
    if (!socket || (!allow_.empty() && !is_permitted(allow_, remote.get()))) return nullptr;
    return std::make_unique<StreamChannel>(std::move(socket));
  }
  std::string address() const override { return to_string(address_); }

 private:
  FileDescriptor socket_;
  Address address_;
  OwnFile file_;
  std::vector<HostRange> allow_;
};

SocketAddress unix_address(const Address& address) {
  SocketAddress result;
  auto& name = reinterpret_cast<sockaddr_un&>(result.storage);
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.path.c_str(), address.path.size() + 1);
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.path.size() + 1);
  return result;
}

/// Removes a socket at the path that a killed run has left there. Returns the error.
std::string remove_stale_socket(const Address& address) {
  struct stat found {};
  if (lstat(address.path.c_str(), &found) != 0) return "";
  if (!S_ISSOCK(found.st_mode)) return "the path exists and is not a socket; expected an unused path";
  const FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SocketAddress name = unix_address(address);
  if (::connect(probe.get(), name.get(), name.size) == 0) {
    ucred holder{};
    socklen_t size = sizeof(holder);
    getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &holder, &size);
    return fmt::format("process {} already listens there", holder.pid);
  }
  if (errno != ECONNREFUSED) return fmt::format("another process already listens there ({})", system_error());
  return unlink(address.path.c_str()) == 0 ? ""
                                           : "cannot remove the socket of an earlier run: " + system_error();
}

std::unique_ptr<Channel> connect_stream(const Address& address, int family, const SocketAddress& name,
                                        std::string& error) {
  // A host that does not answer must not hold up the caller.
  constexpr Duration kMaxConnect = std::chrono::milliseconds(100);
  FileDescriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int failure = errno;
  if (socket) {
    failure = ::connect(socket.get(), name.get(), name.size) == 0 ? 0 : errno;
    if (failure == EINPROGRESS) {
      socklen_t size = sizeof(failure);
      const bool is_decided = wait_for(socket.get(), POLLOUT, std::chrono::steady_clock::now() + kMaxConnect);
      failure = ETIMEDOUT;
      if (is_decided) getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size);
    }
  }
  if (failure == 0 && fcntl(socket.get(), F_SETFL, 0) == 0)
    return std::make_unique<StreamChannel>(std::move(socket));
  error = fmt::format("{}: {}", to_string(address), std::strerror(failure));
  return nullptr;
}

std::unique_ptr<Listener> listen_tcp(const Address& address, const TransportOptions& options,
                                     std::string& error) {
  for (const SocketAddress& name : resolve(address, SOCK_STREAM, error)) {
    FileDescriptor socket(::socket(name.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;  // a port of an earlier run can be reused at once
    if (socket && setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        bind(socket.get(), name.get(), name.size) == 0 && ::listen(socket.get(), kBacklog) == 0) {
      Address bound = address;
      set_bound(socket.get(), bound);
      return std::make_unique<StreamListener>(std::move(socket), std::move(bound), OwnFile(),
                                              options.access.allow);
    }
    error = fmt::format("{}: {}", to_string(address), system_error());
  }
  return nullptr;
}

std::unique_ptr<Listener> listen_unix(const Address& address, const TransportOptions& options,
                                      std::string& error) {
  if (const std::string defect = remove_stale_socket(address); !defect.empty()) {
    error = fmt::format("{}: {}", to_string(address), defect);
    return nullptr;
  }
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SocketAddress name = unix_address(address);
  // Before listen(), so that no other user can ever connect.
  if (socket && bind(socket.get(), name.get(), name.size) == 0) {
    OwnFile file(address.path);
    if (chmod(address.path.c_str(), 0600) == 0 && permit_group(address.path, options.access) &&
        ::listen(socket.get(), kBacklog) == 0)
      return std::make_unique<StreamListener>(std::move(socket), address, std::move(file));
  }
  error = fmt::format("{}: {}", to_string(address), system_error());
  return nullptr;
}

std::unique_ptr<Channel> connect_tcp(const Address& address, const TransportOptions&, ConnectionDeadline,
                                     std::string& error) {
  for (const SocketAddress& name : resolve(address, SOCK_STREAM, error)) {
    if (auto channel = connect_stream(address, name.family(), name, error)) return channel;
  }
  return nullptr;
}

std::unique_ptr<Channel> connect_unix(const Address& address, const TransportOptions&, ConnectionDeadline,
                                      std::string& error) {
  return connect_stream(address, AF_UNIX, unix_address(address), error);
}

std::string find_unix_defect(const Address& address) {
  if (address.path.size() < sizeof(sockaddr_un::sun_path)) return "";
  return fmt::format("has a path of {} bytes; a Unix socket allows {}", address.path.size(),
                     sizeof(sockaddr_un::sun_path) - 1);
}

}  // namespace

Transport make_tcp_transport() {
  return {.name = "tcp",
          .form = AddressForm::kHostAndPort,
          .note = "port 0 selects a free port",
          .is_plain_stream = true,
          .has_waiting_line = true,
          .listen = listen_tcp,
          .connect = connect_tcp};
}

Transport make_unix_transport() {
  return {.name = "unix",
          .form = AddressForm::kPath,
          .is_plain_stream = true,
          .has_waiting_line = true,
          .find_defect = find_unix_defect,
          .listen = listen_unix,
          .connect = connect_unix};
}

}  // namespace lockstep
