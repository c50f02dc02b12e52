#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connection/remote_controller.h"
#include "device/context.h"

/// What the factories of all kinds of connections share.
namespace lockstep {

/// Signals that a connection reads or writes: names or patterns with blanks between, in the attribute of that
/// name.
std::optional<std::vector<Slot>> find_connection_reads(const std::string& given, BuildContext& context);
std::optional<std::vector<Slot>> find_connection_writes(const std::string& given, BuildContext& context);

/// The connection of the element at which the context stands. Takes over its period: a connection is called in
/// every step. Without a peer (one that is not live) it exchanges nothing.
std::unique_ptr<Connection> make_remote_controller(const ConnectionTiming& timing, std::vector<Slot> reads,
                                                   std::vector<Slot> writes, std::unique_ptr<Peer> peer,
                                                   BuildContext& context);

}  // namespace lockstep
