#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "assemble/assemble.h"
#include "base/hash.h"
#include "base/interrupt_guard.h"
#include "cli/command.h"
#include "cli/recorded_scenario.h"
#include "cli/run_log.h"
#include "cli/time_option.h"
#include "physics/mujoco/render/mujoco_renderer.h"
#include "render/video_recorder.h"
#include "simulation/live_connections.h"
#include "simulation/replay.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

struct RenderCommand {
  std::string source;                    ///< scenario or recording
  bool is_recording = false;             ///< `source` is a recording
  std::vector<std::string> edits;        ///< --set edits of the scenario
  std::string output;                    ///< .mp4, .png or a folder
  std::optional<std::string> length;     ///< "10 s"; default: the scenario's duration
  std::optional<std::string> at;         ///< "2 s": one image at this time
  std::optional<double> rate_hz;         ///< frames per second; default 30
  std::optional<double> speed;           ///< simulated seconds per second of video; default 1
  std::optional<std::string> size;       ///< default 1280x720, or that of the sensor
  std::optional<std::string> sensor;     ///< camera of the scenario whose images are written
  std::vector<std::string> camera;       ///< "azimuth=30deg distance=2m"
  std::vector<std::string> shown;        ///< in addition to the visual shapes
  std::vector<std::string> controllers;  ///< commands to start for the connections
};

/// The parsed options that do not depend on the scenario.
struct RenderSettings {
  FrameFormat format;
  double seconds_between = 0.0;  ///< of simulated time, between frames
  SceneOptions scene;
};

void check_video_size(const std::string& output, const Place& place, const FrameFormat& format) {
  if (find_output_kind(output) != OutputKind::kVideo) return;
  if (format.width % 2 == 0 && format.height % 2 == 0) return;
  throw_user_error(place, "'{}x{}' is odd; the width and height of a video are even", format.width,
                   format.height);
}

FrameFormat read_format(const RenderCommand& command) {
  FrameFormat format;
  const Place place{"--size", 0, 0};
  const std::string size = command.size.value_or("1280x720");
  const std::size_t cross = size.find('x');
  const auto read = [&](std::string_view text, int max) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= kMinImageSize && value <= max)
      return value;
    throw_user_error(place, "'{}' is out of range; expected WIDTHxHEIGHT from {}x{} to {}x{}", size,
                     kMinImageSize, kMinImageSize, kMaxImageWidth, kMaxImageHeight);
  };
  const std::string_view text = size;
  format.width = read(text.substr(0, cross), kMaxImageWidth);
  format.height = read(cross == std::string::npos ? "" : text.substr(cross + 1), kMaxImageHeight);
  check_video_size(command.output, place, format);
  format.rate_hz = command.rate_hz.value_or(format.rate_hz);
  if (!(format.rate_hz >= 1.0 && format.rate_hz <= 240.0)) {
    throw_user_error({"--fps", 0, 0}, "{} is out of range; expected 1 to 240 frames per second",
                     format.rate_hz);
  }
  return format;
}

SceneOptions read_scene(const std::vector<std::string>& shown) {
  SceneOptions scene;
  for (const std::string& word : shown) {
    if (word == "collision") {
      scene.shapes = ShownShapes::kCollision;
    } else if (word == "joints") {
      scene.joint_axes = true;
    } else if (word == "frames") {
      scene.frames = true;
    } else if (word == "masses") {
      scene.centers_of_mass = true;
    } else {
      const std::vector<std::string> words = {"collision", "joints", "frames", "masses"};
      throw_user_error({"--show", 0, 0}, "unknown '{}'{}", word, suggest(word, words));
    }
  }
  return scene;
}

