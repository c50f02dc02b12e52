#pragma once

#include "connection/connection.h"
#include "device/kinds.h"

namespace lockstep {

/// The kinds of connections that come with Lockstep: the list in connections.cc, one line for each.
void add_connections(Kinds<Connection>& connections);

}  // namespace lockstep
