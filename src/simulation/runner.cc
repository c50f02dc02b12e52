#include "simulation/runner.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace lockstep {
namespace {

/// Steps between two looks at the clock and the controls when running flat out.
constexpr std::int64_t kBatch = 64;
constexpr Duration kProgressPeriod = std::chrono::milliseconds(200);

/// Name and unit, in the order of write_timing().
constexpr std::array<std::pair<const char*, const char*>, 4> kTimingSignals = {{
    {"timing/lateness", "s"},
    {"timing/worst_lateness", "s"},
    {"timing/overruns", ""},
    {"timing/missed_cycles", ""},
}};

}  // namespace

void RunControl::pause() {
  const std::scoped_lock lock(mutex_);
  paused_ = true;
  steps_allowed_ = 0;
  ++version_;
}

void RunControl::resume() {
  const std::scoped_lock lock(mutex_);
  paused_ = false;
  ++version_;
  changed_.notify_all();
}

void RunControl::step(std::int64_t count) {
  const std::scoped_lock lock(mutex_);
  steps_allowed_ += std::max<std::int64_t>(count, 0);
  ++version_;
  changed_.notify_all();
}

void RunControl::set_speed(std::optional<double> speed) {
  LOCKSTEP_CHECK(!speed || *speed > 0.0);
  const std::scoped_lock lock(mutex_);
  speed_ = speed;
  ++version_;
  changed_.notify_all();
}

void RunControl::quit() {
  const std::scoped_lock lock(mutex_);
  quit_ = true;
  ++version_;
  changed_.notify_all();
}

/// One run: the loop around Simulation::run() that waits, reports and obeys.
class Runner {
 public:
  Runner(Simulation& simulation, const RunOptions& options, RunControl& control)
      : simulation_(simulation),
        options_(options),
        control_(control),
        clock_(options.clock ? options.clock : &steady_clock_),
        start_(clock_->now()),
        last_progress_(start_) {
    const std::scoped_lock lock(control_.mutex_);
    if (options.pacing) control_.speed_ = options.pacing->speed;
    for (std::size_t i = 0; i < timing_.size(); ++i)
      timing_[i] = simulation.find_timing_signal(kTimingSignals[i].first);
    seen_version_ = control_.version_;
    follow_speed();
  }

  RunReport run() {
    const std::int64_t first = simulation_.now().step;
    const std::int64_t last = first + options_.steps;
    while (simulation_.now().step < last) {
      std::int64_t batch = std::min(kBatch, last - simulation_.now().step);
      if (!obey_controls(batch)) {
        report_.status = {Outcome::kInterrupted, simulation_.now().step, "", "the run was told to quit"};
        break;
      }
      if (is_paced_) {
        batch = 1;
        wait();
        if (pacer_->has_too_many_overruns()) {
          report_.status = {Outcome::kTooSlow, simulation_.now().step, "",
                            fmt::format("there are more than {} overruns", *options_.pacing->max_overruns)};
          break;
        }
      }
      if (options_.after_step) batch = 1;
      report_.status = simulation_.run(batch);
      if (options_.after_step && (report_.status.ok() || report_.status.outcome == Outcome::kStopped)) {
        if (Status status = options_.after_step(simulation_); !status.ok()) report_.status = std::move(status);
      }
      report_progress(first);
      if (!report_.status.ok()) break;
    }
    fill_report(first);
    return report_;
  }

 private:
  void wait() {
    const Duration now = simulation_.now().time;
    if (simulation_.has_paused_for_links()) {
      pacer_->rebase(speed_, now);
    } else {
      pacer_->wait_until(now, simulation_.waited_for_links());
    }
    write_timing();
  }

  void write_timing() {
    const PacingStatistics& statistics = pacer_->statistics();
    const std::array<double, kTimingSignals.size()> values = {
        to_seconds(statistics.lateness), to_seconds(statistics.worst_lateness),
        static_cast<double>(statistics.overruns), static_cast<double>(statistics.missed_cycles)};
    for (std::size_t i = 0; i < timing_.size(); ++i) {
      if (timing_[i]) simulation_.set_timing(*timing_[i], values[i]);
    }
  }

  /// Waits while paused; false when the run is to end. May shorten the batch.
  bool obey_controls(std::int64_t& batch) {
    std::unique_lock lock(control_.mutex_);
    const bool waited = control_.paused_ && control_.steps_allowed_ == 0 && !control_.quit_;
    control_.changed_.wait(lock,
                           [&] { return !control_.paused_ || control_.steps_allowed_ > 0 || control_.quit_; });
    if (control_.quit_) return false;
    if (control_.paused_) {
      batch = std::min(batch, control_.steps_allowed_);
      if (control_.speed_ || options_.after_step) batch = 1;
      control_.steps_allowed_ -= batch;
    }
    if (waited || control_.version_ != seen_version_) {
      seen_version_ = control_.version_;
      follow_speed();
    }
    return true;
  }

  /// Paused time stands still, and a new speed counts from now on.
  void follow_speed() {
    is_paced_ = control_.speed_.has_value();
    for (const auto& link : simulation_.links()) link.part->set_pace(control_.speed_);
    if (!is_paced_) return;
    speed_ = *control_.speed_;
    const Duration simulated = simulation_.now().time;
    if (pacer_) {
      pacer_->rebase(speed_, simulated);
    } else {
      PacingOptions pacing = options_.pacing.value_or(PacingOptions{});
      pacing.speed = speed_;
      pacer_.emplace(pacing, simulation_.step_size(), simulated, *clock_);
    }
  }

  void report_progress(std::int64_t first) {
    if (!options_.on_progress) return;
    const WallClock::Time now = clock_->now();
    if (now - last_progress_ < kProgressPeriod) return;
    last_progress_ = now;
    fill_report(first);
    options_.on_progress(report_);
  }

  void fill_report(std::int64_t first) {
    report_.steps = simulation_.now().step - first;
    report_.simulated = simulation_.step_size() * report_.steps;
    report_.wall_seconds = std::chrono::duration<double>(clock_->now() - start_).count();
    if (pacer_) report_.pacing = pacer_->statistics();
  }

  Simulation& simulation_;
  const RunOptions& options_;
  RunControl& control_;
  SteadyClock steady_clock_;
  WallClock* clock_;
  WallClock::Time start_;  // before the pacer's, so that no run seems shorter than its deadlines
  WallClock::Time last_progress_;
  bool is_paced_ = false;
  double speed_ = 1.0;  // while it is paced
  std::optional<Pacer> pacer_;
  std::array<std::optional<Slot>, kTimingSignals.size()> timing_;  // as far as they were added
  std::uint64_t seen_version_ = 0;
  RunReport report_;
};

void add_timing_signals(Simulation& simulation) {
  for (const auto& [name, unit] : kTimingSignals) simulation.add_timing_signal(name, unit);
}

RunReport run(Simulation& simulation, const RunOptions& options, RunControl& control) {
  return Runner(simulation, options, control).run();
}

}  // namespace lockstep
