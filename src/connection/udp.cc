#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "connection/message.h"
#include "connection/socket_internal.h"

namespace lockstep {
namespace {

/// Remote addresses that have their own socket. Shared by the listener and its connections.
using Remotes = std::vector<SocketAddress>;

/// Maximum datagrams read from the listening socket at once, so that a flood cannot block it.
constexpr int kMaxLooks = 32;

/// A socket connected to one remote address: the kernel sorts the datagrams.
class UdpChannel final : public Channel {
 public:
  /// `first` is a datagram that was already received.
  UdpChannel(FileDescriptor socket, std::vector<std::uint8_t> first, std::shared_ptr<Remotes> remotes,
             const SocketAddress& remote)
      : socket_(std::move(socket)), first_(std::move(first)), remotes_(std::move(remotes)), remote_(remote) {
    set_receive_slice(socket_.get());
  }
  ~UdpChannel() override {
    if (remotes_) remotes_->erase(std::find(remotes_->begin(), remotes_->end(), remote_));
  }
  UdpChannel(const UdpChannel&) = delete;
  UdpChannel& operator=(const UdpChannel&) = delete;

  Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) override {
    while (::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
        if (!wait_for(socket_.get(), POLLOUT, deadline)) return Result::kTimeout;
      } else if (errno != EINTR) {
        is_rejected_ = true;
        return Result::kClosed;
      }
    }
    return Result::kDone;
  }

  Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) override {
    if (!first_.empty()) {
      count = std::min(first_.size(), buffer.size());
      std::copy_n(first_.begin(), count, buffer.begin());
      first_.clear();
      return Result::kDone;
    }
    // The error that the remote socket is closed comes before its last datagrams, and only once.
    if (!is_rejected_) {
      const Result result = receive_from_socket(socket_.get(), buffer, count, deadline, false);
      if (result != Result::kClosed) return result;
      is_rejected_ = true;
    }
    const Result rest = receive_from_socket(socket_.get(), buffer, count, ConnectionDeadline::min(), false);
    return rest == Result::kDone ? rest : Result::kClosed;
  }

 private:
  FileDescriptor socket_;
  std::vector<std::uint8_t> first_;
  std::shared_ptr<Remotes> remotes_;  // none on the controller's side
  SocketAddress remote_;
  bool is_rejected_ = false;
};

/// A bound socket. With kShared, other sockets of this user may bind to the same port, as the connections do.
enum class Sharing { kAlone, kShared };
FileDescriptor bind_udp(const SocketAddress& name, Sharing sharing) {
  FileDescriptor socket(::socket(name.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (socket && sharing == Sharing::kShared)
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
  if (!socket || bind(socket.get(), name.get(), name.size) != 0) return FileDescriptor();
  return socket;
}

class UdpListener final : public Listener {
 public:
  UdpListener(FileDescriptor socket, Address address, const SocketAddress& bound, std::vector<HostRange> allow)
      : allow_(std::move(allow)),
        socket_(std::move(socket)),
        address_(std::move(address)),
        bound_(bound),
        remotes_(std::make_shared<Remotes>()),
        buffer_(kMaxDatagram + 1) {}

  std::unique_ptr<Channel> accept() override {
    for (int looks = 0; looks < kMaxLooks; ++looks) {
      SocketAddress remote;
      const ssize_t got =
          recvfrom(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT, remote.get(), &remote.size);
      if (got < 0 && errno != EINTR) return nullptr;
      if (got > 0 && !is_permitted(allow_, remote.get())) continue;
      // Ignore a repeated HELLO whose sender has its own socket meanwhile.
      if (got <= 0 || std::find(remotes_->begin(), remotes_->end(), remote) != remotes_->end()) continue;
      FileDescriptor own = bind_udp(bound_, Sharing::kShared);
      if (!own || ::connect(own.get(), remote.get(), remote.size) != 0) continue;
      // Datagrams of other senders that arrive before connect() are lost, which UDP allows.
      while (recv(own.get(), nullptr, 0, MSG_DONTWAIT) >= 0) continue;
      remotes_->push_back(remote);
      return std::make_unique<UdpChannel>(
          std::move(own), std::vector<std::uint8_t>(buffer_.begin(), buffer_.begin() + got), remotes_, remote);
    }
    return nullptr;
  }
  std::string address() const override { return to_string(address_); }

 private:
  std::vector<HostRange> allow_;
  FileDescriptor socket_;
  Address address_;
  SocketAddress bound_;
  std::shared_ptr<Remotes> remotes_;
  std::vector<std::uint8_t> buffer_;
};

std::unique_ptr<Listener> listen_udp(const Address& address, const TransportOptions& options,
                                     std::string& error) {
  for (SocketAddress name : resolve(address, SOCK_DGRAM, error)) {
    // First exclusively: otherwise this run could share the port of another run.
    FileDescriptor socket = bind_udp(name, Sharing::kAlone);
    if (socket && getsockname(socket.get(), name.get(), &name.size) == 0) {
      Address bound = address;
      set_bound(socket.get(), bound);
      socket = FileDescriptor();
      socket = bind_udp(name, Sharing::kShared);
      if (socket)
        return std::make_unique<UdpListener>(std::move(socket), std::move(bound), name, options.access.allow);
    }
    error = fmt::format("{}: {}", to_string(address), system_error());
  }
  return nullptr;
}

std::unique_ptr<Channel> connect_udp(const Address& address, const TransportOptions&, ConnectionDeadline,
                                     std::string& error) {
  for (const SocketAddress& name : resolve(address, SOCK_DGRAM, error)) {
    FileDescriptor socket(::socket(name.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (socket && ::connect(socket.get(), name.get(), name.size) == 0)
      return std::make_unique<UdpChannel>(std::move(socket), std::vector<std::uint8_t>(), nullptr, name);
    error = fmt::format("{}: {}", to_string(address), system_error());
  }
  return nullptr;
}

}  // namespace

Transport make_udp_transport() {
  return {.name = "udp",
          .form = AddressForm::kHostAndPort,
          .keeps_boundaries = true,
          .max_message = kMaxDatagram,
          .has_waiting_line = true,
          .listen = listen_udp,
          .connect = connect_udp};
}

}  // namespace lockstep
