#include "connection/command_shaper.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

double calc_share(CommandShape kind, double u) {
  switch (kind) {
    case CommandShape::kHold:
      return 1.0;
    case CommandShape::kLinear:
      return u;
    case CommandShape::kSmooth:
      return u < 0.5 ? 2.0 * u * u : 1.0 - 2.0 * (1.0 - u) * (1.0 - u);
  }
  return 1.0;
}

/// Also finite if the difference of two finite values is not.
double interpolate(double from, double to, double share) {
  const double way = to - from;
  return std::isfinite(way) ? from + way * share : from * (1.0 - share) + to * share;
}

}  // namespace

void CommandShaper::begin(std::int64_t step, std::span<const double> commands) {
  old_.swap(new_);
  std::copy(commands.begin(), commands.end(), new_.begin());
  if (shape_ != CommandShape::kHold) {
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      new_[i] = std::clamp(new_[i], ranges_[i].lower, ranges_[i].upper);
  }
  begin_ = step;
  is_moving_ = true;
}

void CommandShaper::jump_to_zero(std::int64_t step) {
  std::fill(old_.begin(), old_.end(), 0.0);
  std::fill(new_.begin(), new_.end(), 0.0);
  begin_ = step;
  is_moving_ = true;
}

void CommandShaper::write(std::int64_t step, std::span<const Slot> slots, Row row) {
  if (!is_moving_) return;
  const double passed = static_cast<double>(step - begin_);
  const double u = std::min(1.0, passed / static_cast<double>(every_));
  const double s = calc_share(shape_, u);
  is_moving_ = s < 1.0;
  for (std::size_t i = 0; i < new_.size(); ++i)
    row[slots[i]] = is_moving_ ? interpolate(old_[i], new_[i], s) : new_[i];
}

void CommandShaper::save(StateWriter& writer) const {
  writer.write(std::span<const double>(old_));
  writer.write(std::span<const double>(new_));
  writer.write(begin_);
  writer.write(is_moving_);
}

void CommandShaper::restore(StateReader& reader) {
  for (std::vector<double>* commands : {&old_, &new_}) {
    reader.read_into(std::span<double>(*commands));
    const bool are_finite =
        std::all_of(commands->begin(), commands->end(), [](double x) { return std::isfinite(x); });
    if (!are_finite) throw StateError("a command of a connection is not a finite number");
  }
  begin_ = read_connection_count(reader, 0);
  is_moving_ = reader.read<bool>();
}

}  // namespace lockstep
