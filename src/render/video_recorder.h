#pragma once

#include <cstdint>
#include <optional>

#include "base/progress_line.h"
#include "render/camera_path.h"
#include "render/frame_output.h"
#include "render/renderer.h"
#include "simulation/runner.h"

namespace lockstep {

/// The times at which frames are drawn, from the start of a run.
struct FrameTimes {
  Duration first{0};
  double seconds_between = 1.0 / 30.0;  ///< of simulated time
  std::int64_t count = 1;
  bool is_open = false;  ///< whether there may be fewer
};

/// Draws frames of a simulation at regular simulated times while it runs. A frame between two steps is drawn at
/// the later one. It is a hook and not an observer, because the last frame may be due after the last step.
class VideoRecorder final : public StepHook {
 public:
  /// All arguments must outlive it.
  VideoRecorder(const Simulation& start, const FrameTimes& times, Renderer& renderer, CameraPath& camera_path,
                const SceneOptions& options, FrameOutput& output);

  Status begin(const Simulation& simulation) override { return show(simulation); }
  Status after_step(const Simulation& simulation) override { return show(simulation); }

  std::int64_t frames() const { return frames_; }
  void clear_progress() { line_.clear(); }

 private:
  Status show(const Simulation& simulation);  ///< draws the frames that are due
  Duration time_of(std::int64_t frame) const;
  void show_progress();

  Duration start_;
  FrameTimes times_;
  Renderer& renderer_;
  CameraPath& camera_path_;
  SceneOptions options_;
  FrameOutput& output_;
  Image image_;
  std::optional<std::int64_t> drawn_step_;  // step that image_ shows
  std::int64_t frames_ = 0;                 // frames written
  ProgressLine line_;
};

}  // namespace lockstep