RenderSettings read_settings(const RenderCommand& command) {
  const bool is_image = find_output_kind(command.output) == OutputKind::kImage;
  if (is_image != command.at.has_value()) {
    throw_user_error(
        {"--output", 0, 0}, "{}",
        is_image ? "an image needs a time; add --at TIME" : "--at makes one image; expected a '.png' file");
  }
  if (is_image && (command.length || command.rate_hz || command.speed)) {
    throw_user_error({"--for, --fps, --speed", 0, 0}, "do not apply to a single image");
  }
  if (command.sensor && (command.size || !command.camera.empty() || !command.shown.empty())) {
    throw_user_error({"--size, --camera, --show", 0, 0},
                     "do not apply to --sensor, which has a view of its own");
  }
  RenderSettings settings{.format = read_format(command), .scene = read_scene(command.shown)};
  const double speed = command.speed.value_or(1.0);
  if (!(speed >= 1e-6 && speed <= 1e6)) {
    throw_user_error({"--speed", 0, 0}, "{} is out of range; expected a factor from 1e-6 to 1e6", speed);
  }
  settings.seconds_between = speed / settings.format.rate_hz;
  return settings;
}

struct Shooting {
  FrameTimes times;
  std::int64_t steps = 0;
};

/// The steps to draw; `steps` is the default length.
Shooting plan_shooting(const RenderCommand& command, const RenderSettings& settings,
                       const Simulation& simulation, std::int64_t steps) {
  Shooting shooting{.times = {.seconds_between = settings.seconds_between}, .steps = steps};
  if (command.at) {
    shooting.steps = parse_steps("--at", *command.at, simulation);
    shooting.times.first = shooting.steps * simulation.step_size();
    return shooting;
  }
  if (command.length) shooting.steps = parse_steps("--for", *command.length, simulation);
  // A video of 2 s at 30 frames/s has 60 frames, the last one 1/30 s before the end.
  const double length = to_seconds(simulation.step_size()) * static_cast<double>(shooting.steps);
  const double frames = std::max(1.0, std::floor(length / settings.seconds_between + 1e-6));
  if (frames > static_cast<double>(kMaxFrames)) {
    throw_user_error({"--for, --fps, --speed", 0, 0}, "make {:.0f} frames; at most {} are allowed", frames,
                     kMaxFrames);
  }
  shooting.times.count = static_cast<std::int64_t>(frames);
  return shooting;
}

/// Hands out the images of a camera sensor as they are.
class SensorImages final : public Renderer {
 public:
  SensorImages(const Simulation& simulation, std::string sensor)
      : simulation_(simulation), sensor_(std::move(sensor)) {}

  /// Its size in pixels, by its signals. Throws UserError if it is not a camera.
  std::pair<int, int> size() const {
    std::vector<std::string> cameras;
    for (const SignalInfo& signal : simulation_.signals().all()) {
      constexpr std::string_view kFrame = "/frame";
      if (!signal.name.ends_with(kFrame)) continue;
      const std::string name = signal.name.substr(0, signal.name.size() - kFrame.size());
      const auto width = initial(name + "/width"), height = initial(name + "/height");
      if (!width || !height) continue;
      if (name == sensor_) return {static_cast<int>(*width), static_cast<int>(*height)};
      cameras.push_back(name);
    }
    throw_user_error({"--sensor", 0, 0}, "unknown camera '{}'{}", sensor_, suggest(sensor_, cameras));
  }

  void draw(const World&, const OrbitCamera&, const SceneOptions&, Image& image) override {
    for (const auto& [name, seen] : simulation_.images()) {
      if (name != sensor_) continue;
      image.width = seen.width;
      image.height = seen.height;
      image.rgb.assign(seen.rgb.begin(), seen.rgb.end());
      return;
    }
    // Nothing was taken yet: black, as before the shutter opens.
    std::tie(image.width, image.height) = size();
    image.rgb.assign(3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), 0);
  }

 private:
  std::optional<double> initial(const std::string& signal) const {
    const auto slot = simulation_.signals().find(signal);
    if (!slot) return std::nullopt;
    return simulation_.signals().initial()[static_cast<std::size_t>(*slot)];
  }

  const Simulation& simulation_;
  std::string sensor_;
};

