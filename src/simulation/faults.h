#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/signals.h"
#include "lockstep/state.h"
#include "simulation/event.h"

namespace lockstep {

/// A fault that events can switch on and off. The faulty device reads its signal.
struct DeclaredFault {
  std::string name;
  Slot active{};  ///< 1 while it is on; written by the simulation
};

/// The declared faults of a simulation, and when each ends.
class Faults {
 public:
  explicit Faults(std::vector<DeclaredFault> declared)
      : declared_(std::move(declared)), ends_(declared_.size()) {}

  std::span<const DeclaredFault> declared() const { return declared_; }
  std::optional<FaultId> find(std::string_view name) const;

  /// Switches a fault before step `step`.
  void set(const SetFault& change, std::int64_t step, Row row);
  /// Switches off the faults that end at step `step`.
  void end_due(std::int64_t step, Row row) const;

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  std::vector<DeclaredFault> declared_;
  std::vector<std::int64_t> ends_;  // per fault: the first step at which it is off again
};

}  // namespace lockstep
