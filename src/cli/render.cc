#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "assemble/assemble.h"
#include "base/hash.h"
#include "base/interrupt_guard.h"
#include "cli/command.h"
#include "cli/recorded_scenario.h"
#include "cli/run_log.h"
#include "cli/time_option.h"
#include "physics/mujoco/render/mujoco_renderer.h"
#include "render/filmer.h"
#include "simulation/live_links.h"
#include "simulation/replay.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

struct RenderCommand {
  std::string source;                 ///< scenario or recording
  bool is_recording = false;          ///< `source` is one
  std::vector<std::string> edits;     ///< of the scenario
  std::string output;                 ///< .mp4, .png or a folder
  std::optional<std::string> length;  ///< "10 s"; the scenario's duration if left out
  std::optional<std::string> at;      ///< "2 s": one picture of this moment
  std::optional<double> rate_hz;      ///< frames per second; 30 if left out
  std::optional<double> speed;        ///< simulated seconds per second of film; 1 if left out
  std::string size = "1280x720";
  std::vector<std::string> camera;       ///< "azimuth=30deg distance=2m"
  std::vector<std::string> shown;        ///< beside the visible shapes
  std::vector<std::string> controllers;  ///< commands to start for the links
};

/// What the options ask for, as far as it can be told without the scenario.
struct RenderPlan {
  FrameFormat format;
  double seconds_between = 0.0;  ///< of simulated time, between frames
  SceneOptions scene;
};

FrameFormat read_format(const RenderCommand& command) {
  FrameFormat format;
  const Place place{"--size", 0, 0};
  const std::size_t cross = command.size.find('x');
  const auto read = [&](std::string_view text, int max) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= kMinPictureSize && value <= max)
      return value;
    throw_user_error(place, "'{}' is out of range; expected WIDTHxHEIGHT from {}x{} to {}x{}", command.size,
                     kMinPictureSize, kMinPictureSize, kMaxPictureWidth, kMaxPictureHeight);
  };
  const std::string_view text = command.size;
  format.width = read(text.substr(0, cross), kMaxPictureWidth);
  format.height = read(cross == std::string::npos ? "" : text.substr(cross + 1), kMaxPictureHeight);
  if (find_output_kind(command.output) == OutputKind::kFilm &&
      (format.width % 2 != 0 || format.height % 2 != 0)) {
    throw_user_error(place, "'{}' is odd; the width and height of a film are even", command.size);
  }
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

RenderPlan read_plan(const RenderCommand& command) {
  const bool is_picture = find_output_kind(command.output) == OutputKind::kPicture;
  if (is_picture != command.at.has_value()) {
    throw_user_error({"--output", 0, 0}, "{}",
                     is_picture ? "a picture needs a moment; expected --at TIME as well"
                                : "--at makes one picture; expected a file that ends with '.png'");
  }
  if (is_picture && (command.length || command.rate_hz || command.speed)) {
    throw_user_error({"--for, --fps, --speed", 0, 0}, "have no meaning for one picture");
  }
  RenderPlan plan{.format = read_format(command), .scene = read_scene(command.shown)};
  const double speed = command.speed.value_or(1.0);
  if (!(speed >= 1e-6 && speed <= 1e6)) {
    throw_user_error({"--speed", 0, 0}, "{} is out of range; expected a factor from 1e-6 to 1e6", speed);
  }
  plan.seconds_between = speed / plan.format.rate_hz;
  return plan;
}

struct Shooting {
  FrameTimes times;
  std::int64_t steps = 0;
};

/// When to draw; `steps` is the length if the command does not say.
Shooting plan_shooting(const RenderCommand& command, const RenderPlan& plan, const Simulation& simulation,
                       std::int64_t steps) {
  Shooting shooting{.times = {.seconds_between = plan.seconds_between}, .steps = steps};
  if (command.at) {
    shooting.steps = parse_steps("--at", *command.at, simulation);
    shooting.times.first = shooting.steps * simulation.step_size();
    return shooting;
  }
  if (command.length) shooting.steps = parse_steps("--for", *command.length, simulation);
  // A film of 2 s at 30 frames/s has 60 frames, the last one 1/30 s before the end.
  const double length = to_seconds(simulation.step_size()) * static_cast<double>(shooting.steps);
  const double frames = std::max(1.0, std::floor(length / plan.seconds_between + 1e-6));
  if (frames > static_cast<double>(kMaxFrames)) {
    throw_user_error({"--for, --fps, --speed", 0, 0}, "make {:.0f} frames; at most {} are allowed", frames,
                     kMaxFrames);
  }
  shooting.times.count = static_cast<std::int64_t>(frames);
  return shooting;
}

