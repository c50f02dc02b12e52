#pragma once

#include <memory>
#include <string>

#include "connection/access.h"
#include "connection/remote_controller.h"
#include "lockstep/fields.h"

namespace lockstep {

class BuildContext;

/// A controller outside that uses the wire protocol (docs/protocol.md).
struct WireConfig {
  std::string address;
  std::string reads;
  std::string writes;
  ConnectionTiming timing;
  Duration spin{0};
  bool connect = false;
  std::string token;
  AccessConfig access;
};

/// Doc text of the attribute, from the table of transports.
std::string_view wire_address_doc();

template <class V>
void describe(V& v, WireConfig& c) {
  constexpr double kMaxSpin = 0.1;  // s
  v.text("address", c.address, {.doc = wire_address_doc(), .required = true});
  v.text("reads", c.reads,
         {.doc = "Signals sent to the controller, in the order of the signal table: space-separated names; "
                 "'*' matches any text, '?' one character. Default: none."});
  v.text("writes", c.writes,
         {.doc = "Command signals that the controller sets, selected in the same way. Default: none."});
  describe(v, c.timing);
  v.time("spin", c.spin,
         {.min = 0.0,
          .max = kMaxSpin,
          .doc = "Time to poll shared memory for an answer before the process sleeps: lower latency, but it "
                 "occupies a core."});
  v.flag("connect", c.connect,
         {.doc = "The simulation connects to the address, where the controller listens and then sends HELLO: "
                 "TCP or Unix "
                 "sockets."});
  v.text("token", c.token,
         {.doc = "Secret that a controller must send. Needed for an address that is not loopback."});
  describe(v, c.access);
  v.check(!c.reads.empty() || !c.writes.empty(), "reads", "needs 'reads', 'writes' or both");
}

std::unique_ptr<Connection> make_wire(const WireConfig& config, BuildContext& context);

}  // namespace lockstep
