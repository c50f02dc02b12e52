#include "connection/connections.h"

#include "connection/imperisim_connection.h"
#include "connection/packet_connection.h"
#include "connection/wire_connection.h"

namespace lockstep {

void add_connections(Kinds<Connection>& connections) {
  connections.add<WireConfig>("wire", "A controller outside that uses the wire protocol (docs/protocol.md).",
                              make_wire);
  connections.add<PacketConfig>("packet", "A controller that exchanges plain structs (docs/packets.md).",
                                make_packet);
  connections.add<ImperisimConfig>(
      "imperisim", "A robot program that uses the protocol of ImperiSim 2.0 (docs/imperisim.md).",
      make_imperisim);
}

}  // namespace lockstep