/// Renderer, camera, output, and the run that they look at.
class Studio {
 public:
  Studio(const RenderCommand& command, const RenderPlan& plan, const Simulation& simulation,
         const FrameTimes& times)
      : command_(command), plan_(plan), simulation_(simulation) {
    const CameraPlan camera = read_camera_plan(command.camera, simulation.model());
    Result<std::unique_ptr<Renderer>> made =
        make_mujoco_renderer(simulation.world(), plan.format.width, plan.format.height);
    if (!made) throw MachineError(made.error());
    renderer_ = *std::move(made);
    cameraman_.emplace(simulation.world(), camera, static_cast<double>(plan.format.width) / plan.format.height);
    output_ = open_output(command.output, plan.format);
    filmer_.emplace(simulation, times, *renderer_, *cameraman_, plan.scene, *output_);
  }

  Filmer& filmer() { return *filmer_; }

  int finish(Status status) {
    filmer_->clear_progress();
    const bool as_planned = status.ok() || status.outcome == Outcome::kStopped;
    if (as_planned && filmer_->frames() == 0) {
      status = {Outcome::kOutputFailed, simulation_.now().step, "", "the run ended before the first picture"};
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
               filmer_->frames() == 1 ? "1 picture" : fmt::format("{} frames", filmer_->frames()),
               plan_.format.width, plan_.format.height, simulation_.now().seconds);
    fmt::print("hash: {}\n", to_hex(simulation_.hash()));
    return kExitDone;
  }

  const RenderCommand& command_;
  const RenderPlan& plan_;
  const Simulation& simulation_;
  std::unique_ptr<Renderer> renderer_;
  std::optional<Cameraman> cameraman_;
  std::unique_ptr<FrameOutput> output_;
  std::optional<Filmer> filmer_;
};

/// Films a replay up to a step, from where the recording starts.
class ReplayShooting final : public StepHook {
 public:
  ReplayShooting(const RenderCommand& command, const RenderPlan& plan, const Shooting& shooting)
      : command_(command), plan_(plan), shooting_(shooting) {}

  Status begin(const Simulation& simulation) override {
    studio_.emplace(command_, plan_, simulation, shooting_.times);
    last_ = simulation.now().step + shooting_.steps;
    return end_if_done(studio_->filmer().begin(simulation), simulation);
  }
  Status after_step(const Simulation& simulation) override {
    return end_if_done(studio_->filmer().after_step(simulation), simulation);
  }

  /// A run that failed then is filmed to its end all the same.
  int finish() { return studio_->finish(status_); }

 private:
  Status end_if_done(Status status, const Simulation& simulation) {
    const std::int64_t step = simulation.now().step;
    status_ = std::move(status);
    if (status_.ok() && step >= last_) status_ = {Outcome::kStopped, step, "", "as far as asked"};
    return status_;
  }

  const RenderCommand& command_;
  const RenderPlan& plan_;
  Shooting shooting_;
  std::optional<Studio> studio_;
  std::int64_t last_ = 0;
  Status status_;
};

