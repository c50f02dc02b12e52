#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/signals.h"
#include "lockstep/state.h"
#include "lockstep/time.h"

namespace lockstep {

/// The signals of a simulation and their values at one instant. Timing signals, which depend on the wall clock,
/// come last: they are logged like the others but are not part of the state, so that a run has the same hash
/// paced or not.
class SignalRow {
 public:
  /// Adds the signal "time" if there is none.
  explicit SignalRow(SignalTable table);

  const SignalTable& table() const { return table_; }
  Row row() { return Row(values_); }
  ConstRow row() const { return ConstRow(values_); }
  void set_time(const Instant& now) { row()[time_] = now.seconds; }

  /// All but the timing signals.
  std::span<const SignalInfo> state_signals() const { return table_.all().first(state_size_); }
  std::span<double> state_values() { return std::span<double>(values_).first(state_size_); }

  /// Adds a timing signal, or returns the existing one of that name.
  Slot add_timing(const std::string& name, const std::string& unit);
  std::optional<Slot> find_timing(std::string name) const;
  void set_timing(Slot signal, double value);

  /// The first signal of the state that is not finite.
  std::optional<Slot> find_invalid() const;

  /// For a hash without the health of connections.
  void save(StateWriter& writer) const;
  void restore(StateReader& reader) { reader.read_into(state_values()); }

 private:
  SignalTable table_;
  std::vector<double> values_;
  std::size_t state_size_ = 0;
  std::vector<std::size_t> health_;  // signals of that role
  Slot time_{};
};

}  // namespace lockstep
