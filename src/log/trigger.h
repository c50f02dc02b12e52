#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/world.h"

/// The moments that a log can be kept around.
namespace lockstep {

/// A signal passes a level. Being beyond it from the start is no passing.
struct Crossing {
  Slot signal{};
  double level = 0.0;
  bool upwards = true;
};

/// Two sets of shapes begin to touch.
struct Touch {
  std::vector<std::uint8_t> is_a;  ///< by ShapeId: whether it belongs to the first set
  std::vector<std::uint8_t> is_b;
};

/// Finds the instants at which something begins. To be asked in every step.
class Trigger {
 public:
  explicit Trigger(std::variant<Crossing, Touch> what) : what_(std::move(what)) { forget(); }

  bool begins(const Observation& seen);
  /// Time has jumped: what was seen before says nothing.
  void forget();
  Tracking needs() const { return {.contact_forces = std::holds_alternative<Touch>(what_)}; }

 private:
  std::variant<Crossing, Touch> what_;
  bool holds_ = false;  ///< in the step before
};

}  // namespace lockstep