/// Renderer, camera, output, and the run that they show.
class Studio {
 public:
  Studio(const RenderCommand& command, const RenderSettings& settings, const Simulation& simulation,
         FrameTimes times)
      : command_(command), settings_(settings), simulation_(simulation) {
    FrameFormat& format = settings_.format;
    if (command.sensor) {
      auto images = std::make_unique<SensorImages>(simulation, *command.sensor);
      std::tie(format.width, format.height) = images->size();
      check_video_size(command.output, {"--sensor", 0, 0}, format);
      renderer_ = std::move(images);
      // The first image is taken in the first step.
      times.first = std::max(times.first, simulation.step_size());
    } else {
      Result<std::unique_ptr<Renderer>> made =
          make_mujoco_renderer(simulation.world(), format.width, format.height);
      if (!made) throw MachineError(made.error());
      renderer_ = *std::move(made);
    }
    camera_path_.emplace(simulation.world(), read_camera_options(command.camera, simulation.model()),
                         static_cast<double>(format.width) / format.height);
    output_ = open_output(command.output, format);
    recorder_.emplace(simulation, times, *renderer_, *camera_path_, settings_.scene, *output_);
  }

  VideoRecorder& recorder() { return *recorder_; }

  int finish(Status status) {
    recorder_->clear_progress();
    const bool as_planned = status.ok() || status.outcome == Outcome::kStopped;
    if (as_planned && recorder_->frames() == 0) {
      status = {Outcome::kOutputFailed, simulation_.now().step, "", "the run ended before the first image"};
    } else if (as_planned) {
      const Result<void> finished = output_->finish();
      if (finished) return report();
      status = {Outcome::kOutputFailed, simulation_.now().step, "", finished.error()};
    }
    fmt::print(stderr, "{}: error: {}\n", simulation_.model().name, to_string(status));
    return kExitOutcome;
  }

 private:
  int report() const {
    fmt::print("{}: {} of {}x{}, at {:.6g} s of simulated time\n", command_.output,
               recorder_->frames() == 1 ? "1 image" : fmt::format("{} frames", recorder_->frames()),
               settings_.format.width, settings_.format.height, simulation_.now().seconds);
    fmt::print("hash: {}\n", to_hex(simulation_.hash()));
    return kExitDone;
  }

  const RenderCommand& command_;
  RenderSettings settings_;
  const Simulation& simulation_;
  std::unique_ptr<Renderer> renderer_;
  std::optional<CameraPath> camera_path_;
  std::unique_ptr<FrameOutput> output_;
  std::optional<VideoRecorder> recorder_;
};

/// Renders a replay from the start of the recording up to a step.
class ReplayShooting final : public StepHook {
 public:
  ReplayShooting(const RenderCommand& command, const RenderSettings& settings, const Shooting& shooting)
      : command_(command), settings_(settings), shooting_(shooting) {}

  Status begin(const Simulation& simulation) override {
    studio_.emplace(command_, settings_, simulation, shooting_.times);
    last_ = simulation.now().step + shooting_.steps;
    return end_if_done(studio_->recorder().begin(simulation), simulation);
  }
  Status after_step(const Simulation& simulation) override {
    return end_if_done(studio_->recorder().after_step(simulation), simulation);
  }

  /// A failed run is rendered to its recorded end.
  int finish() { return studio_->finish(status_); }

 private:
  Status end_if_done(Status status, const Simulation& simulation) {
    const std::int64_t step = simulation.now().step;
    status_ = std::move(status);
    if (status_.ok() && step >= last_) status_ = {Outcome::kStopped, step, "", "reached the requested time"};
    return status_;
  }

  const RenderCommand& command_;
  const RenderSettings& settings_;
  Shooting shooting_;
  std::optional<Studio> studio_;
  std::int64_t last_ = 0;
  Status status_;
};

int render_recording(const RenderCommand& command, const RenderSettings& settings, const Registry& registry) {
  RecordingReader recording(command.source);
  if (!command.edits.empty() || !command.controllers.empty()) {
    throw_user_error({"--set, --controller", 0, 0},
                     "do not apply to --replay: a recorded run cannot be changed");
  }
  const Scenario scenario = read_recorded_scenario(recording, command.source);
  Diagnostics diagnostics;
  Simulation simulation =
      assemble(scenario, Assets(scenario, folder_of_recording(command.source)), registry, diagnostics);
  // The length of a recording is unknown until its end.
  constexpr double kEndless = 1e15;  // steps
  const double longest =
      static_cast<double>(kMaxFrames) * settings.seconds_between / to_seconds(simulation.step_size());
  Shooting shooting =
      plan_shooting(command, settings, simulation, static_cast<std::int64_t>(std::min(longest, kEndless)));
  shooting.times.is_open = true;
  ReplayShooting video(command, settings, shooting);
  const InterruptGuard guard;
  const ReplayReport replayed = replay(simulation, recording, &video);
  if (!replayed.same()) {
    fmt::print(stderr, "{}: error: the replay differs from the recording; run `lockstep replay` to see where\n",
               command.source);
    return kExitOutcome;
  }
  return video.finish();
}

