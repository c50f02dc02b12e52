#include "connection/wire_connection.h"

#include "connection/make_connection.h"
#include "connection/wire_peer.h"

namespace lockstep {
namespace {

ConnectionSchema make_schema(const WireConfig& config, const std::vector<Slot>& reads,
                             const std::vector<Slot>& writes, const BuildContext& context) {
  ConnectionSchema schema{.scenario = context.model.name,
                          .connection = context.name(),
                          .period = context.model.step * context.every(),
                          .step = context.model.step,
                          .mode = config.timing.mode,
                          .reads = {},
                          .writes = {}};
  for (const Slot slot : reads) {
    schema.reads.push_back({context.signals.info(slot).name, context.signals.info(slot).unit});
  }
  for (const Slot slot : writes) {
    const SignalInfo& info = context.signals.info(slot);
    schema.writes.push_back({info.name, info.unit, context.signals.initial()[static_cast<std::size_t>(slot)],
                             info.limits.lower, info.limits.upper});
  }
  return schema;
}

}  // namespace

std::string_view wire_address_doc() {
  static const std::string doc = fmt::format("Address on which the simulation listens for the controller: {}.",
                                             list_address_patterns({.quote = "'", .with_notes = true}));
  return doc;
}

std::unique_ptr<Connection> make_wire(const WireConfig& config, BuildContext& context) {
  auto reads = find_connection_reads(config.reads, context);
  auto writes = find_connection_writes(config.writes, context);
  if (!reads || !writes) return nullptr;
  const std::optional<Address> address = find_connection_address(config.address, context);
  if (!address) return nullptr;
  if (config.connect && !(address->transport->is_plain_stream && address->transport->has_waiting_line)) {
    context.error_at("connect", "the simulation can connect only to TCP and Unix sockets");
    return nullptr;
  }
  auto access = find_access(config.access, *address, config.token, context);
  if (!access) return nullptr;
  std::unique_ptr<Peer> peer;
  if (context.services.connections.live) {
    peer = std::make_unique<WirePeer>(WirePeerConfig{.schema = make_schema(config, *reads, *writes, context),
                                                     .address = *address,
                                                     .timeout = config.timing.timeout,
                                                     .spin = config.spin,
                                                     .port = last_port(context),
                                                     .cancelled = context.services.connections.cancelled,
                                                     .token = config.token,
                                                     .access = *std::move(access),
                                                     .connects = config.connect});
  }
  return make_remote_controller(config.timing, *std::move(reads), *std::move(writes), std::move(peer), context);
}

}  // namespace lockstep
