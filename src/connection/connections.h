#pragma once

#include "connection/connection.h"
#include "device/kinds.h"

namespace lockstep {

/// The built-in kinds of connections: one line each in connections.cc.
void add_connections(Kinds<Connection>& connections);

}  // namespace lockstep
