#include "render/filmer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "base/interrupt_guard.h"

namespace lockstep {
namespace {

constexpr auto kProgressPeriod = std::chrono::milliseconds(200);

}  // namespace

Filmer::Filmer(const Simulation& start, const FrameTimes& times, Renderer& renderer, Cameraman& cameraman,
               const SceneOptions& options, FrameOutput& output)
    : start_(start.now().time),
      times_(times),
      renderer_(renderer),
      cameraman_(cameraman),
      options_(options),
      output_(output),
      on_terminal_(isatty(STDERR_FILENO) == 1) {}

Duration Filmer::time_of(std::int64_t frame) const {
  return start_ + times_.first +
         Duration(std::llround(1e9 * times_.seconds_between * static_cast<double>(frame)));
}

Status Filmer::show(const Simulation& simulation) {
  const std::int64_t step = simulation.now().step;
  for (; frames_ < times_.count && simulation.now().time >= time_of(frames_); ++frames_) {
    if (drawn_step_ != step) {
      renderer_.draw(simulation.world(), cameraman_.look(simulation.world()), options_, picture_);
      drawn_step_ = step;
    }
    std::string error = output_.write(picture_);
    if (interrupted) break;
    if (!error.empty()) return {Outcome::kOutputFailed, step, "", std::move(error)};
    show_progress();
  }
  if (interrupted) return {Outcome::kInterrupted, step, "", "the run was told to quit"};
  return {};
}

void Filmer::show_progress() {
  const Clock::time_point now = Clock::now();
  if (!on_terminal_ || now - last_line_ < kProgressPeriod) return;
  last_line_ = now;
  const auto done = static_cast<double>(frames_ + 1), all = static_cast<double>(times_.count);
  const double rate = done / std::chrono::duration<double>(now - begin_).count();
  has_line_ = true;
  if (times_.is_open) {
    fmt::print(stderr, "\rframe {}  {:.1f} frames/s   ", frames_ + 1, rate);
    return;
  }
  fmt::print(stderr, "\r{:5.1f} %  frame {} of {}  {:.1f} frames/s  {:.0f} s left   ", 100.0 * done / all,
             frames_ + 1, times_.count, rate, (all - done) / rate);
}

void Filmer::clear_progress() {
  if (has_line_) fmt::print(stderr, "\r{:79}\r", "");
}

}  // namespace lockstep