int render_run(const RenderCommand& command, const RenderSettings& settings, const Registry& registry) {
  Diagnostics diagnostics;
  const LoadedScenario loaded = load_scenario(command.source, registry, command.edits, diagnostics);
  StartedControllers controllers(command.controllers);
  const ConnectionOptions connection_options{
      .live = true, .cancelled = [&] { return interrupted || controllers.are_lost(); }};
  Simulation simulation = assemble(loaded.scenario, loaded.assets, registry, diagnostics,
                                   {.output_folder = {}, .connections = connection_options});
  std::fputs(diagnostics.text().c_str(), stderr);
  const Shooting shooting =
      plan_shooting(command, settings, simulation, simulation.model().duration / simulation.step_size());
  Studio studio(command, settings, simulation, shooting.times);
  const InterruptGuard guard;
  LiveConnections connections(simulation, controllers);
  Runner runner(simulation);
  runner.add_hook(studio.recorder());
  Status status = runner.advance(shooting.steps).status;
  connections.close();
  status = controllers.explain(std::move(status));
  if (Status finished = simulation.finish(); status.ok()) status = finished;
  return studio.finish(std::move(status));
}

int render(const RenderCommand& command, const Registry& registry) {
  if (is_same_file(command.source, command.output)) {
    throw_user_error({"--output", 0, 0}, "'{}' is the input file; choose another name", command.output);
  }
  const RenderSettings settings = read_settings(command);
  try {
    return command.is_recording ? render_recording(command, settings, registry)
                                : render_run(command, settings, registry);
  } catch (const MachineError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kExitOutcome;
  }
}

}  // namespace

Command add_render_command(CLI::App& app) {
  auto options = std::make_shared<RenderCommand>();
  CLI::App* command = app.add_subcommand("render", "Make a video or images of a run");
  command->footer(
      "Examples:\n"
      R"(  lockstep render scenarios/chains/snake.xml --for 1s --size 320x240 -o snake.mp4)"
      "\n"
      R"(  lockstep render scenarios/arms/gripper.xml --at 1s --camera "azimuth=30deg elevation=20deg" -o gripper.png)");
  command->add_option("scenario", options->source, "Scenario file; a recording with --replay")->required();
  add_edit_option(command, options->edits);
  command->add_flag("--replay", options->is_recording, "The file is a recording, made by run --record");
  command->add_option("-o,--output", options->output, "Video, image, or folder for the images of a video")
      ->required()
      ->type_name("FILE.mp4|FILE.png|FOLDER");
  command->add_option("--for", options->length, "Simulated time to render, such as 10s")->type_name("TIME");
  command->add_option("--at", options->at, "One image at this time, such as 2s")->type_name("TIME");
  command->add_option("--fps", options->rate_hz, "Frames per second of video; default 30")->type_name("NUMBER");
  command->add_option("--speed", options->speed, "Simulated seconds per second of video; 0.1 is slow motion")
      ->type_name("FACTOR");
  command->add_option("--size", options->size, "Pixels; default 1280x720")->type_name("WIDTHxHEIGHT");
  command
      ->add_option("--sensor", options->sensor,
                   "Show what this camera of the scenario sees, such as robot/camera")
      ->type_name("NAME");
  command
      ->add_option("--camera", options->camera,
                   "Camera: 'follow=BODY' or 'target=X,Y,Z', 'distance=2m', 'azimuth=30deg', "
                   "'elevation=20deg'; defaults show the whole scene")
      ->type_name("SETTINGS")
      ->allow_extra_args(false);
  command
      ->add_option("--show", options->shown,
                   "Also draw: joints, frames, masses; collision: collision shapes instead of visual ones")
      ->type_name("WHAT")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_controller_option(command, options->controllers);
  return {command, [options](const Registry& registry) { return render(*options, registry); }, &options->edits};
}

}  // namespace lockstep
