#pragma once

#include <memory>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct EncoderConfig {
  std::string joint;
  double ticks = 1000.0;
};

template <class V>
void describe(V& v, EncoderConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge joint to measure.", .required = true});
  v.number("ticks", c.ticks, {.doc = "Ticks per turn; negative counts the other way."});
  v.check(c.ticks != 0.0, "ticks", "ticks is zero; expected a number other than 0");
}

/// Incremental encoder on a shaft with N ticks per turn:
///
///     count = floor(N angle / 2π),   rate = N speed / 2π in ticks per second, not rounded
class Encoder final : public Sensor {
 public:
  Encoder(JointId joint, Slot count, Slot rate, double ticks_per_radian)
      : joint_(joint), count_(count), rate_(rate), ticks_per_radian_(ticks_per_radian) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  JointId joint_;
  Slot count_;
  Slot rate_;
  double ticks_per_radian_;
};

std::unique_ptr<Sensor> make_encoder(const EncoderConfig& config, BuildContext& context);

}  // namespace lockstep
