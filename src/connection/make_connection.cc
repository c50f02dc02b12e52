#include "connection/make_connection.h"

#include "signals/selection.h"

namespace lockstep {
namespace {

/// Signal counts have 16 bits in the protocol.
constexpr std::size_t kMaxSignals = 65'535;

std::optional<std::vector<Slot>> find_slots(const char* attribute, const Selection& chosen,
                                            const std::vector<std::string>& names, BuildContext& context) {
  if (!chosen) {
    context.error_at(attribute, "{}", chosen.error());
    return std::nullopt;
  }
  if (chosen->size() > kMaxSignals) {
    context.error_at(attribute, "{} signals are too many; expected at most {}", chosen->size(), kMaxSignals);
    return std::nullopt;
  }
  std::vector<Slot> slots;
  for (const std::size_t i : *chosen) slots.push_back(*context.signals.find(names[i]));
  return slots;
}

bool is_loopback(const std::string& host) {
  // Numbers only: "127.example.com" is a name that anyone may give to any address.
  const bool is_number = host.find_first_not_of("0123456789.") == std::string::npos;
  return host.empty() || host == "localhost" || host == "::1" || (is_number && host.starts_with("127."));
}

/// Lexically, so that it does not matter what exists there yet; the folder has no symbolic links of others.
bool is_below(const std::string& path, const std::filesystem::path& folder) {
  const std::filesystem::path relative =
      std::filesystem::path(path).lexically_normal().lexically_relative(folder);
  return !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
}

bool is_allowed(const Address& address, const Restrictions& limits) {
  switch (address.transport->form) {
    case AddressForm::kHostAndPort:
      return is_loopback(address.host);
    case AddressForm::kPath:
      return is_below(address.path, limits.folder);
    case AddressForm::kName:
      return false;
  }
  return false;
}

ConnectionFaults find_faults(const BuildContext& context) {
  if (context.services.connection_faults == nullptr) return {};
  const auto found = context.services.connection_faults->by_name.find(context.name());
  return found == context.services.connection_faults->by_name.end() ? ConnectionFaults()
                                                                    : ConnectionFaults(found->second);
}

std::optional<std::vector<Watchdogs::Watchdog>> find_watchdogs(const ConnectionTiming& timing,
                                                               const std::vector<Slot>& writes,
                                                               BuildContext& context) {
  std::vector<Watchdogs::Watchdog> found;
  std::vector<std::string> names;
  for (const Slot slot : writes) names.push_back(context.signals.info(slot).name);
  std::vector<bool> is_taken(names.size());
  const std::size_t errors = context.diagnostics.error_count();
  std::size_t i = 0;
  for (const Element& child : context.element().children) {
    if (child.name != "watchdog" || i == timing.watchdogs.size()) continue;
    const WatchdogConfig& config = timing.watchdogs[i++];
    if (timing.silence == Silence::kStop || timing.silence == Silence::kPause)
      context.error_in(child, "signals",
                       "needs silence=\"hold\" or \"zero\"; otherwise the run does not go on");
    const Selection chosen = select_names(config.signals, names, context.scope);
    if (!chosen) {
      context.error_in(child, "signals", "{}", chosen.error());
      continue;
    }
    for (const std::size_t at : *chosen) {
      const SignalInfo& info = context.signals.info(writes[at]);
      if (!context.require_unit_in(child, "safe", info)) continue;
      if (is_taken[at]) context.error_in(child, "signals", "'{}' has another watchdog", info.name);
      if (config.safe < info.limits.lower || config.safe > info.limits.upper)
        context.error_in(child, "safe", "{} is outside of the limits of '{}'", config.safe, info.name);
      is_taken[at] = true;
      const Duration step = context.model.step;
      found.push_back({at, (config.hold + step - Duration(1)) / step, (config.ramp + step - Duration(1)) / step,
                       config.safe, config.stop});
    }
  }
  if (context.diagnostics.error_count() > errors) return std::nullopt;
  return found;
}

}  // namespace

std::optional<std::vector<Slot>> find_connection_reads(const std::string& given, BuildContext& context) {
  const std::vector<std::string> names = context.signals.names();
  return find_slots("reads", select_names(given, names, context.scope), names, context);
}

std::optional<std::vector<Slot>> find_connection_writes(const std::string& given, BuildContext& context) {
  const std::vector<std::string> names = command_names(context.signals);
  Selection chosen = select_names(given, names, context.scope);
  if (!chosen && select_names(given, context.signals.names(), context.scope)) {
    chosen = Failure{fmt::format("'{}' selects measured signals; only command signals can be written", given)};
  }
  return find_slots("writes", chosen, names, context);
}

std::optional<Address> find_connection_address(const std::string& given, BuildContext& context) {
  std::string error;
  std::optional<Address> address = parse_address(given, error);
  if (!address) {
    context.error_at("address", "{}", error);
    return std::nullopt;
  }
  const std::optional<Restrictions>& limits = context.services.restrictions;
  const bool is_live = context.services.connections.live;
  if (!limits || !is_live || limits->trusted.contains(given) || is_allowed(*address, *limits)) return address;
  context.error_at(
      "address",
      "a scenario from a viewer may not listen on '{}'; expected tcp or udp on 127.0.0.1, or a path below '{}'",
      given, limits->folder.string());
  return std::nullopt;
}

std::uint16_t last_port(const BuildContext& context) {
  const auto& ports = context.services.connections.ports;
  const auto found = ports.find(context.name());
  return found == ports.end() ? std::uint16_t{0} : found->second;
}

std::unique_ptr<Connection> make_remote_controller(const ConnectionTiming& timing, std::vector<Slot> reads,
                                                   std::vector<Slot> writes, std::unique_ptr<Peer> peer,
                                                   BuildContext& context) {
  auto watchdogs = find_watchdogs(timing, writes, context);
  if (!watchdogs) return nullptr;
  RemoteController::Signals signals{.reads = std::move(reads), .writes = std::move(writes), .initial = {}};
  for (const Slot slot : signals.writes) {
    signals.initial.push_back(context.signals.initial()[static_cast<std::size_t>(slot)]);
    const CommandLimits& limits = context.signals.info(slot).limits;
    signals.ranges.push_back({limits.lower, limits.upper});
  }
  for (std::size_t i = 0; i < signals.health.size(); ++i) {
    const auto slot = context.signals.find(fmt::format("{}/{}", context.name(), RemoteController::kHealth[i]));
    LOCKSTEP_CHECK(slot);
    signals.health[i] = *slot;
  }
  const RemoteController::Settings settings{.timing = timing,
                                            .every = context.take_period(),
                                            .step = context.model.step,
                                            .cancelled = context.services.connections.cancelled,
                                            .faults = find_faults(context),
                                            .watchdogs = *std::move(watchdogs)};
  return std::make_unique<RemoteController>(context.name(), std::move(signals), settings, std::move(peer));
}

}  // namespace lockstep
