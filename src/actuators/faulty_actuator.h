#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "signals/fault.h"

namespace lockstep {

/// Wraps an actuator whose commands can be spoiled on their way to it, or whose power can be cut. In the row
/// stays what was commanded; only the actuator sees something else.
class FaultyActuator final : public Actuator {
 public:
  struct Faults {
    std::vector<SignalFault> commands;
    std::vector<FaultSwitch> power;  ///< while one strikes, the actuator gives no force and keeps its memory
    std::vector<Slot> efforts;       ///< what it tells of its force, which is then 0
  };

  FaultyActuator(std::unique_ptr<Actuator> actuator, Faults faults)
      : actuator_(std::move(actuator)), faults_(std::move(faults)) {
    for (const SignalFault& fault : faults_.commands)
      commanded_.resize(commanded_.size() + fault.slots().size());
  }

  void actuate(const Instant& now, Row row, World& world) override {
    // Each fault notes what it finds before it spoils it, and all of it is put back from the last to the first.
    std::size_t noted = 0;
    for (SignalFault& fault : faults_.commands) {
      for (const Slot slot : fault.slots()) commanded_[noted++] = row[slot];
      fault.spoil(row);
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
        row[*slot] = commanded_[--noted];
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
  std::vector<double> commanded_;  // room for one call
};

}  // namespace lockstep
