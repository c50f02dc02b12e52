#include "connection/address.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "connection/transports_internal.h"

namespace lockstep {
namespace {

constexpr std::string_view kExpected =
    "expected tcp:HOST:PORT, udp:HOST:PORT, unix:PATH, pipe:PATH or shm:NAME";
constexpr std::size_t kMaxHost = 253;     // of a name in the domain name system
constexpr std::size_t kMaxShmName = 200;  // a file name may have 255
constexpr std::array<std::string_view, 5> kSchemes = {"tcp", "udp", "unix", "pipe", "shm"};

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

/// "HOST:PORT" or "[IPV6]:PORT".
std::string parse_host_and_port(std::string_view rest, Address& address) {
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return "has no port";
  std::string_view host = rest.substr(0, colon);
  const std::string_view port = rest.substr(colon + 1);
  if (!host.empty() && host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return "has a '[' without its ']'";
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return "has an IPv6 host without brackets; expected [HOST]:PORT";
  }
  if (host.size() > kMaxHost) return "has a host name that is too long";
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (failure != std::errc() || end != port.data() + port.size() || port.empty())
    return fmt::format("has the port '{}'; expected 0 to 65535", port);
  address.host = host;
  return "";
}

std::string check_path(const Address& address) {
  const std::string& path = address.path;
  if (path.empty()) return address.transport == Transport::kShm ? "has no name" : "has no path";
  if (address.transport == Transport::kShm) {
    if (path.find('/') != std::string::npos) return "has a '/' in its name";
    if (path == "." || path == "..") return "has no usable name";
    if (path.size() > kMaxShmName) return fmt::format("has a name of more than {} bytes", kMaxShmName);
  } else if (address.transport == Transport::kUnix && path.size() >= sizeof(sockaddr_un::sun_path)) {
    return fmt::format("has a path of {} bytes; a Unix socket may have {}", path.size(),
                       sizeof(sockaddr_un::sun_path) - 1);
  } else if (path.size() > 4000) {
    return "has a path of more than 4000 bytes";
  }
  return "";
}

}  // namespace

std::optional<Address> parse_address(std::string_view text, std::string& error) {
  if (has_control_character(text)) {
    error = fmt::format("address with a control character; {}", kExpected);
    return std::nullopt;
  }
  const auto fail = [&](std::string_view what) {
    error = fmt::format("address '{}' {}", text, what);
    return std::nullopt;
  };
  const std::size_t colon = text.find(':');
  const auto scheme = std::find(kSchemes.begin(), kSchemes.end(), text.substr(0, colon));
  if (colon == std::string_view::npos || scheme == kSchemes.end())
    return fail(fmt::format("names no transport; {}", kExpected));

  Address address;
  address.transport = static_cast<Transport>(scheme - kSchemes.begin());
  const std::string_view rest = text.substr(colon + 1);
  std::string defect;
  if (address.transport == Transport::kTcp || address.transport == Transport::kUdp) {
    defect = parse_host_and_port(rest, address);
  } else {
    address.path = rest;
    defect = check_path(address);
  }
  if (!defect.empty()) return fail(defect);
  return address;
}

std::string to_string(const Address& address) {
  const std::string_view scheme = kSchemes[static_cast<std::size_t>(address.transport)];
  if (address.transport != Transport::kTcp && address.transport != Transport::kUdp)
    return fmt::format("{}:{}", scheme, address.path);
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(is_ipv6 ? "{}:[{}]:{}" : "{}:{}:{}"), scheme, address.host, address.port);
}

std::unique_ptr<Listener> listen(const Address& address, const TransportOptions& options, std::string& error) {
  switch (address.transport) {
    case Transport::kTcp:
      return listen_tcp(address, error);
    case Transport::kUdp:
      return listen_udp(address, error);
    case Transport::kUnix:
      return listen_unix(address, error);
    case Transport::kPipe:
      return listen_pipe(address, error);
    case Transport::kShm:
      return listen_shm(address, options, error);
  }
  LOCKSTEP_CHECK(false);
}

std::unique_ptr<Connection> connect(const Address& address, const TransportOptions& options,
                                    LinkDeadline deadline, std::string& error) {
  switch (address.transport) {
    case Transport::kTcp:
      return connect_tcp(address, error);
    case Transport::kUdp:
      return connect_udp(address, error);
    case Transport::kUnix:
      return connect_unix(address, error);
    case Transport::kPipe:
      return connect_pipe(address, error);
    case Transport::kShm:
      return connect_shm(address, options, deadline, error);
  }
  LOCKSTEP_CHECK(false);
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::string system_error() {
  return std::strerror(errno);
}

Duration time_left(LinkDeadline deadline) {
  if (deadline == LinkDeadline::min()) return Duration(0);
  return std::max(Duration(0), Duration(deadline - std::chrono::steady_clock::now()));
}

bool wait_for(int fd, short events, LinkDeadline deadline) {
  while (true) {
    const Duration left = time_left(deadline);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec timeout{seconds.count(), (left - seconds).count()};
    pollfd waiting{fd, events, 0};
    const int ready = ppoll(&waiting, 1, &timeout, nullptr);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

OwnFile::OwnFile(std::string path) : path_(std::move(path)) {
  struct stat found {};
  if (lstat(path_.c_str(), &found) == 0) inode_ = found.st_ino;
}

OwnFile::~OwnFile() {
  struct stat found {};
  if (!path_.empty() && lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_) unlink(path_.c_str());
}

}  // namespace lockstep
