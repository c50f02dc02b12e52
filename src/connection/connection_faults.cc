#include "connection/connection_faults.h"

#include <algorithm>
#include <cmath>

#include "lockstep/error.h"

namespace lockstep {

ExchangeFaults ConnectionFaults::decide(Row row) {
  ExchangeFaults decided;
  for (Fault& fault : faults_) {
    if (!fault.when.strikes(row)) continue;
    const bool is_of_commands = fault.direction == ConnectionDirection::kCommands;
    (is_of_commands ? decided.command_delay : decided.measurement_delay) += fault.delay;
    MessageFault& message = is_of_commands ? decided.incoming : decided.outgoing;
    if (message == MessageFault::kNone) message = fault.message;
  }
  return decided;
}

std::int64_t ConnectionFaults::longest_delay(ConnectionDirection direction) const {
  std::int64_t sum = 0;
  for (const Fault& fault : faults_) {
    if (fault.direction == direction) sum += fault.delay;
  }
  return sum;
}

void ConnectionFaults::save(StateWriter& writer) const {
  for (const Fault& fault : faults_) fault.when.save(writer);
}

void ConnectionFaults::restore(StateReader& reader) {
  for (Fault& fault : faults_) fault.when.restore(reader);
}

DelayLine::DelayLine(std::size_t width, std::size_t capacity)
    : width_(width), due_(capacity, 0), rows_(width * capacity, 0.0) {
  LOCKSTEP_CHECK(capacity > 0);
}

std::span<double> DelayLine::row_at(std::size_t position) {
  return std::span(rows_).subspan(position * width_, width_);
}

void DelayLine::send(std::int64_t step, std::int64_t delay, std::span<const double> row) {
  LOCKSTEP_CHECK(row.size() == width_);
  if (count_ == due_.size()) {  // only after restoring a state from another scenario
    first_ = (first_ + 1) % due_.size();
    --count_;
  }
  const std::size_t position = (first_ + count_) % due_.size();
  last_due_ = std::max(step + delay, last_due_);
  due_[position] = last_due_;
  std::copy(row.begin(), row.end(), row_at(position).begin());
  ++count_;
}

bool DelayLine::receive(std::int64_t step, std::span<double> row) {
  bool has_arrived = false;
  while (count_ > 0 && due_[first_] <= step) {
    const std::span<double> newest = row_at(first_);
    std::copy(newest.begin(), newest.end(), row.begin());
    first_ = (first_ + 1) % due_.size();
    --count_;
    has_arrived = true;
  }
  return has_arrived;
}

void DelayLine::save(StateWriter& writer) const {
  writer.write(last_due_);
  writer.write(static_cast<std::uint64_t>(count_));
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t position = (first_ + i) % due_.size();
    writer.write(due_[position]);
    writer.write(std::span<const double>(rows_).subspan(position * width_, width_));
  }
}

void DelayLine::restore(StateReader& reader) {
  last_due_ = reader.read<std::int64_t>();
  const auto count = reader.read<std::uint64_t>();
  if (count > due_.size()) throw StateError("more rows are in transit than a connection can delay");
  first_ = 0;
  count_ = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < count_; ++i) {
    due_[i] = reader.read<std::int64_t>();
    if (due_[i] > last_due_ || (i > 0 && due_[i] < due_[i - 1]))
      throw StateError("a delayed row is out of order");
    const std::span<double> row = row_at(i);
    reader.read_into(row);
    if (!std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); })) {
      throw StateError("a delayed row has a number that is not finite");
    }
  }
}

FaultyPath::FaultyPath(ConnectionFaults faults, std::size_t reads, std::size_t writes, std::int64_t every)
    : faults_(std::move(faults)), present_(reads), arrived_(writes), measured_(reads) {
  const auto add_line = [&](std::optional<DelayLine>& line, ConnectionDirection direction, std::size_t width) {
    const std::int64_t longest = faults_.longest_delay(direction);
    // One row per exchange of the delay, plus the one that arrives and the one sent now.
    if (longest > 0) line.emplace(width, static_cast<std::size_t>(longest / every + 2));
  };
  add_line(late_measurements_, ConnectionDirection::kMeasurements, reads);
  add_line(late_commands_, ConnectionDirection::kCommands, writes);
}

void FaultyPath::begin_exchange(const Instant& now, Row row, std::span<const Slot> reads, bool is_first) {
  struck_ = faults_.decide(row);
  std::vector<double>& present = late_measurements_ ? present_ : measured_;
  for (std::size_t i = 0; i < present.size(); ++i) present[i] = row[reads[i]];
  if (!late_measurements_) return;
  if (is_first) measured_ = present_;
  late_measurements_->send(now.step, struck_.measurement_delay, present_);
  late_measurements_->receive(now.step, measured_);
}

bool FaultyPath::send_commands(std::int64_t step, std::span<const double> commands) {
  if (late_commands_) late_commands_->send(step, struck_.command_delay, commands);
  return !late_commands_;
}

std::optional<std::span<const double>> FaultyPath::receive_commands(std::int64_t step) {
  if (!late_commands_ || !late_commands_->receive(step, arrived_)) return std::nullopt;
  return arrived_;
}

void FaultyPath::save(StateWriter& writer) const {
  faults_.save(writer);
  if (late_commands_) late_commands_->save(writer);
  if (!late_measurements_) return;
  late_measurements_->save(writer);
  writer.write(std::span<const double>(measured_));
}

void FaultyPath::restore(StateReader& reader) {
  faults_.restore(reader);
  if (late_commands_) late_commands_->restore(reader);
  if (!late_measurements_) return;
  late_measurements_->restore(reader);
  reader.read_into(std::span<double>(measured_));
}

}  // namespace lockstep
