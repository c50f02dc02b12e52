#include "assemble/build_link.h"
#include "assemble/builtin_internal.h"
#include "connection/wire_peer.h"

namespace lockstep {
namespace {

struct LinkConfig {
  std::string address;
  std::string reads;
  std::string writes;
  LinkTiming timing;
  Duration spin{0};
};

/// Of the attribute, by the table of transports.
std::string_view address_doc() {
  static const std::string doc = fmt::format("Where the simulation waits for the controller: {}.",
                                             list_address_patterns({.quote = "'", .with_notes = true}));
  return doc;
}

template <class V>
void describe(V& v, LinkConfig& c) {
  constexpr double kLongestSpin = 0.1;  // s
  v.text("address", c.address, {.doc = address_doc(), .required = true});
  v.text("reads", c.reads,
         {.doc = "Signals that the controller gets, in the order of the signal table: names with blanks "
                 "between; '*' stands for any text, '?' for one character. None if left out."});
  v.text("writes", c.writes,
         {.doc = "Command signals that the controller sets, chosen in the same way. None if left out."});
  describe(v, c.timing);
  v.time("spin", c.spin,
         {.min = 0.0,
          .max = kLongestSpin,
          .doc = "How long shared memory is looked at again and again for an answer before the process sleeps: "
                 "faster, but it takes a core."});
  v.check(!c.reads.empty() || !c.writes.empty(), "reads", "needs 'reads', 'writes' or both");
}

LinkSchema make_schema(const LinkConfig& config, const std::vector<Slot>& reads,
                       const std::vector<Slot>& writes, const BuildContext& context) {
  LinkSchema schema{.scenario = context.model.name,
                    .link = context.name(),
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

std::unique_ptr<ControllerLink> make_link(const LinkConfig& config, BuildContext& context) {
  auto reads = find_link_reads(config.reads, context);
  auto writes = find_link_writes(config.writes, context);
  if (!reads || !writes) return nullptr;
  std::string fault;
  const std::optional<Address> address = parse_address(config.address, fault);
  if (!address) {
    context.error_at("address", "{}", fault);
    return nullptr;
  }
  std::unique_ptr<Peer> peer;
  if (context.links.live) {
    peer = std::make_unique<WirePeer>(WirePeerConfig{.schema = make_schema(config, *reads, *writes, context),
                                                     .address = *address,
                                                     .timeout = config.timing.timeout,
                                                     .spin = config.spin,
                                                     .cancelled = context.links.cancelled});
  }
  return make_remote_controller(config.timing, *std::move(reads), *std::move(writes), std::move(peer), context);
}

}  // namespace

void add_builtin_links(Registry& registry) {
  registry.links.add<LinkConfig>(
      "link", "A controller outside that speaks the wire protocol (docs/protocol.md).", make_link);
}

}  // namespace lockstep
