#include "control/sine.h"

#include <cmath>
#include <numbers>

#include "device/context.h"

namespace lockstep {

Status Sine::decide(const Instant& now, Row row) {
  const double angle = 2.0 * std::numbers::pi * config_.frequency * now.seconds + config_.phase;
  row[signal_] = config_.amplitude * std::sin(angle) + config_.offset;
  return {};
}

std::unique_ptr<Controller> make_sine(const SineConfig& config, BuildContext& context) {
  const auto signal = context.find_command(config.signal);
  if (!signal) return nullptr;
  const std::string& unit = context.signals.info(*signal).unit;
  bool fits = context.require_unit("amplitude", unit);
  fits = context.require_unit("offset", unit) && fits;
  if (!fits) return nullptr;
  return std::make_unique<Sine>(*signal, config);
}

}  // namespace lockstep
