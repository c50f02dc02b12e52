#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/signals.h"
#include "lockstep/state.h"

/// Fault injection (docs/faults.md). The configuration of a fault is constant; its signal `active` says whether
/// it is on. The loop writes that signal when an event switches the fault.
namespace lockstep {

/// Decides whether a fault strikes in one call of its device: always while it is active, or with a probability.
class FaultSwitch {
 public:
  /// `random` belongs to this fault alone, so that faults do not change each other's random numbers.
  FaultSwitch(Slot active, Slot count, double chance, const Random& random)
      : active_(active), count_(count), chance_(chance), random_(random) {}

  /// Call once per call of the device. Counts the calls in which it strikes.
  bool strikes(Row row) {
    if (row[active_] == 0.0) return false;
    if (chance_ < 1.0 && random_.uniform() >= chance_) return false;
    row[count_] += 1.0;
    return true;
  }

  void save(StateWriter& writer) const { random_.save(writer); }
  void restore(StateReader& reader) { random_.restore(reader); }

 private:
  Slot active_;
  Slot count_;
  double chance_;  // probability per call while active, 0 to 1
  Random random_;
};

enum class SignalFaultKind {
  kStick,  ///< the value of the previous call stays
  kBias,   ///< a value is added
  kCut,    ///< a constant replaces the value
};

/// A fault on some signals of one device: changes the readings of a sensor or the commands to an actuator.
class SignalFault {
 public:
  SignalFault(SignalFaultKind kind, double value, std::vector<Slot> slots, FaultSwitch when)
      : kind_(kind),
        value_(value),
        slots_(std::move(slots)),
        held_(kind == SignalFaultKind::kStick ? slots_.size() : 0, 0.0),
        switch_(std::move(when)) {}

  /// Call once per call of the device. A fault that sticks from the first call on holds the first value.
  void apply(Row row) {
    const bool strikes = switch_.strikes(row);
    if (kind_ == SignalFaultKind::kStick) {
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        double& value = row[slots_[i]];
        if (strikes && has_held_) value = held_[i];
        held_[i] = value;
      }
      has_held_ = true;
    } else if (strikes) {
      for (const Slot slot : slots_) row[slot] = kind_ == SignalFaultKind::kBias ? row[slot] + value_ : value_;
    }
  }

  void save(StateWriter& writer) const {
    switch_.save(writer);
    writer.write(has_held_);
    writer.write(std::span<const double>(held_));
  }
  void restore(StateReader& reader) {
    switch_.restore(reader);
    has_held_ = reader.read<bool>();
    reader.read_into(std::span<double>(held_));
  }

  const std::vector<Slot>& slots() const { return slots_; }

 private:
  SignalFaultKind kind_;
  double value_;  // in the unit of the signals
  std::vector<Slot> slots_;
  std::vector<double> held_;  // values of the previous call; only of kStick
  bool has_held_ = false;
  FaultSwitch switch_;
};

}  // namespace lockstep
