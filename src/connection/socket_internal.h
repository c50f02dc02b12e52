#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <span>
#include <string>
#include <vector>

#include "connection/transports_internal.h"

/// Sockets as TCP, UDP and Unix sockets have them in common.
namespace lockstep {

/// An address of the operating system, of any family.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

/// Same host and port.
bool operator==(const SocketAddress& a, const SocketAddress& b);

/// Where `host` and `port` are, in the order in which to try them. Empty host: 127.0.0.1. Empty on failure.
std::vector<SocketAddress> resolve(const Address& address, int socket_type, std::string& error);

/// host and port that a bound socket has.
void set_bound(int fd, Address& address);

/// What receive() of a blocking socket does: with a receive timeout set once by set_receive_slice(), one call
/// of recv() is all it takes when the bytes come soon. Nothing at all is the end of a stream, and an empty
/// message.
void set_receive_slice(int fd);
Channel::Result receive_from_socket(int fd, std::span<std::uint8_t> buffer, std::size_t& count,
                                    ConnectionDeadline deadline, bool is_stream);

}  // namespace lockstep
