#pragma once

#include "base/state.h"
#include "base/time.h"
#include "physics/world.h"
#include "signals/table.h"

namespace lockstep {

/// A solver beside the rigid-body engine: a fluid, a motor's heat, a hydraulic line. Called just before the
/// world steps; it reads the world and the signals, and acts by forces and signals.
class Subsystem : public Stateful {
 public:
  virtual void advance(const Instant& now, Duration step, Row row, World& world) = 0;
};

}  // namespace lockstep
