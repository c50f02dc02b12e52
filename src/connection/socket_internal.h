#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <span>
#include <string>
#include <vector>

#include "connection/transports_internal.h"

/// Shared code of the TCP, UDP and Unix socket transports.
namespace lockstep {

/// A socket address of any family.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

/// Same host and port.
bool operator==(const SocketAddress& a, const SocketAddress& b);

/// Resolves `host` and `port`, in the order in which to try the results. Empty host: 127.0.0.1. Empty on
/// failure.
std::vector<SocketAddress> resolve(const Address& address, int socket_type, std::string& error);

/// Host and port of a bound socket.
void set_bound(int fd, Address& address);

/// receive() of a blocking socket: with a receive timeout set once by set_receive_slice(), one recv() is enough
/// when the bytes arrive soon. Zero bytes mean the end of a stream, or an empty datagram.
void set_receive_slice(int fd);
Channel::Result receive_from_socket(int fd, std::span<std::uint8_t> buffer, std::size_t& count,
                                    ConnectionDeadline deadline, bool is_stream);

}  // namespace lockstep
