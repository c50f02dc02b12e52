#include "connection/remote_controller.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep {

RemoteController::RemoteController(std::string name, Signals signals, Settings settings,
                                   std::unique_ptr<Peer> peer)
    : name_(std::move(name)),
      signals_(std::move(signals)),
      every_(settings.every),
      step_(settings.step),
      timing_(settings.timing),
      session_({.timing = settings.timing,
                .period = settings.step * settings.every,
                .cancelled = std::move(settings.cancelled)},
               std::move(peer), signals_.writes.size()),
      shaper_(settings.timing.interpolation, settings.every, signals_.initial, signals_.ranges),
      silence_(settings.timing, settings.step),
      path_(std::move(settings.faults), signals_.reads.size(), signals_.writes.size(), settings.every),
      watchdogs_(std::move(settings.watchdogs)) {
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
  now_ = now.step;
  Status status;
  if (may_exchange(now.step)) {
    failed_counts_ = {};
    session_.notes().begin_exchange(now);
    path_.begin_exchange(now, row, signals_.reads, exchanges_ == 0);
    if (session_.is_open() && !ask(now))
      return {Outcome::kInterrupted, now.step, name_,
              "the run was interrupted while waiting for the controller"};
    if (session_.is_over() && !is_fed_)
      return {Outcome::kStopped, now.step, name_, "the program has ended the simulation"};
    takes_fed_ = std::exchange(is_fed_, false);
    status = take_in(now);
    if (!status.ok()) failed_counts_ = last_input().counts;
    write_health(row);
  }
  if (const auto arrived = path_.receive_commands(now.step)) shaper_.begin(now.step, *arrived);
  shaper_.write(now.step, signals_.writes, row);
  return status.ok() ? watch(now, row) : status;
}

/// The watchdogs of a silent controller.
Status RemoteController::watch(const Instant& now, Row row) {
  if (!silence_.is_silent()) {
    watchdogs_.rest();
    return {};
  }
  const std::int64_t steps = now.step - silence_.quiet_since();
  const Watchdogs::Watchdog* ends = watchdogs_.act(steps, signals_.writes, row, shaper_);
  // Only at an exchange, where a step can be taken back as a whole.
  if (ends == nullptr || now.step % every_ != 0) return {};
  return {Outcome::kControllerLost, now.step, name_,
          fmt::format("no command for {} s of simulated time: the watchdog of command {} ends the run",
                      to_seconds(step_ * steps), ends->command + 1)};
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
    if (silence_.is_silent() && timing_.silence != Silence::kPause && !takes_fed_)
      session_.notes().note(ConnectionEventKind::kReturned, "a controller answers again");
    silence_.note_answer(now.step);
    return {};
  }
  const bool begins_now = silence_.note_none(now.step);
  if (begins_now && !takes_fed_) note_silence();
  if (timing_.silence == Silence::kZero && begins_now) shaper_.jump_to_zero(now.step);
  if (timing_.silence == Silence::kStop && silence_.is_silent()) return lose_controller(now);
  return {};
}

Status RemoteController::lose_controller(const Instant& now) const {
  const std::string& problem = session_.notes().problem();
  const std::string last = silence_.last_answered() < 0
                               ? "no answer yet"
                               : fmt::format("last answer at step {}", silence_.last_answered());
  return {Outcome::kControllerLost, now.step, name_,
          fmt::format("no command for {} s; {} messages lost, {}{}", to_seconds(time_of_silence()),
                      counts_.lost, last, problem.empty() ? "" : "; " + problem)};
}

/// In lock step the time that was waited for, which is another at the first exchange.
Duration RemoteController::time_of_silence() const {
  const bool has_waited = session_.is_open() && timing_.mode == ConnectionMode::kLockStep;
  return has_waited ? session_.patience() : timing_.timeout;
}

void RemoteController::note_silence() {
  if (timing_.silence == Silence::kPause) return;  // noted when the pause began
  constexpr std::array kConsequences = {"its last commands are held", "its commands are zero", "",
                                        "the run ends"};
  session_.notes().note(ConnectionEventKind::kSilent,
                        fmt::format("no answer for {} s; {}", to_seconds(time_of_silence()),
                                    kConsequences[static_cast<std::size_t>(timing_.silence)]));
}

void RemoteController::write_health(Row row) const {
  std::size_t i = 0;
  for (const auto count : kConnectionCounts) row[signals_.health[i++]] = static_cast<double>(counts_.*count);
  row[signals_.health[i++]] = is_connected_ ? 1.0 : 0.0;
  row[signals_.health[i++]] = silence_.is_silent() ? 1.0 : 0.0;
}

std::optional<Duration> RemoteController::command_age() const {
  if (silence_.last_answered() < 0) return std::nullopt;
  return step_ * (now_ - silence_.last_answered());
}

ConnectionReport RemoteController::report() const {
  const auto summarize = [](const RoundTrips& times) {
    return TimeStatistics{.median = times.quantile(0.5),
                          .p99 = times.quantile(0.99),
                          .worst = times.worst(),
                          .worst_at = times.worst_at(),
                          .histogram = times.histogram()};
  };
  ConnectionCounts counts = counts_;
  for (const auto count : kConnectionCounts) counts.*count += failed_counts_.*count;
  return {.exchanges = exchanges_,
          .counts = counts,
          .round_trip = summarize(session_.round_trips()),
          .jitter = summarize(session_.jitter()),
          .command_age = command_age(),
          .command_wall_age = session_.answer_age(),
          .controller = session_.notes().controller(),
          .problem = session_.notes().problem(),
          .events = session_.notes().events()};
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
  watchdogs_.save(writer);
}

void RemoteController::restore(StateReader& reader) {
  exchanges_ = read_connection_count(reader, 0);
  shaper_.restore(reader);
  for (const auto count : kConnectionCounts) counts_.*count = read_connection_count(reader, 0);
  is_connected_ = reader.read<bool>();
  silence_.restore(reader);
  path_.restore(reader);
  watchdogs_.restore(reader);
  session_.wake();  // a controller that connects after this gets the full wait
}

}  // namespace lockstep
