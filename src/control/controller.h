#pragma once

#include "base/error.h"
#include "base/state.h"
#include "base/time.h"
#include "signals/table.h"

namespace lockstep {

/// Reads signals and writes command signals; never sees the world. Called after the sensors, at its own rate;
/// what it writes is held in between. A status that is not ok ends the run. Its outcome and
/// its cause are the controller's to say; the loop adds step and name.
class Controller : public Stateful {
 public:
  virtual Status decide(const Instant& now, Row row) = 0;
  /// Whether decide() looks at nothing but the time, so that what it will command can be known beforehand.
  virtual bool follows_time_alone() const { return false; }
};

}  // namespace lockstep
