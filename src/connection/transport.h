#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "connection/access.h"
#include "lockstep/time.h"

/// Transports: channels that carry bytes between the simulation and a controller, and their addresses. Each
/// transport is one row of transports(); docs/developing.md says how to add one.
namespace lockstep {

using ConnectionDeadline = std::chrono::steady_clock::time_point;

/// One end of a channel: a socket, two pipes, two rings in shared memory. No function blocks beyond its
/// deadline, throws, or raises a signal.
class Channel {
 public:
  enum class Result { kDone, kTimeout, kClosed };

  virtual ~Channel() = default;

  /// Sends all of `bytes`. After kTimeout, some of them may have been sent.
  virtual Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) = 0;

  /// Waits for at least one byte and reads the available bytes into `buffer`; `count` is their number. With a
  /// past deadline it only polls. Transport::keeps_boundaries says whether the bytes are one message or part of
  /// a stream.
  virtual Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) = 0;
};

/// Listens for controllers at an address.
class Listener {
 public:
  virtual ~Listener() = default;

  /// The next controller that has connected; null if there is none. Never waits.
  virtual std::unique_ptr<Channel> accept() = 0;

  /// Address for controllers, with the actual port: "tcp:127.0.0.1:40112".
  virtual std::string address() const = 0;
};

struct Transport;

/// Address on which a connection listens: "tcp:127.0.0.1:7000".
struct Address {
  const Transport* transport = nullptr;  ///< a row of transports()
  std::string host;        ///< of HOST:PORT: name or number, IPv6 without brackets; empty: loopback
  std::uint16_t port = 0;  ///< 0: any free port
  std::string path;        ///< of PATH and NAME
};

struct TransportOptions {
  Duration spin{0};                ///< real time to poll for bytes before sleeping, if the transport can spin
  std::size_t ring_size = 65'536;  ///< shared memory: at least this many bytes in each direction
  int baud = 115'200;              ///< of a serial line
  AccessOptions access{};          ///< who may connect
};

/// Form of an address after the colon.
enum class AddressForm : std::uint8_t {
  kHostAndPort,  ///< HOST:PORT or [IPV6]:PORT
  kPath,         ///< PATH of a file
  kName,         ///< NAME of a file in a folder of the system
};

/// A transport. Address parsing, error texts, opening, the reference of the file format, the conformance tests
/// and `lockstep bench connection` all use these rows.
struct Transport {
  std::string_view name;  ///< before the colon: "tcp"
  AddressForm form = AddressForm::kPath;
  std::string_view note = "";  ///< about the address, for the reference

  /// Datagrams: each receive() gives one whole message (possibly truncated), and messages may get lost.
  /// Otherwise a byte stream.
  bool keeps_boundaries = false;
  std::size_t max_message = std::numeric_limits<std::size_t>::max();  ///< bytes
  /// A program can use it with plain read() and write().
  bool is_plain_stream = false;
  /// A second controller can connect while one is served, and is rejected with a message. Otherwise it cannot
  /// connect at all.
  bool has_waiting_line = false;
  bool can_spin = false;

  /// Further check of an address; returns the error text after "address '…'", empty if valid. May be null.
  std::string (*find_defect)(const Address& address) = nullptr;
  /// See listen() and connect().
  std::unique_ptr<Listener> (*listen)(const Address& address, const TransportOptions& options,
                                      std::string& error) = nullptr;
  std::unique_ptr<Channel> (*connect)(const Address& address, const TransportOptions& options,
                                      ConnectionDeadline deadline, std::string& error) = nullptr;
};

/// All transports, in the order used in texts.
std::span<const Transport> transports();

/// A serial line, for packets only: no controller connects to it, so the wire protocol does not use it.
const Transport& serial_transport();

/// Transport by name; null if there is none.
const Transport* find_transport(std::string_view name);

/// Pattern of its addresses: "tcp:HOST:PORT".
std::string address_pattern(const Transport& transport);

struct PatternList {
  std::string_view quote = "";  ///< around each
  bool with_notes = false;
  bool with_serial = false;
  bool (*is_meant)(const Transport& transport) = nullptr;  ///< null: all
};
/// "tcp:HOST:PORT, unix:PATH or pipe:PATH", for texts.
std::string list_address_patterns(const PatternList& list = {});

/// Nullopt if it is not a valid address, with the reason in `error`. `with_serial`: also "serial:PATH".
std::optional<Address> parse_address(std::string_view text, std::string& error, bool with_serial = false);

std::string to_string(const Address& address);

/// A local address for tests and benchmarks: any free port, or a file `name` in `folder` or in the transport's
/// own folder.
Address make_local_address(const Transport& transport, const std::filesystem::path& folder,
                           const std::string& name);

/// Starts to listen for controllers. Replaces files of a killed run; does not touch files that another process
/// uses or that are not a socket, pipe or shared memory of a connection. Null on failure, with the reason in
/// `error`.
std::unique_ptr<Listener> listen(const Address& address, const TransportOptions& options, std::string& error);

/// The same. Where the address leaves the port open, takes `port` if that is free, and any other if not; sets
/// `port` to the one taken, so that the next time controllers find the simulation again.
std::unique_ptr<Listener> listen(const Address& address, const TransportOptions& options, std::uint16_t& port,
                                 std::string& error);

/// The simulation as the connecting side: the controller listens. accept() tries to connect, again and again.
std::unique_ptr<Listener> make_connecting_listener(const Address& address, const TransportOptions& options);

/// The controller's side, for tests and benchmarks: one attempt to connect. Null if no simulation listens there
/// or another controller is connected. `deadline` limits the wait for the simulation.
std::unique_ptr<Channel> connect(const Address& address, const TransportOptions& options,
                                 ConnectionDeadline deadline, std::string& error);

}  // namespace lockstep
