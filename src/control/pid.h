#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/units.h"
#include "lockstep/device.h"
#include "lockstep/fields.h"

namespace lockstep {

class BuildContext;

struct PidConfig {
  std::string measured;
  std::string output;
  std::string setpoint;
  std::optional<double> target;
  double kp = 0.0;
  double ki = 0.0;
  double kd = 0.0;
  double bias = 0.0;
  Duration filter{0};
  std::optional<double> min;
  std::optional<double> max;
};

template <class V>
void describe(V& v, PidConfig& c) {
  v.text("measured", c.measured, {.doc = "Signal y to keep at the setpoint.", .required = true});
  v.text("output", c.output, {.doc = "Command signal u to write.", .required = true});
  v.text("setpoint", c.setpoint, {.doc = "Setpoint signal r; give this or 'target'."});
  v.number("target", c.target,
           {.unit = kAnyUnit, .doc = "Constant r, in the unit of y; give this or 'setpoint'."});
  v.number("kp", c.kp, {.unit = kAnyUnit, .doc = "Proportional gain, in units of u per unit of y."});
  v.number("ki", c.ki, {.unit = kAnyUnit, .doc = "Integral gain, in the unit of kp per second."});
  v.number("kd", c.kd, {.unit = kAnyUnit, .doc = "Derivative gain, in the unit of kp times seconds."});
  v.number("bias", c.bias, {.unit = kAnyUnit, .doc = "Output at zero error, in the unit of u."});
  v.time("filter", c.filter,
         {.min = 0.0, .doc = "Time constant of the low-pass before the derivative; 0 for none."});
  v.number("min", c.min, {.unit = kAnyUnit, .doc = "Smallest output; none if omitted."});
  v.number("max", c.max, {.unit = kAnyUnit, .doc = "Largest output; none if omitted."});
  v.check(c.setpoint.empty() != !c.target, "setpoint", "needs either 'setpoint' or 'target'");
  v.check(!c.min || !c.max || *c.min < *c.max, "min", "min is not below max");
}

/// PID controller:
///
///     u = bias + kp e + ki ∫ e dt - kd y_f',    e = r - y,    filter · y_f' = y - y_f
///
/// clamped to min…max. The derivative is that of the measurement, so that a setpoint step causes no derivative
/// kick. While the output is clamped, the integral does not grow in that direction (anti-windup).
class Pid final : public Controller {
 public:
  struct Settings {
    double kp = 0.0, ki = 0.0, kd = 0.0, bias = 0.0;
    double filter = 0.0;  ///< s
    double min = 0.0, max = 0.0;
    double period = 0.0;  ///< s between two calls
    double target = 0.0;  ///< r if there is no setpoint signal
  };

  Pid(Slot measured, std::optional<Slot> setpoint, Slot output, const Settings& settings)
      : measured_(measured), setpoint_(setpoint), output_(output), settings_(settings) {}

  Status decide(const Instant&, Row row) override;

  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  Slot measured_;
  std::optional<Slot> setpoint_;
  Slot output_;
  Settings settings_;
  double integral_ = 0.0;  // ki ∫ e dt
  double rate_ = 0.0;      // y_f'
  double last_ = 0.0;      // y of the last call
  bool is_running_ = false;
};

std::unique_ptr<Controller> make_pid(const PidConfig& config, BuildContext& context);

}  // namespace lockstep
