#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/state.h"

namespace lockstep {

/// A device with its full name and period.
template <typename Device>
struct Scheduled {
  std::string name;  ///< "arm/elbow", unique in its category
  std::unique_ptr<Device> device;
  std::int64_t every = 1;  ///< steps between calls
  std::int64_t next = 0;   ///< step of the next call; kept by the simulation

  /// Whether it is called in this step; then the next call is `every` steps later.
  bool take_turn(std::int64_t step) {
    if (next != step) return false;
    next += every;
    return true;
  }

  /// After a jump to another step: the first call is at or after it.
  void reschedule(std::int64_t step) { next = (step + every - 1) / every * every; }
};

template <typename Device>
void save_all(StateWriter& writer, const std::vector<Scheduled<Device>>& devices) {
  for (const Scheduled<Device>& scheduled : devices) scheduled.device->save(writer);
}

template <typename Device>
void restore_all(StateReader& reader, std::vector<Scheduled<Device>>& devices, std::int64_t step) {
  for (Scheduled<Device>& scheduled : devices) {
    scheduled.device->restore(reader);
    scheduled.reschedule(step);
  }
}

}  // namespace lockstep
