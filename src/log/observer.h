#pragma once

#include "base/error.h"
#include "base/time.h"
#include "physics/world.h"
#include "signals/table.h"

namespace lockstep {

/// Everything an observer may see of one instant. Borrowed: valid only during the call.
struct Observation {
  const Instant& now;
  const SignalTable& signals;
  ConstRow row;
  const World& world;
};

/// Looks at a run without changing it; its memory is not part of the state.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual Status observe(const Observation& seen) = 0;
  virtual Status finish() { return {}; }  ///< the run is over: flush, close
  virtual Tracking needs() const { return {}; }
};

}  // namespace lockstep
