#include "simulation/runner.h"

#include <algorithm>
#include <chrono>

#include "simulation/pacing.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

/// Steps between two looks at the clock and the controls when running flat out.
constexpr std::int64_t kBatch = 64;
constexpr Duration kProgressPeriod = std::chrono::milliseconds(200);

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
      : simulation_(simulation), options_(options), control_(control), pacer_(1.0, simulation.now().time) {
    const std::scoped_lock lock(control_.mutex_);
    if (options.speed) control_.speed_ = options.speed;
    speed_ = control_.speed_;
    if (speed_) pacer_.rebase(*speed_, simulation.now().time);
    seen_version_ = control_.version_;
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
      if (speed_) {
        batch = 1;
        pacer_.wait_until(simulation_.now().time);
      }
      if (options_.after_step) batch = 1;
      report_.status = simulation_.run(batch);
      if (options_.after_step && report_.status.ok()) options_.after_step(simulation_);
      report_progress(first);
      if (!report_.status.ok()) break;
    }
    fill_report(first);
    return report_;
  }

 private:
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
      speed_ = control_.speed_;
      // Paused time stands still, and a new speed counts from now on.
      if (speed_) pacer_.rebase(*speed_, simulation_.now().time);
    }
    return true;
  }

  void report_progress(std::int64_t first) {
    if (!options_.on_progress) return;
    const Clock::time_point now = Clock::now();
    if (now - last_progress_ < kProgressPeriod) return;
    last_progress_ = now;
    fill_report(first);
    options_.on_progress(report_);
  }

  void fill_report(std::int64_t first) {
    report_.steps = simulation_.now().step - first;
    report_.simulated = simulation_.step_size() * report_.steps;
    report_.wall_seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    report_.overruns = pacer_.overruns();
    report_.worst_lateness = pacer_.worst_lateness();
  }

  Simulation& simulation_;
  const RunOptions& options_;
  RunControl& control_;
  Clock::time_point start_ =
      Clock::now();  // before the pacer's, so that no run seems shorter than its deadlines
  Clock::time_point last_progress_ = start_;
  Pacer pacer_;
  std::optional<double> speed_;
  std::uint64_t seen_version_ = 0;
  RunReport report_;
};

RunReport run(Simulation& simulation, const RunOptions& options, RunControl& control) {
  return Runner(simulation, options, control).run();
}

}  // namespace lockstep
