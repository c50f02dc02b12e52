#include "connection/remote_controller.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep {

RemoteController::RemoteController(std::string name, Signals signals, Settings settings,
                                   std::unique_ptr<Peer> peer)
    : name_(std::move(name)),
      signals_(std::move(signals)),
      every_(settings.every),
      timing_(settings.timing),
      session_({.timing = settings.timing,
                .period = settings.step * settings.every,
                .cancelled = std::move(settings.cancelled)},
               std::move(peer), signals_.writes.size()),
      shaper_(settings.timing.interpolation, settings.every, signals_.initial, signals_.ranges),
      silence_(settings.timing, settings.step),
      path_(std::move(settings.faults), signals_.reads.size(), signals_.writes.size(), settings.every) {
  LOCKSTEP_CHECK(signals_.initial.size() == signals_.writes.size() && every_ > 0);
  LOCKSTEP_CHECK(signals_.ranges.empty() || signals_.ranges.size() == signals_.writes.size());
  fed_.values.resize(signals_.writes.size());
}

std::string RemoteController::open() {
  return session_.open();
}

void RemoteController::close() {
  session_.close();
}

void RemoteController::feed(const ConnectionInput& input) {
  LOCKSTEP_CHECK(input.values.size() == fed_.values.size());
  fed_ = input;
  is_fed_ = true;
}

Status RemoteController::exchange(const Instant& now, Row row) {
  session_.begin_step();
  Status status;
  if (may_exchange(now.step)) {
    failed_counts_ = {};
    path_.begin_exchange(now, row, signals_.reads, exchanges_ == 0);
    if (session_.is_open() && !ask(now))
      return {Outcome::kInterrupted, now.step, name_,
              "the run was interrupted while waiting for the controller"};
    takes_fed_ = std::exchange(is_fed_, false);
    status = take_in(now);
    if (!status.ok()) failed_counts_ = last_input().counts;
    write_health(row);
  }
  if (const auto arrived = path_.receive_commands(now.step)) shaper_.begin(now.step, *arrived);
  shaper_.write(now.step, signals_.writes, row);
  return status;
}

/// False if the run should end.
bool RemoteController::ask(const Instant& now) {
  return session_.ask({.now = now,
                       .sequence = static_cast<std::uint32_t>(exchanges_ + 1),
                       .measured = path_.measured(),
                       .faults = path_.struck(),
                       .is_repeated = is_fed_,
                       .was_silent = silence_.is_silent(),
                       .is_silence_without = silence_.is_due(now.step)});
}

/// From here on, everything follows from the input.
Status RemoteController::take_in(const Instant& now) {
  const ConnectionInput& input = last_input();
  ++exchanges_;
  for (const auto count : kConnectionCounts) counts_.*count += input.counts.*count;
  is_connected_ = input.is_connected;
  if (input.is_fresh) {
    if (path_.send_commands(now.step, input.values)) shaper_.begin(now.step, input.values);
    silence_.note_answer(now.step);
    return {};
  }
  const bool begins_now = silence_.note_none(now.step);
  if (timing_.silence == Silence::kZero && begins_now) shaper_.jump_to_zero(now.step);
  if (timing_.silence == Silence::kStop && silence_.is_silent()) return lose_controller(now);
  return {};
}

Status RemoteController::lose_controller(const Instant& now) const {
  const std::string problem = session_.problem();
  const std::string last = silence_.last_answered() < 0
                               ? "no answer yet"
                               : fmt::format("last answer at step {}", silence_.last_answered());
  return {Outcome::kControllerLost, now.step, name_,
          fmt::format("no command for {} s; {} messages lost, {}{}", to_seconds(timing_.timeout), counts_.lost,
                      last, problem.empty() ? "" : "; " + problem)};
}

void RemoteController::write_health(Row row) const {
  std::size_t i = 0;
  for (const auto count : kConnectionCounts) row[signals_.health[i++]] = static_cast<double>(counts_.*count);
  row[signals_.health[i++]] = is_connected_ ? 1.0 : 0.0;
  row[signals_.health[i++]] = silence_.is_silent() ? 1.0 : 0.0;
}

ConnectionReport RemoteController::report() const {
  const RoundTrips& times = session_.round_trips();
  ConnectionCounts counts = counts_;
  for (const auto count : kConnectionCounts) counts.*count += failed_counts_.*count;
  return {.exchanges = exchanges_,
          .counts = counts,
          .round_trip_median = times.quantile(0.5),
          .round_trip_p99 = times.quantile(0.99),
          .round_trip_worst = times.worst(),
          .problem = session_.problem()};
}

void RemoteController::save(StateWriter& writer) const {
  writer.write(exchanges_);
  shaper_.save(writer);
  if (!writer.is_for_hash()) {  // depends on the wall clock, and nothing depends on it
    for (const auto count : kConnectionCounts) writer.write(counts_.*count);
    writer.write(is_connected_);
  }
  silence_.save(writer);
  path_.save(writer);
}

void RemoteController::restore(StateReader& reader) {
  exchanges_ = read_connection_count(reader, 0);
  shaper_.restore(reader);
  for (const auto count : kConnectionCounts) counts_.*count = read_connection_count(reader, 0);
  is_connected_ = reader.read<bool>();
  silence_.restore(reader);
  path_.restore(reader);
  session_.wake();  // a controller that connects after this gets the full wait
}

}  // namespace lockstep
