#pragma once

#include <cstdint>
#include <optional>

#include "base/progress_line.h"
#include "render/camera_path.h"
#include "render/frame_output.h"
#include "render/renderer.h"
#include "simulation/runner.h"

namespace lockstep {

/// The moments that are drawn, from where a run starts.
struct FrameTimes {
  Duration first{0};
  double seconds_between = 1.0 / 30.0;  ///< of simulated time
  std::int64_t count = 1;
  bool is_open = false;  ///< there may be fewer
};

/// Draws a simulation at regular moments of its time while it runs. A moment between two steps is drawn at the
/// later one. It is a hook and not an observer, because the last moment may be the one after the last step.
class VideoRecorder final : public StepHook {
 public:
  /// All of them must outlive it.
  VideoRecorder(const Simulation& start, const FrameTimes& times, Renderer& renderer, CameraPath& camera_path,
                const SceneOptions& options, FrameOutput& output);

  Status begin(const Simulation& simulation) override { return show(simulation); }
  Status after_step(const Simulation& simulation) override { return show(simulation); }

  std::int64_t frames() const { return frames_; }
  void clear_progress() { line_.clear(); }

 private:
  Status show(const Simulation& simulation);  ///< draws what is due
  Duration time_of(std::int64_t frame) const;
  void show_progress();

  Duration start_;
  FrameTimes times_;
  Renderer& renderer_;
  CameraPath& camera_path_;
  SceneOptions options_;
  FrameOutput& output_;
  Image image_;
  std::optional<std::int64_t> drawn_step_;  // that image_ shows
  std::int64_t frames_ = 0;                 // written
  ProgressLine line_;
};

}  // namespace lockstep
