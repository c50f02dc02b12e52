#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/hash.h"
#include "base/interrupt_guard.h"
#include "base/progress_line.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "suite/run_suite.h"

namespace lockstep {
namespace {

struct TestCommand {
  std::string suite;
  std::vector<std::string> patterns;  ///< of case names; all if empty
  int jobs = 0;                       ///< 0: one per core
  std::string folder;                 ///< default: named after the suite
  std::string junit_file;
  bool lists = false;
  bool json = false;
  bool progress = false;  ///< even without a terminal
};

int job_count(const TestCommand& command) {
  if (command.jobs < 0 || command.jobs > 1024) {
    throw_user_error({"--jobs"}, "{} is out of range; expected 1 to 1024", command.jobs);
  }
  return command.jobs > 0 ? command.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::vector<const Case*> select_cases(const TestCommand& command, const Suite& suite) {
  std::vector<const Case*> cases;
  for (const Case& each : suite.cases) {
    const bool is_selected =
        command.patterns.empty() ||
        std::any_of(command.patterns.begin(), command.patterns.end(),
                    [&](const std::string& pattern) { return fits_pattern(pattern, each.name); });
    if (is_selected) cases.push_back(&each);
  }
  if (!cases.empty()) return cases;
  std::vector<std::string> names;
  for (const Case& each : suite.cases) names.push_back(each.name);
  throw_user_error({"--case"}, "no case of {} matches '{}'{}", command.suite,
                   shown_text(command.patterns.front()), suggest(command.patterns.front(), names));
}

/// Counts for the progress and the summary.
struct Tally {
  std::size_t all = 0, passed = 0, failed = 0, errors = 0;

  void see(const CaseResult& result) {
    ++(result.verdict == Verdict::kPassed ? passed : result.verdict == Verdict::kFailed ? failed : errors);
  }
  std::size_t done() const { return passed + failed + errors; }
};

std::string progress_text(const Tally& tally, double seconds) {
  const double rate = static_cast<double>(tally.done()) / std::max(seconds, 1e-3);
  const double left = rate > 0.0 ? static_cast<double>(tally.all - tally.done()) / rate : 0.0;
  return fmt::format("{} of {} cases  {} failed  {:.0f} s left", tally.done(), tally.all,
                     tally.failed + tally.errors, left);
}

std::string replay_command(const CaseResult& result) {
  return "lockstep replay " + result.recording;
}

void print_json(const Suite& suite, const std::vector<CaseResult>& results, const Tally& tally,
                double seconds) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const CaseResult& result : results) {
    nlohmann::ordered_json each = {{"case", result.name},
                                   {"result", name(result.verdict)},
                                   {"steps", result.steps},
                                   {"time", result.time},
                                   {"hash", to_hex(result.hash)}};
    for (const CaseFailure& failure : result.failures) {
      each["failures"].push_back(
          {{"place", to_string(failure.place)}, {"time", failure.time}, {"reason", failure.text}});
    }
    if (!result.recording.empty()) {
      each["recording"] = result.recording;
      each["replay"] = replay_command(result);
    }
    cases.push_back(std::move(each));
  }
  const nlohmann::ordered_json json = {{"suite", suite.name},
                                       {"passed", tally.passed},
                                       {"failed", tally.failed},
                                       {"errors", tally.errors},
                                       {"not_run", tally.all - tally.done()},
                                       {"wall_time", seconds},
                                       {"cases", cases}};
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_text(const TestCommand& command, const std::vector<CaseResult>& results, const Tally& tally,
                double seconds) {
  std::size_t width = 4;
  for (const CaseResult& result : results) width = std::max(width, result.name.size());
  fmt::print("{:<{}}  result  simulated\n", "case", width);
  for (const CaseResult& result : results) {
    fmt::print("{:<{}}  {}  {:>7.6g} s\n", result.name, width, name(result.verdict), result.time);
    for (const CaseFailure& failure : result.failures) fmt::print("  {}\n", to_string(failure));
    if (!result.recording.empty()) fmt::print("  replay with: {}\n", replay_command(result));
  }
  fmt::print("{}: {} passed, {} failed, {} errors", command.suite, tally.passed, tally.failed, tally.errors);
  if (tally.done() < tally.all) fmt::print(", {} not run", tally.all - tally.done());
  fmt::print(" in {:.1f} s\n", seconds);
}

int test_suite(const TestCommand& command, const Registry& registry) {
  const Suite suite = read_suite(command.suite);
  const std::vector<const Case*> cases = select_cases(command, suite);
  if (command.lists) {
    for (const Case* each : cases) fmt::print("{}\n", each->name);
    return kExitDone;
  }
  const InterruptGuard guard;
  ProgressLine progress(command.progress ? ProgressLine::Elsewhere::kLines : ProgressLine::Elsewhere::kNothing);
  Tally tally{.all = cases.size()};
  const std::string stem = std::filesystem::path(command.suite).stem().string();
  const SuiteOptions options{.jobs = job_count(command),
                             .folder = command.folder.empty() ? stem + "-results" : command.folder,
                             .version = LOCKSTEP_VERSION,
                             .on_result = [&](const CaseResult& result) { tally.see(result); },
                             .on_wait =
                                 [&] {
                                   if (progress.is_due())
                                     progress.show(progress_text(tally, progress.seconds()));
                                 }};
  Diagnostics diagnostics;
  const std::vector<CaseResult> results = run_suite(suite, cases, registry, options, diagnostics);
  progress.clear();
  std::fputs(diagnostics.text().c_str(), stderr);
  if (!command.junit_file.empty()) write_file(command.junit_file, write_junit(suite, results));
  if (command.json) {
    print_json(suite, results, tally, progress.seconds());
  } else {
    print_text(command, results, tally, progress.seconds());
  }
  return tally.passed == tally.all ? kExitDone : kExitOutcome;
}

}  // namespace

Command add_test_command(CLI::App& app) {
  auto options = std::make_shared<TestCommand>();
  CLI::App* command = app.add_subcommand("test", "Run a test suite: cases with stimuli and expectations");
  command->footer(
      "Examples:\n"
      R"(  lockstep test scenarios/basics/suites/basics.xml)"
      "\n"
      R"(  lockstep test scenarios/basics/suites/basics.xml --case "pendulum*" --jobs 2 --junit results.xml)");
  command->add_option("suite", options->suite, "Suite file")->required();
  command
      ->add_option("--case", options->patterns,
                   "Run only the cases whose name matches, with '*' for any text; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command->add_option("--jobs", options->jobs, "Cases at the same time; default: one per core")->type_name("N");
  command
      ->add_option("--out", options->folder,
                   "Folder for the recordings of failed cases; default: SUITE-results, named after the file")
      ->type_name("FOLDER");
  command->add_option("--junit", options->junit_file, "Write the results as JUnit XML")->type_name("FILE");
  command->add_flag("--list", options->lists, "Print the names of the cases and run none");
  command->add_flag("--json", options->json, "Print the results as one JSON object");
  command->add_flag("--progress", options->progress, "Show progress even if the output is not a terminal");
  return {command, [options](const Registry& registry) { return test_suite(*options, registry); }};
}

}  // namespace lockstep
