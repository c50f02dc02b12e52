#include "simulation/runner.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace lockstep {
namespace {

/// Interval between checks of the clock and the controls when running as fast as possible: s of real time, and
/// steps, so that the first slice of a slow simulation is short.
constexpr double kSliceSeconds = 1e-3;
constexpr std::int64_t kMaxBatch = 64;
constexpr Duration kProgressPeriod = std::chrono::milliseconds(200);
/// Longer than any wait.
constexpr Duration kForever = Duration::max();

/// Name and unit, in the order of write_timing().
constexpr std::array<std::pair<const char*, const char*>, 4> kTimingSignalNames = {{
    {"timing/lateness", "s"},
    {"timing/worst_lateness", "s"},
    {"timing/overruns", ""},
    {"timing/missed_cycles", ""},
}};

}  // namespace

void add_timing_signals(Simulation& simulation) {
  for (const auto& [name, unit] : kTimingSignalNames) simulation.add_timing_signal(name, unit);
}

Runner::Runner(Simulation& simulation, RunOptions options)
    : simulation_(simulation),
      options_(std::move(options)),
      clock_(options_.clock != nullptr ? options_.clock : &steady_clock_) {
  if (options_.pacing) wanted_speed_ = options_.pacing->speed;
  for (std::size_t i = 0; i < timing_.size(); ++i)
    timing_[i] = simulation.find_timing_signal(kTimingSignalNames[i].first);
}

void Runner::pause() {
  const std::scoped_lock lock(mutex_);
  is_paused_ = true;
  steps_allowed_ = 0;
}

void Runner::resume() {
  const std::scoped_lock lock(mutex_);
  is_paused_ = false;
  changed_.notify_all();
}

void Runner::step(std::int64_t count) {
  const std::scoped_lock lock(mutex_);
  steps_allowed_ += std::max<std::int64_t>(count, 0);
  changed_.notify_all();
}

void Runner::set_speed(std::optional<double> speed) {
  LOCKSTEP_CHECK(!speed || *speed > 0.0);
  const std::scoped_lock lock(mutex_);
  wanted_speed_ = speed;
  has_new_speed_ = true;
}

void Runner::quit() {
  const std::scoped_lock lock(mutex_);
  quit_ = true;
  changed_.notify_all();
}

RunReport Runner::advance(std::int64_t steps) {
  // Before the pacer starts, so that no run seems shorter than its deadlines.
  start_ = last_progress_ = clock_->now();
  has_new_speed_ = true;
  first_ = simulation_.now().step;
  report_ = {};
  report_.status = begin_hooks();
  const std::int64_t last = first_ + steps;
  while (report_.status.ok() && simulation_.now().step < last) {
    std::int64_t end = last;
    if (wait_while_paused(end)) {
      report_.status = advance_slice(end, kForever).status;
      report_progress();
    } else {
      report_.status = {Outcome::kInterrupted, simulation_.now().step, "", "the run was interrupted"};
    }
  }
  fill_report();
  return report_;
}

/// False if the run should end. While paused, sets `end` to the next single step.
bool Runner::wait_while_paused(std::int64_t& end) {
  std::unique_lock lock(mutex_);
  const auto may_go_on = [&] { return !is_paused_ || steps_allowed_ > 0 || quit_; };
  if (!may_go_on()) {
    changed_.wait(lock, may_go_on);
    has_new_speed_ = true;  // paused time does not count
  }
  if (quit_) return false;
  if (is_paused_) {
    --steps_allowed_;
    end = simulation_.now().step + 1;
  }
  return true;
}

