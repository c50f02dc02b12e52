#include "assemble/builtin_internal.h"
#include "control/sine.h"

namespace lockstep {
namespace {

std::unique_ptr<Controller> make_sine(const SineConfig& config, BuildContext& context) {
  const auto signal = context.find_command(config.signal);
  if (!signal) return nullptr;
  const std::string& unit = context.signals.info(*signal).unit;
  bool fits = context.require_unit("amplitude", unit);
  fits = context.require_unit("offset", unit) && fits;
  if (!fits) return nullptr;
  return std::make_unique<Sine>(*signal, config);
}

}  // namespace

void add_builtin_controllers(Registry& registry) {
  registry.controllers.add<SineConfig>(
      "sine", "Sine generator: amplitude sin(2 pi frequency t + phase) + offset.", make_sine);
}

}  // namespace lockstep
