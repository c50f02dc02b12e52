#pragma once

#include <memory>
#include <string>

#include "base/units.h"
#include "lockstep/device.h"
#include "lockstep/fields.h"

namespace lockstep {

class BuildContext;

struct SineConfig {
  std::string signal;
  double amplitude = 1.0;
  double frequency = 1.0;
  double phase = 0.0;
  double offset = 0.0;
};

template <class V>
void describe(V& v, SineConfig& c) {
  v.text("signal", c.signal, {.doc = "Command signal to write, such as 'elbow/target'.", .required = true});
  v.number("amplitude", c.amplitude, {.unit = kAnyUnit, .doc = "In the unit of the signal."});
  v.number("frequency", c.frequency, {.unit = "Hz", .min = 0.0, .doc = "Cycles per second."});
  v.number("phase", c.phase, {.unit = "rad", .doc = "Angle at time zero."});
  v.number("offset", c.offset, {.unit = kAnyUnit, .doc = "In the unit of the signal."});
}

/// Sine generator: writes a sine of time to a command signal. It has no state.
///
///     signal = amplitude · sin(2π · frequency · t + phase) + offset,   in the unit of the signal; t in s
class Sine final : public Controller {
 public:
  Sine(Slot signal, const SineConfig& config) : signal_(signal), config_(config) {}

  Status decide(const Instant& now, Row row) override;

 private:
  Slot signal_;
  SineConfig config_;
};

std::unique_ptr<Controller> make_sine(const SineConfig& config, BuildContext& context);

}  // namespace lockstep
