#include "control/pid.h"

#include <algorithm>

#include "device/context.h"

namespace lockstep {
namespace {

/// The unit a / b. "N*m" by "rad/s" is "N*m/rad*s": in the text of a unit, "/" applies to one factor.
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

}  // namespace

Status Pid::decide(const Instant&, Row row) {
  const Settings& s = settings_;
  const double y = row[measured_];
  const double error = (setpoint_ ? row[*setpoint_] : s.target) - y;
  if (!is_running_) last_ = y;
  is_running_ = true;
  // Backward Euler: stable for every period, and the plain difference when there is no filter.
  rate_ = (s.filter * rate_ + (y - last_)) / (s.filter + s.period);
  last_ = y;
  const double step = s.ki * error * s.period;
  const double wanted = s.bias + s.kp * error + integral_ + step - s.kd * rate_;
  const bool pushes_out = (wanted > s.max && step > 0.0) || (wanted < s.min && step < 0.0);
  if (!pushes_out) integral_ += step;
  row[output_] = std::clamp(pushes_out ? wanted - step : wanted, s.min, s.max);
  return {};
}

void Pid::save(StateWriter& writer) const {
  writer.write(integral_);
  writer.write(rate_);
  writer.write(last_);
  writer.write(is_running_);
}

void Pid::restore(StateReader& reader) {
  integral_ = reader.read<double>();
  rate_ = reader.read<double>();
  last_ = reader.read<double>();
  is_running_ = reader.read<bool>();
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

}  // namespace lockstep
