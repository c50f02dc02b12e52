#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "signals/fault.h"

namespace lockstep {

/// Wraps an actuator and injects faults: into its commands (signals/fault.h), or by cutting its power. The row
/// keeps the original commands; only the actuator sees the faulty ones.
class FaultyActuator final : public Actuator {
 public:
  struct Faults {
    std::vector<SignalFault> commands;
    std::vector<FaultSwitch> power;  ///< while one strikes, the actuator gives no force and keeps its state
    std::vector<Slot> efforts;       ///< signals of its force or torque, which are then 0
  };

  FaultyActuator(std::unique_ptr<Actuator> actuator, Faults faults)
      : actuator_(std::move(actuator)), faults_(std::move(faults)) {
    for (const SignalFault& fault : faults_.commands)
      commanded_.resize(commanded_.size() + fault.slots().size());
  }

  void actuate(const Instant& now, Row row, World& world) override {
    // Each fault saves the commands before it changes them; they are restored in reverse order.
    std::size_t saved = 0;
    for (SignalFault& fault : faults_.commands) {
      for (const Slot slot : fault.slots()) commanded_[saved++] = row[slot];
      fault.apply(row);
    }
    bool has_power = true;
    for (FaultSwitch& cut : faults_.power) has_power = !cut.strikes(row) && has_power;
    if (has_power) {
      actuator_->actuate(now, row, world);
    } else {
      for (const Slot effort : faults_.efforts) row[effort] = 0.0;
    }
    for (auto fault = faults_.commands.rbegin(); fault != faults_.commands.rend(); ++fault) {
      for (auto slot = fault->slots().rbegin(); slot != fault->slots().rend(); ++slot)
        row[*slot] = commanded_[--saved];
    }
  }

  void save(StateWriter& writer) const override {
    actuator_->save(writer);
    for (const SignalFault& fault : faults_.commands) fault.save(writer);
    for (const FaultSwitch& cut : faults_.power) cut.save(writer);
  }
  void restore(StateReader& reader) override {
    actuator_->restore(reader);
    for (SignalFault& fault : faults_.commands) fault.restore(reader);
    for (FaultSwitch& cut : faults_.power) cut.restore(reader);
  }

 private:
  std::unique_ptr<Actuator> actuator_;
  Faults faults_;
  std::vector<double> commanded_;  // saved commands of one call
};

}  // namespace lockstep
