#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "connection/connection_timing.h"
#include "lockstep/signals.h"

namespace lockstep {

/// What an interpolated command is limited to.
struct CommandRange {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// Interpolates commands from the values of one exchange to those of the next, as CommandShape says. Finite
/// values stay finite. What is interpolated is limited first, so that a ramp between two values beyond the
/// limits of a command is a ramp between its limits.
///
///     at rest ── begin(), jump_to_zero() ──► moving ── one period later, or at once with kHold ──► at rest
///
/// At rest it writes nothing, so that events can set the commands in between.
class CommandShaper {
 public:
  /// `ranges`: one per command, or none if nothing is limited.
  CommandShaper(CommandShape shape, std::int64_t every, const std::vector<double>& initial,
                std::vector<CommandRange> ranges = {})
      : shape_(shape), every_(every), ranges_(std::move(ranges)), old_(initial), new_(initial) {}

  /// Starts to move from the previous target values to `commands`, over one period from `step`.
  void begin(std::int64_t step, std::span<const double> commands);
  void jump_to_zero(std::int64_t step);
  /// One command has another value now; the next move starts there.
  void set(std::size_t command, double value) { old_[command] = new_[command] = value; }
  /// The values at `step`, while they change.
  void write(std::int64_t step, std::span<const Slot> slots, Row row);

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  CommandShape shape_;
  std::int64_t every_;  // steps in a period
  std::vector<CommandRange> ranges_;
  std::vector<double> old_, new_;
  std::int64_t begin_ = 0;  // step
  bool is_moving_ = false;  // the commands have not reached `new_` yet
};

}  // namespace lockstep
