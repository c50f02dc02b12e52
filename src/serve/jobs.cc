#include "serve/jobs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "assemble/assemble.h"
#include "scenario/document.h"
#include "scenario/read.h"
#include "serve/history.h"
#include "simulation/recording.h"

namespace lockstep::serve {
namespace {

using Json = nlohmann::ordered_json;

/// Maximum number of points of a path, and prediction horizon, s.
constexpr int kPathPoints = 400;
constexpr double kMaxStretch = 60.0;

struct Made {
  Scenario scenario;
  std::unique_ptr<Simulation> simulation;
};

Made make(const std::string& text, const std::filesystem::path& folder, const Registry& registry) {
  Made made{read_scenario(Document::read_text(text, "scenario", folder)), nullptr};
  Diagnostics diagnostics;
  made.simulation.reset(
      new Simulation(assemble(made.scenario, Assets(made.scenario, folder), registry, diagnostics)));
  return made;
}

/// A temporary file, private to this process and removed at the end.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-recording-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    if (file < 0) throw_user_error({pattern, 0, 0}, "cannot be written");
    close(file);
    path_ = pattern;
  }
  ~TemporaryFile() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Result<void> record(const RecordingJob& job, const Registry& registry, const TemporaryFile& file,
                    const std::function<bool()>& is_cancelled) {
  const Made made = make(job.scenario, job.folder, registry);
  Simulation& simulation = *made.simulation;
  simulation.restore(job.start);
  Recorder recorder(file.path(), simulation, job.scenario, job.version);
  History history;
  history.begin_replay(simulation, job.arrivals, job.inputs, job.end);
  std::string problem;
  StepFunction limits([&](const Simulation& stepped) -> Status {
    std::error_code error;
    const std::int64_t step = stepped.now().step;
    if (is_cancelled()) {
      problem = "the server is shutting down";
    } else if (step % 1024 == 1 && std::filesystem::file_size(file.path(), error) > job.max_bytes) {
      problem =
          fmt::format("the recording is larger than {} MiB; use `lockstep run --record`", job.max_bytes >> 20);
    }
    return {problem.empty() ? Outcome::kOk : Outcome::kInterrupted, step, "", problem};
  });
  HistoryFeed feed(history);
  Runner runner(simulation);
  runner.add_hook(feed);
  runner.add_hook(recorder);
  runner.add_hook(limits);
  Status status;
  // A run that was stopped by an event may have continued afterwards.
  while (simulation.now().step < job.end && (status.ok() || status.outcome == Outcome::kStopped)) {
    status = runner.advance(job.end - simulation.now().step).status;
  }
  if (!problem.empty()) return Failure{problem};
  if (status.outcome == Outcome::kOutputFailed) return Failure{to_string(status)};
  const Status finished = recorder.finish(status.outcome);
  if (!finished.ok()) return Failure{to_string(finished)};
  return {};
}

}  // namespace

Result<std::string> make_recording(const RecordingJob& job, const Registry& registry,
                                   const std::function<bool()>& is_cancelled) try {
  const TemporaryFile file;
  if (const Result<void> recorded = record(job, registry, file, is_cancelled); !recorded)
    return Failure{recorded.error()};
  std::ifstream stream(file.path(), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
} catch (const std::exception& error) {
  return Failure{error.what()};
}

Json calc_paths(const std::string& text, const std::filesystem::path& folder, const Registry& registry) {
  Json paths = Json::array();
  try {
    const Made made = make(text, folder, registry);
    const Simulation& simulation = *made.simulation;
    const Model& model = simulation.model();
    // Joints whose position is commanded by a signal that is known in advance.
    std::vector<double> values(simulation.row().values().begin(), simulation.row().values().end());
    const std::unique_ptr<World> world = registry.lists()
                                             .engines.find(made.scenario.engine.name)
                                             ->make_world(std::make_shared<const Model>(model));
    std::set<std::string> robots;
    struct Driven {
      Slot slot;
      JointId joint;
    };
    std::vector<Driven> driven;
    for (std::size_t i = 0; i < simulation.signals().size(); ++i) {
      const CommandLimits& limits = simulation.signals().info(Slot{i}).limits;
      const auto joint = model.find_joint(limits.joint);
      if (!joint || !limits.start || model.joint(*joint).detachable) continue;
      driven.push_back({Slot{i}, *joint});
    }
    const auto& controllers = simulation.controllers();
    const bool any_known = std::any_of(controllers.begin(), controllers.end(),
                                       [](const auto& each) { return each.device->follows_time_alone(); });
    if (!any_known || driven.empty()) return paths;
    for (const Driven& each : driven) {
      const std::string& name = model.joint(each.joint).name;
      robots.insert(name.substr(0, name.find('/')));
    }
    for (const SiteModel& site : model.sites) {
      if (robots.contains(site.name.substr(0, site.name.find('/')))) {
        paths.push_back({{"name", site.name}, {"points", Json::array()}});
      }
    }
    const double length = std::min(to_seconds(model.duration), kMaxStretch);
    for (int i = 0; i <= kPathPoints; ++i) {
      const double seconds = length * i / kPathPoints;
      const auto time = Duration(std::llround(1e9 * seconds));
      const Instant now{.step = time / model.step, .time = time, .seconds = seconds};
      for (const auto& controller : controllers) {
        if (controller.device->follows_time_alone()) (void)controller.device->decide(now, Row(values));
      }
      for (const Driven& each : driven) world->set_joint_position(each.joint, Row(values)[each.slot]);
      for (Json& path : paths) {
        const Vec3 at = site_pose(*world, *model.find_site(path["name"].get<std::string>())).p;
        path["points"].push_back({at.x(), at.y(), at.z()});
      }
    }
  } catch (const std::exception&) {
    return Json::array();  // it was assembled before, so this is out of memory: no paths
  }
  return paths;
}

}  // namespace lockstep::serve