Runner::Slice Runner::advance_slice(std::int64_t end, Duration patience) {
  if (Status status = begin_hooks(); !status.ok()) return {.status = std::move(status)};
  if (has_new_speed_.exchange(false)) follow_speed();
  const std::int64_t first = simulation_.now().step;
  Slice slice;
  if (speed_) {
    slice.due = wait_until_due(patience);
    if (slice.due) return slice;
    if (pacer_->has_too_many_overruns()) {
      slice.status = {Outcome::kTooSlow, first, "",
                      fmt::format("more than {} overruns", *options_.pacing->max_overruns)};
      return slice;
    }
    slice.status = take_steps(1);
  } else {
    const std::int64_t batch = batch_size(end);
    const WallClock::Time before = clock_->now();
    slice.status = take_steps(batch);
    const double cost =
        std::chrono::duration<double>(clock_->now() - before).count() / static_cast<double>(batch);
    step_cost_ += 0.2 * (std::max(cost, 1e-7) - step_cost_);
  }
  slice.steps = simulation_.now().step - first;
  return slice;
}

std::int64_t Runner::batch_size(std::int64_t end) const {
  const auto batch =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(kSliceSeconds / step_cost_), 1, kMaxBatch);
  return std::min(batch, end - simulation_.now().step);
}

Status Runner::begin_hooks() {
  while (begun_ < hooks_.size()) {
    if (Status status = hooks_[begun_++]->begin(simulation_); !status.ok()) return status;
  }
  return {};
}

Status Runner::take_steps(std::int64_t count) {
  if (hooks_.empty()) return simulation_.run(count);
  Status status;
  for (std::int64_t i = 0; i < count && status.ok(); ++i) {
    for (StepHook* hook : hooks_) hook->before_step(simulation_);
    status = simulation_.run(1);
    if (!status.ok() && status.outcome != Outcome::kStopped) break;
    for (StepHook* hook : hooks_) {
      Status seen = hook->after_step(simulation_);
      const bool is_first = status.ok() || status.outcome == Outcome::kStopped;
      if (!seen.ok() && is_first) status = std::move(seen);
    }
  }
  return status;
}

/// Applies a new speed from now on.
void Runner::follow_speed() {
  {
    const std::scoped_lock lock(mutex_);
    speed_ = wanted_speed_;
  }
  for (const auto& connection : simulation_.connections()) connection.device->set_pace(speed_);
  if (!speed_) return;
  const Duration simulated = simulation_.now().time;
  if (pacer_) {
    pacer_->rebase(*speed_, simulated);
  } else {
    PacingOptions pacing = options_.pacing.value_or(PacingOptions{});
    pacing.speed = *speed_;
    pacer_.emplace(pacing, simulation_.step_size(), simulated, *clock_);
  }
}

void Runner::restart_clock() {
  pacer_.reset();
  follow_speed();
}

/// Waits until the next step is due, or returns its time if the wait is longer than `patience`.
std::optional<WallClock::Time> Runner::wait_until_due(Duration patience) {
  const Duration now = simulation_.now().time;
  if (simulation_.has_paused_for_connections()) {
    pacer_->rebase(*speed_, now);
  } else {
    const WallClock::Time due = pacer_->deadline(now);
    if (patience != kForever && due - clock_->now() > patience) return due;
    pacer_->wait_until(now, simulation_.waited_for_connections());
  }
  write_timing();
  return std::nullopt;
}

void Runner::write_timing() {
  const PacingStatistics& statistics = pacer_->statistics();
  const std::array<double, kTimingSignals> values = {
      to_seconds(statistics.lateness), to_seconds(statistics.worst_lateness),
      static_cast<double>(statistics.overruns), static_cast<double>(statistics.missed_cycles)};
  for (std::size_t i = 0; i < timing_.size(); ++i) {
    if (timing_[i]) simulation_.set_timing(*timing_[i], values[i]);
  }
}

void Runner::report_progress() {
  if (!options_.on_progress) return;
  const WallClock::Time now = clock_->now();
  if (now - last_progress_ < kProgressPeriod) return;
  last_progress_ = now;
  fill_report();
  options_.on_progress(report_);
}

void Runner::fill_report() {
  report_.steps = simulation_.now().step - first_;
  report_.simulated = simulation_.step_size() * report_.steps;
  report_.wall_seconds = std::chrono::duration<double>(clock_->now() - start_).count();
  report_.pacing = pacing();
}

}  // namespace lockstep
