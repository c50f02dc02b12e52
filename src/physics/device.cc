#include "lockstep/device.h"

#include "lockstep/world.h"

namespace lockstep {

Tracking Sensor::needs() const {
  return {};
}

Tracking Observer::needs() const {
  return {};
}

}  // namespace lockstep
