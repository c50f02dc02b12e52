#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The signal table: everything that can be read or driven has a name, a unit and a slot in one row of doubles.
///
///     "arm/elbow/angle"   rad   slot 3        row:  [ time, …, …, 0.52, … ]
///
/// Sensors write the row, controllers read and write it, actuators read it; a log, a plot, a message to a
/// controller outside the process and the objective of a study are selections of it. A device that adds a
/// signal is therefore logged, plotted and connected without further code.
///
/// Names are full names: robot, device and quantity, separated by '/'. Devices of the scenario itself have no
/// robot in front. The table is filled while a simulation is assembled and constant while it runs, so a Slot
/// found once stays valid for the whole run.
namespace lockstep {

/// Index of a signal in the row. A type of its own, so that no other number is taken for it.
enum class Slot : std::size_t {};

/// Who writes a signal. The order of the step follows from it.
enum class SignalRole {
  kMeasurement,  ///< written by a sensor; read only for everything else
  kCommand,      ///< written by a controller, a connection or a user; read by actuators
  kInternal,     ///< written by the loop or a subsystem: time, energy, statistics
  kHealth,       ///< of a connection: counts that depend on the wall clock; saved, but not part of the hash
  kTiming,       ///< about the wall clock: not part of the state, and devices do not see it
};

/// What a command may ask for, as far as the device that it drives knows; in the unit of the signal. Motion
/// plans are checked against it before anything moves. A step does not clamp commands to it.
struct CommandLimits {
  std::string joint;  ///< full name of the joint that it moves; "" if it moves none
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double max_speed = std::numeric_limits<double>::infinity();  ///< largest change per second
  std::optional<double> start;  ///< where the joint is at first; only of commands that are positions
};

/// What is known of one signal.
struct SignalInfo {
  std::string name;  ///< full name: "snake/joint3/angle"
  std::string unit;  ///< SI, such as "rad" or "N*m/rad"; "" for a plain number
  SignalRole role = SignalRole::kMeasurement;
  CommandLimits limits{};  ///< of commands
};

/// The values of all signals at one instant, to read and write. Borrowed: the memory belongs to the simulation,
/// and a device uses it only during the call that hands it over.
class Row {
 public:
  explicit Row(std::span<double> values) : values_(values) {}
  /// The value of a signal, in its unit. Not checked: the slot must be one of this simulation.
  double& operator[](Slot slot) const { return values_[static_cast<std::size_t>(slot)]; }
  std::span<double> values() const { return values_; }

 private:
  std::span<double> values_;
};

/// The same to read only. Borrowed likewise.
class ConstRow {
 public:
  explicit ConstRow(std::span<const double> values) : values_(values) {}
  ConstRow(Row row) : values_(row.values()) {}  // NOLINT(google-explicit-constructor): const view of a row
  double operator[](Slot slot) const { return values_[static_cast<std::size_t>(slot)]; }
  std::span<const double> values() const { return values_; }

 private:
  std::span<const double> values_;
};

/// Names, units and slots of one simulation.
class SignalTable {
 public:
  /// Adds a signal whose value before the first step is `initial`. A name that is taken is a bug of the caller
  /// and aborts; the factory of a device uses BuildContext::add_signal(), which reports it to the user.
  Slot add(std::string name, std::string unit, SignalRole role, double initial = 0.0);

  /// Says what a command may ask for.
  void set_limits(Slot slot, CommandLimits limits) {
    infos_[static_cast<std::size_t>(slot)].limits = std::move(limits);
  }

  /// The signal of this full name; nothing if there is none. A hash lookup: not for every step.
  std::optional<Slot> find(std::string_view name) const;
  const SignalInfo& info(Slot slot) const { return infos_[static_cast<std::size_t>(slot)]; }

  /// All of them, in the order of their slots. Borrowed from the table.
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
