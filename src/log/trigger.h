#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/world.h"

/// Trigger conditions of a log.
namespace lockstep {

/// A signal crosses a level. Being beyond it from the start does not count.
struct Crossing {
  Slot signal{};
  double level = 0.0;
  bool upwards = true;
};

/// Two sets of shapes start to touch.
struct Touch {
  std::vector<std::uint8_t> is_a;  ///< by ShapeId: whether it belongs to the first set
  std::vector<std::uint8_t> is_b;
};

/// Detects the step in which a condition starts to hold. Call begins() in every step.
class Trigger {
 public:
  explicit Trigger(std::variant<Crossing, Touch> what) : what_(std::move(what)) { forget(); }

  bool begins(const Observation& seen);
  /// Resets the detector after a jump in time.
  void forget();
  Tracking needs() const { return {.contact_forces = std::holds_alternative<Touch>(what_)}; }

 private:
  std::variant<Crossing, Touch> what_;
  bool holds_ = false;  ///< whether the condition held in the previous step
};

}  // namespace lockstep