int render_recording(const RenderCommand& command, const RenderPlan& plan, const Registry& registry) {
  RecordingReader recording(command.source);
  if (!command.edits.empty() || !command.controllers.empty()) {
    throw_user_error({"--set, --controller", 0, 0}, "have no meaning with --replay: the run is what it was");
  }
  const Scenario scenario = read_recorded_scenario(recording, command.source);
  Diagnostics diagnostics;
  Simulation simulation =
      assemble(scenario, Assets(scenario, folder_of_recording(command.source)), registry, diagnostics);
  // How long a recording is shows when it ends.
  constexpr double kEndless = 1e15;  // steps
  const double longest =
      static_cast<double>(kMaxFrames) * plan.seconds_between / to_seconds(simulation.step_size());
  Shooting shooting =
      plan_shooting(command, plan, simulation, static_cast<std::int64_t>(std::min(longest, kEndless)));
  shooting.times.is_open = true;
  ReplayShooting film(command, plan, shooting);
  const InterruptGuard guard;
  const ReplayReport replayed = replay(simulation, recording, &film);
  if (!replayed.same()) {
    fmt::print(stderr, "{}: error: the replay differs from the recording; run `lockstep replay` to see where\n",
               command.source);
    return kExitOutcome;
  }
  return film.finish();
}

int render_run(const RenderCommand& command, const RenderPlan& plan, const Registry& registry) {
  Diagnostics diagnostics;
  const LoadedScenario loaded = load_scenario(command.source, registry, command.edits, diagnostics);
  StartedControllers controllers(command.controllers);
  const LinkOptions link_options{.live = true,
                                 .cancelled = [&] { return interrupted || controllers.are_lost(); }};
  Simulation simulation = assemble(loaded.scenario, loaded.assets, registry, diagnostics,
                                   {.output_folder = {}, .links = link_options});
  std::fputs(diagnostics.text().c_str(), stderr);
  const Shooting shooting =
      plan_shooting(command, plan, simulation, simulation.model().duration / simulation.step_size());
  Studio studio(command, plan, simulation, shooting.times);
  const InterruptGuard guard;
  LiveLinks links(simulation, controllers);
  Runner runner(simulation);
  runner.add_hook(studio.filmer());
  Status status = runner.advance(shooting.steps).status;
  links.close();
  status = controllers.explain(std::move(status));
  if (Status finished = simulation.finish(); status.ok()) status = finished;
  return studio.finish(std::move(status));
}

int render(const RenderCommand& command, const Registry& registry) {
  if (is_same_file(command.source, command.output)) {
    throw_user_error({"--output", 0, 0}, "'{}' is what is to be rendered", command.output);
  }
  const RenderPlan plan = read_plan(command);
  try {
    return command.is_recording ? render_recording(command, plan, registry)
                                : render_run(command, plan, registry);
  } catch (const MachineError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kExitOutcome;
  }
}

}  // namespace

Command add_render_command(CLI::App& app) {
  auto options = std::make_shared<RenderCommand>();
  CLI::App* command = app.add_subcommand("render", "Make a film or pictures of a run");
  command->add_option("scenario", options->source, "Scenario file; a recording with --replay")->required();
  add_edit_option(command, options->edits);
  command->add_flag("--replay", options->is_recording, "The file is a recording, made by run --record");
  command->add_option("-o,--output", options->output, "Film, picture, or folder for the pictures of a film")
      ->required()
      ->type_name("FILE.mp4|FILE.png|FOLDER");
  command->add_option("--for", options->length, "Length of simulated time, such as 10s")->type_name("TIME");
  command->add_option("--at", options->at, "One picture of this moment, such as 2s")->type_name("TIME");
  command->add_option("--fps", options->rate_hz, "Frames per second of film; 30 if left out")
      ->type_name("NUMBER");
  command->add_option("--speed", options->speed, "Simulated seconds per second of film; 0.1 is slow motion")
      ->type_name("FACTOR");
  command->add_option("--size", options->size, "Pixels")->capture_default_str()->type_name("WIDTHxHEIGHT");
  command
      ->add_option("--camera", options->camera,
                   "Where to look from: 'follow=BODY' or 'target=X,Y,Z', 'distance=2m', 'azimuth=30deg', "
                   "'elevation=20deg'; what is left out is chosen to show everything")
      ->type_name("SETTINGS")
      ->allow_extra_args(false);
  command
      ->add_option("--show", options->shown, "collision shapes instead of visible ones, joints, frames, masses")
      ->type_name("WHAT")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_controller_option(command, options->controllers);
  return {command, [options](const Registry& registry) { return render(*options, registry); }, &options->edits};
}

}  // namespace lockstep
