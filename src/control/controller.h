#pragma once

#include "base/state.h"
#include "base/time.h"
#include "signals/table.h"

namespace lockstep {

/// Reads signals and writes command signals; never sees the world. Called after the sensors, at its own rate;
/// what it writes is held in between.
class Controller : public Stateful {
 public:
  virtual void decide(const Instant& now, Row row) = 0;
  /// Whether decide() looks at nothing but the time, so that what it will command can be known beforehand.
  virtual bool follows_time_alone() const { return false; }
};

}  // namespace lockstep
