#include "assemble/build_gait.h"
#include "assemble/build_lua.h"
#include "assemble/build_playback.h"
#include "assemble/build_supervisor.h"
#include "assemble/builtin_internal.h"
#include "control/pid.h"
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

/// "N*m" by "rad/s" is "N*m/rad*s": in the text of a unit, "/" holds for one factor.
std::string quotient(const std::string& a, const std::string& b) {
  std::string result = a;
  char sign = '/';
  for (std::size_t at = 0; at < b.size();) {
    const std::size_t end = std::min(b.find_first_of("*/", at), b.size());
    const std::string factor = b.substr(at, end - at);
    if (!result.empty()) {
      result += sign + factor;
    } else if (const std::size_t power = factor.find('^'); power != std::string::npos) {
      result = fmt::format("{}^-{}", factor.substr(0, power), factor.substr(power + 1));
    } else {
      result = factor + "^-1";
    }
    if (end < b.size()) sign = b[end] == '/' ? '*' : '/';
    at = end + 1;
  }
  return result;
}

std::unique_ptr<Controller> make_pid(const PidConfig& config, BuildContext& context) {
  const auto measured = context.find_signal(config.measured);
  const auto output = context.find_command(config.output);
  const auto setpoint = config.setpoint.empty() ? std::nullopt : context.find_signal(config.setpoint);
  if (!measured || !output || (!setpoint && !config.setpoint.empty())) return nullptr;
  const std::string& unit = context.signals.info(*measured).unit;
  const std::string& output_unit = context.signals.info(*output).unit;
  bool fits = true;
  if (setpoint && context.signals.info(*setpoint).unit != unit) {
    context.error_at("setpoint", "setpoint '{}' is in '{}', but '{}' in '{}'", config.setpoint,
                     context.signals.info(*setpoint).unit, config.measured, unit);
    fits = false;
  }
  const std::string gain = quotient(output_unit, unit);
  for (const auto& [attribute, expected] : {std::pair<const char*, std::string>("target", unit),
                                            {"kp", gain},
                                            {"ki", quotient(gain, "s")},
                                            {"kd", gain.empty() ? "s" : gain + "*s"},
                                            {"bias", output_unit},
                                            {"min", output_unit},
                                            {"max", output_unit}}) {
    fits = context.require_unit(attribute, expected) && fits;
  }
  if (!fits) return nullptr;
  return std::make_unique<Pid>(
      *measured, setpoint, *output,
      Pid::Settings{.kp = config.kp,
                    .ki = config.ki,
                    .kd = config.kd,
                    .bias = config.bias,
                    .filter = to_seconds(config.filter),
                    .min = config.min.value_or(-kNoLimit),
                    .max = config.max.value_or(kNoLimit),
                    .period = static_cast<double>(context.every()) * to_seconds(context.model.step),
                    .target = config.target.value_or(0.0)});
}

}  // namespace

void add_builtin_controllers(Registry& registry) {
  registry.controllers.add<SineConfig>(
      "sine", "Sine generator: amplitude sin(2 pi frequency t + phase) + offset.", make_sine);
  registry.controllers.add<PidConfig>(
      "pid", "PID controller: u = bias + kp e + ki (integral of e) - kd y', with e = r - y.", make_pid);
  registry.controllers.add<GaitConfig>(
      "gait",
      "Moves a chain of pitch and yaw joints in travelling waves, by actions that blend into each other.",
      make_gait);
  registry.controllers.add<LuaConfig>(
      "lua", "A script in Lua 5.4: its function step(time) reads and writes signals.", make_lua);
  registry.controllers.add<PlaybackConfig>(
      "playback",
      "Plays a motion plan from a file, checked against the limits of all it drives before it begins.",
      make_playback);
  registry.controllers.add<SupervisorConfig>(
      "supervisor", "Switches between controllers on conditions over signals.", make_supervisor);
}

}  // namespace lockstep
