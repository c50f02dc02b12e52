#include "suite/case_run.h"

#include <fmt/format.h>

#include "base/interrupt_guard.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

LoadedScenario load_changed(const Suite& suite, const Case& test, const Registry& registry,
                            Diagnostics& diagnostics) {
  const std::filesystem::path file = (suite.folder / test.setup.scenario).lexically_normal();
  if (!std::filesystem::exists(file)) {
    throw_user_error(test.place, "case '{}': there is no scenario file '{}'", test.name, file.string());
  }
  Document document = Document::read_file(file, diagnostics);
  for (const Change& change : test.setup.changes) {
    try {
      document.set(change.path, change.value, to_string(change.place));
    } catch (const UserError& error) {
      diagnostics.add_all(error.diagnostics());
    }
  }
  return load_scenario(document, registry, diagnostics);
}

void post_stimuli(Script& script, Simulation& simulation) {
  for (const Action& action : script.take_actions()) {
    const Result<void> posted = simulation.post({.step = 0, .priority = 0, .action = action});
    LOCKSTEP_CHECK(posted.ok());  // checked when the script was made
  }
}

/// Shows the rows of the run to the script, and posts its stimuli: within the step, so that they are applied at
/// its end, as a replay does.
class ScriptObserver final : public Observer {
 public:
  ScriptObserver(Script& script, Simulation& simulation) : script_(script), simulation_(simulation) {}
  Status observe(const Observation& seen) override {
    script_.see(seen.now, seen.row, seen.world);
    post_stimuli(script_, simulation_);
    return {};
  }

 private:
  Script& script_;
  Simulation& simulation_;
};

std::vector<std::string> commands_of(const Case& test) {
  if (test.setup.controller.empty()) return {};
  return {test.setup.controller};
}

Script make_script(const Case& test, const Simulation& simulation, Diagnostics& diagnostics) {
  Script script(test, simulation, diagnostics);
  diagnostics.throw_if_errors();
  return script;
}

}  // namespace

CaseRun::CaseRun(const Suite& suite, const Case& test, const Registry& registry, Diagnostics& diagnostics)
    : test_(test),
      registry_(registry),
      loaded_(load_changed(suite, test, registry, diagnostics)),
      controllers_(commands_of(test)),
      simulation_(assemble(
          loaded_.scenario, loaded_.assets, registry, diagnostics,
          {.output_folder = {},
           .connections = {.live = !test.setup.controller.empty(),
                           .cancelled =
                               [this] { return interrupted || is_over_time() || controllers_.are_lost(); }}})),
      script_(make_script(test, simulation_, diagnostics)) {
  if (!test.setup.controller.empty() && simulation_.connections().empty()) {
    throw_user_error(test.place, "case '{}': the scenario has no connection for its controller", test.name);
  }
  simulation_.add_observer({"script", std::make_unique<ScriptObserver>(script_, simulation_), 1, 0});
}

Status CaseRun::advance(Recorder& recorder) {
  StepFunction hook([&](const Simulation& simulation) -> Status {
    if (!script_.is_done()) return {};
    return {Outcome::kStopped, simulation.now().step, "", "the script has ended"};
  });
  Runner* running = nullptr;
  const RunOptions options{.on_progress = [&](const RunReport&) {
    if (interrupted || is_over_time()) running->quit();
  }};
  Runner runner(simulation_, options);
  running = &runner;
  runner.add_hook(hook);
  runner.add_hook(recorder);
  return runner.advance(script_.max_steps()).status;
}

CaseResult CaseRun::run(const std::filesystem::path& recording, const std::string& version) {
  started_ = Clock::now();
  const InterruptGuard guard;
  // Those before the first step are part of the state that the recording begins with.
  post_stimuli(script_, simulation_);
  simulation_.apply_posted();
  Recorder recorder(recording, simulation_, packed_text(loaded_, registry_), version);
  Status status;
  {
    std::optional<LiveConnections> connections;
    if (!test_.setup.controller.empty()) connections.emplace(simulation_, controllers_);
    status = advance(recorder);
  }
  const Status recorded = recorder.finish(status.outcome);
  status = controllers_.explain(std::move(status));
  const Status finished = simulation_.finish();

  const bool as_planned = status.ok() || status.outcome == Outcome::kStopped;
  script_.finish(script_.is_done() ? "" : to_string(status));
  CaseResult result{.name = test_.name,
                    .failures = script_.failures(),
                    .steps = simulation_.now().step,
                    .time = simulation_.now().seconds,
                    .hash = simulation_.hash()};
  const auto add = [&](std::string text) {
    result.failures.push_back({test_.place, simulation_.now().seconds, std::move(text)});
  };
  if (as_planned && !finished.ok()) add(to_string(finished));
  if (!recorded.ok()) add(to_string(recorded));
  result.verdict = result.failures.empty() ? Verdict::kPassed : Verdict::kFailed;
  if (status.outcome == Outcome::kInterrupted) {
    result.verdict = Verdict::kError;
    result.failures.clear();
    add(interrupted ? "interrupted"
                    : fmt::format("took longer than {:.6g} s of real time", to_seconds(*test_.setup.max_wall)));
  }
  return result;
}

}  // namespace lockstep
