#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connection/remote_controller.h"
#include "connection/transport.h"
#include "device/context.h"

/// Helpers for the factories of all kinds of connections.
namespace lockstep {

/// Signals that a connection reads or writes: space-separated names or patterns in the attribute.
std::optional<std::vector<Slot>> find_connection_reads(const std::string& given, BuildContext& context);
std::optional<std::vector<Slot>> find_connection_writes(const std::string& given, BuildContext& context);

/// The address in the attribute `address`, if the connection may listen there.
std::optional<Address> find_connection_address(const std::string& given, BuildContext& context);

/// The port that the connection had before; 0 if none.
std::uint16_t last_port(const BuildContext& context);

/// Makes the connection of the context's element. The connection handles its period itself: it is called in
/// every step. Without a peer (not live) it does not exchange anything.
std::unique_ptr<Connection> make_remote_controller(const ConnectionTiming& timing, std::vector<Slot> reads,
                                                   std::vector<Slot> writes, std::unique_ptr<Peer> peer,
                                                   BuildContext& context);

}  // namespace lockstep
