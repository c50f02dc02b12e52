#include "render/video_recorder.h"

#include <fmt/format.h>

#include <cmath>

#include "base/interrupt_guard.h"

namespace lockstep {

VideoRecorder::VideoRecorder(const Simulation& start, const FrameTimes& times, Renderer& renderer,
                             CameraPath& camera_path, const SceneOptions& options, FrameOutput& output)
    : start_(start.now().time),
      times_(times),
      renderer_(renderer),
      camera_path_(camera_path),
      options_(options),
      output_(output) {}

Duration VideoRecorder::time_of(std::int64_t frame) const {
  return start_ + times_.first +
         Duration(std::llround(1e9 * times_.seconds_between * static_cast<double>(frame)));
}

Status VideoRecorder::show(const Simulation& simulation) {
  const std::int64_t step = simulation.now().step;
  for (; frames_ < times_.count && simulation.now().time >= time_of(frames_); ++frames_) {
    if (drawn_step_ != step) {
      renderer_.draw(simulation.world(), camera_path_.look(simulation.world()), options_, image_);
      drawn_step_ = step;
    }
    const Result<void> written = output_.write(image_);
    if (interrupted) break;
    if (!written) return {Outcome::kOutputFailed, step, "", written.error()};
    show_progress();
  }
  if (interrupted) return {Outcome::kInterrupted, step, "", "the run was interrupted"};
  return {};
}

void VideoRecorder::show_progress() {
  if (!line_.is_due()) return;
  const auto done = static_cast<double>(frames_ + 1), all = static_cast<double>(times_.count);
  const double rate = done / line_.seconds();
  if (times_.is_open) {
    line_.show(fmt::format("frame {}  {:.1f} frames/s", frames_ + 1, rate));
  } else {
    line_.show(fmt::format("{:5.1f} %  frame {} of {}  {:.1f} frames/s  {:.0f} s left", 100.0 * done / all,
                           frames_ + 1, times_.count, rate, (all - done) / rate));
  }
}

}  // namespace lockstep
