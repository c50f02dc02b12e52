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

#include "lockstep/time.h"

/// What carries bytes between the simulation and a controller, and the addresses at which they meet. Each
/// transport is one row of transports(); docs/developing.md says how to add one.
namespace lockstep {

using ConnectionDeadline = std::chrono::steady_clock::time_point;

/// One end of something that carries bytes: a socket, two pipes, two rings of shared memory. Nothing here
/// blocks beyond its deadline, throws, or raises a signal.
class Channel {
 public:
  enum class Result { kDone, kTimeout, kClosed };

  virtual ~Channel() = default;

  /// Sends all of `bytes`. After kTimeout part of them may have gone out.
  virtual Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) = 0;

  /// Waits for at least one byte and takes what there is into `buffer`; `count` tells how many. A deadline that
  /// is past only looks. Whether that is a whole message or a piece of a stream, Transport::keeps_boundaries
  /// tells.
  virtual Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) = 0;
};

/// Waits for controllers at an address.
class Listener {
 public:
  virtual ~Listener() = default;

  /// The next controller that has knocked; nothing if none has. Never waits.
  virtual std::unique_ptr<Channel> accept() = 0;

  /// Where a controller finds it, with the port that was really taken: "tcp:127.0.0.1:40112".
  virtual std::string address() const = 0;
};

struct Transport;

/// Where a connection waits for its controller: a transport and a place, "tcp:127.0.0.1:7000".
struct Address {
  const Transport* transport = nullptr;  ///< a row of transports()
  std::string host;  ///< of HOST:PORT: name or number, IPv6 without its brackets; empty: this machine only
  std::uint16_t port = 0;  ///< 0: any that is free
  std::string path;        ///< of PATH and NAME
};

struct TransportOptions {
  Duration spin{0};                ///< real time, looks this long for bytes before it sleeps, if it can spin
  std::size_t ring_size = 65'536;  ///< shared memory: at least this many bytes in each direction
};

/// What follows the colon of an address. It says how the address is read and written.
enum class AddressForm : std::uint8_t {
  kHostAndPort,  ///< HOST:PORT or [IPV6]:PORT
  kPath,         ///< PATH of a file
  kName,         ///< NAME of a file in a folder of the system
};

/// One way to carry bytes. Reading of addresses, error texts, opening, the reference of the file format, the
/// conformance tests and `lockstep bench connection` all go by these rows.
struct Transport {
  std::string_view name;  ///< before the colon: "tcp"
  AddressForm form = AddressForm::kPath;
  std::string_view note = "";  ///< on the address, for the reference

  /// Each receive() gives one whole message or what fits of it, and a message may get lost. Otherwise bytes are
  /// a stream.
  bool keeps_boundaries = false;
  std::size_t max_message = std::numeric_limits<std::size_t>::max();  ///< bytes
  /// A program needs nothing but read() and write() to use it, no protocol of ours.
  bool is_plain_stream = false;
  /// A further controller can connect while one is served, and be told that it is too late. Otherwise it finds
  /// the place locked.
  bool has_waiting_line = false;
  bool can_spin = false;

  /// What of the place is wrong beyond its form, to follow "address '…'"; empty if nothing is. May be null.
  std::string (*find_defect)(const Address& address) = nullptr;
  /// See listen() and connect().
  std::unique_ptr<Listener> (*listen)(const Address& address, const TransportOptions& options,
                                      std::string& error) = nullptr;
  std::unique_ptr<Channel> (*connect)(const Address& address, const TransportOptions& options,
                                      ConnectionDeadline deadline, std::string& error) = nullptr;
};

/// All of them, in the order in which texts name them.
std::span<const Transport> transports();

/// By its name; null if there is none.
const Transport* find_transport(std::string_view name);

/// How its addresses look: "tcp:HOST:PORT".
std::string address_pattern(const Transport& transport);

struct PatternList {
  std::string_view quote = "";  ///< around each
  bool with_notes = false;
  bool (*is_meant)(const Transport& transport) = nullptr;  ///< null: all
};
/// "tcp:HOST:PORT, unix:PATH or pipe:PATH", for texts.
std::string list_address_patterns(const PatternList& list = {});

/// Nothing if it is not an address, with a sentence in `error` that says what would be right.
std::optional<Address> parse_address(std::string_view text, std::string& error);

std::string to_string(const Address& address);

/// An address on this machine for tests and measurements: any free port, or a file called `name` in `folder` or
/// where the transport has its files.
Address make_local_address(const Transport& transport, const std::filesystem::path& folder,
                           const std::string& name);

/// Begins to wait for controllers. Remains of a run that was killed are replaced; what another process uses,
/// and what is not a socket, pipe or memory of a connection, is left alone. Nothing on failure, with a sentence
/// in `error`.
std::unique_ptr<Listener> listen(const Address& address, const TransportOptions& options, std::string& error);

/// The controller's side, for tests and measurements: one attempt. Nothing if no simulation waits there or
/// another controller is connected. `deadline` is for what the simulation has to do.
std::unique_ptr<Channel> connect(const Address& address, const TransportOptions& options,
                                 ConnectionDeadline deadline, std::string& error);

}  // namespace lockstep
