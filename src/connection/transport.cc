#include "connection/transport.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "connection/transports_internal.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxHost = 253;  // DNS limit
constexpr std::size_t kMaxName = 200;  // a file name may have 255

std::string_view form_text(AddressForm form) {
  switch (form) {
    case AddressForm::kHostAndPort:
      return "HOST:PORT";
    case AddressForm::kPath:
      return "PATH";
    case AddressForm::kName:
      return "NAME";
  }
  LOCKSTEP_CHECK(false);
}

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
    if (host.size() < 3 || host.back() != ']') return "has a '[' without a ']'";
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

std::string parse_name(std::string_view rest, Address& address) {
  if (rest.empty()) return "has no name";
  if (rest.find('/') != std::string_view::npos) return "has a '/' in its name";
  if (rest == "." || rest == "..") return "has an invalid name";
  if (rest.size() > kMaxName) return fmt::format("has a name of more than {} bytes", kMaxName);
  address.path = rest;
  return "";
}

std::string parse_place(std::string_view rest, Address& address) {
  switch (address.transport->form) {
    case AddressForm::kHostAndPort:
      return parse_host_and_port(rest, address);
    case AddressForm::kName:
      return parse_name(rest, address);
    case AddressForm::kPath:
      address.path = rest;
      return rest.empty() ? "has no path" : "";
  }
  LOCKSTEP_CHECK(false);
}

}  // namespace

std::span<const Transport> transports() {
  static const std::array kAll = {make_tcp_transport(), make_udp_transport(), make_unix_transport(),
                                  make_pipe_transport(), make_shm_transport()};
  return kAll;
}

const Transport& serial_transport() {
  static const Transport kSerial = make_serial_transport();
  return kSerial;
}

const Transport* find_transport(std::string_view name) {
  const std::span<const Transport> all = transports();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Transport& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string address_pattern(const Transport& transport) {
  return fmt::format("{}:{}", transport.name, form_text(transport.form));
}

std::string list_address_patterns(const PatternList& list) {
  std::vector<std::string> patterns;
  for (const Transport& each : transports()) {
    if (list.is_meant != nullptr && !list.is_meant(each)) continue;
    const bool has_note = list.with_notes && !each.note.empty();
    patterns.push_back(fmt::format("{0}{1}{0}{2}", list.quote, address_pattern(each),
                                   has_note ? fmt::format(" ({})", each.note) : ""));
  }
  if (list.with_serial)
    patterns.push_back(fmt::format("{0}{1}{0}", list.quote, address_pattern(serial_transport())));
  std::string last = std::move(patterns.back());
  patterns.pop_back();
  return patterns.empty() ? last : fmt::format("{} or {}", fmt::join(patterns, ", "), last);
}

std::optional<Address> parse_address(std::string_view text, std::string& error, bool with_serial) {
  if (has_control_character(text)) {
    error = fmt::format("address with a control character; expected {}", list_address_patterns());
    return std::nullopt;
  }
  const auto fail = [&](std::string_view what) {
    error = fmt::format("address '{}' {}", text, what);
    return std::nullopt;
  };
  const std::size_t colon = text.find(':');
  Address address;
  if (colon != std::string_view::npos) address.transport = find_transport(text.substr(0, colon));
  if (with_serial && text.substr(0, colon) == serial_transport().name) address.transport = &serial_transport();
  if (address.transport == nullptr)
    return fail(fmt::format("has no known transport; expected {}",
                            list_address_patterns({.with_serial = with_serial})));

  std::string defect = parse_place(text.substr(colon + 1), address);
  if (defect.empty() && address.transport->find_defect != nullptr)
    defect = address.transport->find_defect(address);
  if (!defect.empty()) return fail(defect);
  return address;
}

std::string to_string(const Address& address) {
  const std::string_view name = address.transport->name;
  if (address.transport->form != AddressForm::kHostAndPort) return fmt::format("{}:{}", name, address.path);
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(is_ipv6 ? "{}:[{}]:{}" : "{}:{}:{}"), name, address.host, address.port);
}

Address make_local_address(const Transport& transport, const std::filesystem::path& folder,
                           const std::string& name) {
  Address address{.transport = &transport, .host = "", .path = ""};
  switch (transport.form) {
    case AddressForm::kHostAndPort:
      address.host = "127.0.0.1";
      break;
    case AddressForm::kPath:
      address.path = (folder / name).string();
      break;
    case AddressForm::kName:
      address.path = name;
      break;
  }
  return address;
}

std::unique_ptr<Listener> listen(const Address& address, const TransportOptions& options, std::string& error) {
  return address.transport->listen(address, options, error);
}

std::unique_ptr<Listener> listen(const Address& address, const TransportOptions& options, std::uint16_t& port,
                                 std::string& error) {
  const bool is_open = address.transport->form == AddressForm::kHostAndPort && address.port == 0;
  std::unique_ptr<Listener> listener;
  if (is_open && port != 0) {
    Address last = address;
    last.port = port;
    std::string taken;  // by another program meanwhile
    listener = listen(last, options, taken);
  }
  if (!listener) listener = listen(address, options, error);
  if (!listener || !is_open) return listener;
  std::string unused;
  if (const auto bound = parse_address(listener->address(), unused)) port = bound->port;
  return listener;
}

std::unique_ptr<Channel> connect(const Address& address, const TransportOptions& options,
                                 ConnectionDeadline deadline, std::string& error) {
  return address.transport->connect(address, options, deadline, error);
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::string system_error() {
  return std::strerror(errno);
}

Duration time_left(ConnectionDeadline deadline) {
  if (deadline == ConnectionDeadline::min()) return Duration(0);
  return std::max(Duration(0), Duration(deadline - std::chrono::steady_clock::now()));
}

bool wait_for(int fd, short events, ConnectionDeadline deadline) {
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

Channel::Result receive_from_file(int fd, std::span<std::uint8_t> buffer, std::size_t& count,
                                  ConnectionDeadline deadline) {
  count = 0;
  // A pipe that was never opened for writing reads as end of file, but poll() reports nothing.
  while (wait_for(fd, POLLIN, deadline)) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) {
      count = static_cast<std::size_t>(got);
      return Channel::Result::kDone;
    }
    // 0 is the end of a pipe, or a line that was unplugged.
    if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      return Channel::Result::kClosed;
  }
  return Channel::Result::kTimeout;
}

bool permit_group(const std::string& path, const AccessOptions& access) {
  if (!access.group) return true;
  return chown(path.c_str(), static_cast<uid_t>(-1), *access.group) == 0 && chmod(path.c_str(), 0660) == 0;
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
