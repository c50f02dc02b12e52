#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "connection/connection.h"

namespace lockstep {

enum class Transport : std::uint8_t { kTcp, kUdp, kUnix, kPipe, kShm };

/// Where a link waits for its controller: "tcp:HOST:PORT", "udp:HOST:PORT", "unix:PATH", "pipe:PATH",
/// "shm:NAME".
struct Address {
  Transport transport = Transport::kTcp;
  std::string host;  ///< name or number of tcp and udp, IPv6 without its brackets; empty: this machine only
  std::uint16_t port = 0;  ///< 0: any that is free
  std::string path;        ///< of unix and pipe; the name of shm
};

/// Nothing if it is none, with a sentence in `error` that says what would be right.
std::optional<Address> parse_address(std::string_view text, std::string& error);

std::string to_string(const Address& address);

struct TransportOptions {
  Duration spin{0};                ///< shm: on the wall, looks so long for bytes before it sleeps
  std::size_t ring_size = 65'536;  ///< shm: at least so many bytes in each direction
};

/// Begins to wait for controllers. Remains of a run that was killed are replaced; what another process uses,
/// and what is no socket, pipe or memory of a link, is left alone. Nothing on failure, with a sentence in
/// `error`.
std::unique_ptr<Listener> listen(const Address& address, const TransportOptions& options, std::string& error);

/// The controller's side, for tests and measurements: one attempt. Nothing if nobody waits there or another
/// controller is connected. `deadline` is for what the simulation has to do.
std::unique_ptr<Connection> connect(const Address& address, const TransportOptions& options,
                                    LinkDeadline deadline, std::string& error);

}  // namespace lockstep
