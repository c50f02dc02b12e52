#pragma once

#include "base/state.h"
#include "base/time.h"
#include "physics/engine.h"
#include "signals/table.h"

namespace lockstep {

/// Turns the state of the world into signals. Called first in a step, at the sensor's own rate.
class Sensor : public Stateful {
 public:
  virtual void sense(const World& world, const Instant& now, Row row) = 0;
  virtual Tracking needs() const { return {}; }  ///< what the world must keep for it
};

}  // namespace lockstep
