#pragma once

#include "base/state.h"
#include "base/time.h"
#include "physics/world.h"
#include "signals/table.h"

namespace lockstep {

/// Turns command signals into forces on the world. Called in every step, after the controllers. It may also
/// write signals of its own (the torque it gave, say).
class Actuator : public Stateful {
 public:
  virtual void actuate(const Instant& now, Row row, World& world) = 0;
};

}  // namespace lockstep
