#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The signal table: everything that can be read or driven has a name, a unit and a slot in one row.
namespace lockstep {

/// Index of a signal in the row.
enum class Slot : std::size_t {};

/// Who writes a signal. The order of the step follows from it.
enum class SignalRole {
  kMeasurement,  ///< written by a sensor
  kCommand,      ///< written by a controller, a link or a user; read by actuators
  kInternal,     ///< written by the loop or a subsystem: energy, statistics
  kTiming,       ///< of the wall clock: no part of the state, unseen by devices
};

/// What a command may ask for, as far as whatever it drives knows; in the unit of the signal.
struct CommandLimits {
  std::string joint;  ///< full name of the joint that it moves; "" if it moves none
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double max_speed = std::numeric_limits<double>::infinity();  ///< largest change per second
  std::optional<double> start;  ///< where the joint is at first; only of commands that are positions
};

struct SignalInfo {
  std::string name;  ///< "snake/joint3/angle"
  std::string unit;  ///< SI, as base/units.h writes it; "" for a plain number
  SignalRole role = SignalRole::kMeasurement;
  CommandLimits limits{};
};

/// The values of all signals at one instant. Borrowed: the memory belongs to the simulation.
class Row {
 public:
  explicit Row(std::span<double> values) : values_(values) {}
  double& operator[](Slot slot) const { return values_[static_cast<std::size_t>(slot)]; }
  std::span<double> values() const { return values_; }

 private:
  std::span<double> values_;
};

class ConstRow {
 public:
  explicit ConstRow(std::span<const double> values) : values_(values) {}
  ConstRow(Row row) : values_(row.values()) {}  // NOLINT(google-explicit-constructor): const view of a row
  double operator[](Slot slot) const { return values_[static_cast<std::size_t>(slot)]; }
  std::span<const double> values() const { return values_; }

 private:
  std::span<const double> values_;
};

/// Names, units and slots. Filled while the simulation is assembled, constant while it runs.
class SignalTable {
 public:
  /// Adds a signal. A name that is taken is a bug of the caller: assembly checks names first with find().
  Slot add(std::string name, std::string unit, SignalRole role, double initial = 0.0);

  void set_limits(Slot slot, CommandLimits limits) {
    infos_[static_cast<std::size_t>(slot)].limits = std::move(limits);
  }

  std::optional<Slot> find(std::string_view name) const;
  const SignalInfo& info(Slot slot) const { return infos_[static_cast<std::size_t>(slot)]; }
  std::span<const SignalInfo> all() const { return infos_; }
  std::span<const double> initial() const { return initial_; }
  std::size_t size() const { return infos_.size(); }
  std::vector<std::string> names() const;

 private:
  std::vector<SignalInfo> infos_;
  std::vector<double> initial_;
  std::unordered_map<std::string, Slot> slots_;  // looked up only, never iterated
};

}  // namespace lockstep
