#pragma once

#include <memory>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct PotentiometerConfig {
  std::string joint;
  double from = 0.0;
  double to = 0.0;
};

template <class V>
void describe(V& v, PotentiometerConfig& c) {
  v.text("joint", c.joint, {.doc = "Hinge or slide to measure.", .required = true});
  v.number("from", c.from, {.unit = "rad or m", .doc = "Position of level 0.", .required = true});
  v.number("to", c.to, {.unit = "rad or m", .doc = "Position of level 1.", .required = true});
  v.check(c.from != c.to, "to", "'to' is the same as 'from'; expected another position");
}

/// Potentiometer or linear slide on a joint:
///
///     level = (q - from) / (to - from), limited to 0 … 1
class Potentiometer final : public Sensor {
 public:
  Potentiometer(JointId joint, Slot level, double from, double to)
      : joint_(joint), level_(level), from_(from), to_(to) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  JointId joint_;
  Slot level_;
  double from_;  // rad or m
  double to_;    // rad or m
};

std::unique_ptr<Sensor> make_potentiometer(const PotentiometerConfig& config, BuildContext& context);

}  // namespace lockstep
