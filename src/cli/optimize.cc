#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/hash.h"
#include "base/interrupt_guard.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/study_progress.h"
#include "study/ranks.h"
#include "study/workers.h"

namespace lockstep {
namespace {

struct OptimizeCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::string study;    ///< name; may be empty if there is only one
  int threads = 0;      ///< 0: one per core
  std::string results;  ///< file; default: named after scenario and study
  bool resume = false;
  bool replay_best = false;
  bool json = false;
  bool progress = false;  ///< even without a terminal
};

using Json = nlohmann::ordered_json;

std::string results_file(const OptimizeCommand& command, const StudySetup& setup) {
  if (!command.results.empty()) return command.results;
  const std::string stem = std::filesystem::path(setup.scenario_file).stem().string();
  return fmt::format("{}.{}.results", stem, setup.study.name);
}

std::string winner_file(const std::string& results) {
  return results + ".best.xml";
}

int thread_count(const OptimizeCommand& command) {
  if (command.threads < 0 || command.threads > 1024) {
    throw_user_error({"--threads"}, "{} is out of range; expected 1 to 1024", command.threads);
  }
  return command.threads > 0 ? command.threads
                             : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

Json to_json(const EvaluationRecord& record, const ResultsHead& head) {
  constexpr const char* kVerdicts[] = {"valid", "violated", "invalid"};
  Json json = {{"island", record.island},
               {"evaluation", record.evaluation},
               {"verdict", kVerdicts[static_cast<std::size_t>(record.outcome.verdict)]}};
  for (std::size_t i = 0; i < record.outcome.objectives.size(); ++i) {
    json["objectives"][head.objectives[i].name] = record.outcome.objectives[i];
  }
  for (std::size_t i = 0; i < record.values.size(); ++i)
    json["values"][head.parameters[i].name] = record.values[i];
  if (!record.outcome.reason.empty()) json["reason"] = record.outcome.reason;
  return json;
}

std::string shown(const EvaluationRecord& record, const ResultsHead& head) {
  if (record.outcome.objectives.empty()) return record.outcome.reason;
  std::string text;
  for (std::size_t i = 0; i < record.outcome.objectives.size(); ++i) {
    text +=
        fmt::format("{}{} {:.6g}", i == 0 ? "" : ", ", head.objectives[i].name, record.outcome.objectives[i]);
  }
  return text;
}

struct Finished {
  SearchReport report;
  std::string results;
  std::int64_t new_evaluations = 0;
  double seconds = 0.0;
  bool has_winner = false;
};

const char* status_of(const SearchReport& report) {
  return report.is_complete ? "complete" : report.failure.empty() ? "interrupted" : "failed";
}

void print_json(const Finished& done) {
  const Leaders& leaders = done.report.leaders;
  Json json = {{"study", leaders.head().study},
               {"status", status_of(done.report)},
               {"evaluations", leaders.count()},
               {"new_evaluations", done.new_evaluations},
               {"invalid", leaders.invalid_count()},
               {"violated", leaders.violated_count()},
               {"seconds", done.seconds},
               {"results", done.results}};
  if (leaders.start()) json["start"] = to_json(*leaders.start(), leaders.head());
  if (leaders.best()) json["best"] = to_json(*leaders.best(), leaders.head());
  if (leaders.head().objectives.size() > 1) {
    json["front"] = Json::array();
    for (const EvaluationRecord& record : leaders.front())
      json["front"].push_back(to_json(record, leaders.head()));
  }
  if (done.has_winner) json["winner"] = winner_file(done.results);
  if (!done.report.failure.empty()) json["failure"] = done.report.failure;
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_text(const Finished& done, const OptimizeCommand& command) {
  const Leaders& leaders = done.report.leaders;
  const ResultsHead& head = leaders.head();
  fmt::print("{}: {}, {} evaluations ({} new, {} invalid, {} violated) in {:.1f} s\n", head.study,
             status_of(done.report), leaders.count(), done.new_evaluations, leaders.invalid_count(),
             leaders.violated_count(), done.seconds);
  if (!done.report.failure.empty()) fmt::print("  {}\n", done.report.failure);
  if (leaders.start()) fmt::print("  start   {}\n", shown(*leaders.start(), head));
  if (leaders.best()) {
    fmt::print("  best    {}\n", shown(*leaders.best(), head));
    for (std::size_t i = 0; i < head.parameters.size(); ++i) {
      fmt::print("            {:<24}{}\n", head.parameters[i].name, format_number(leaders.best()->values[i]));
    }
  }
  if (head.objectives.size() > 1) fmt::print("  front   {} candidates\n", leaders.front().size());
  fmt::print("  results {}\n", done.results);
  if (done.has_winner) fmt::print("  winner  {}\n", winner_file(done.results));
  if (!done.report.is_complete) {
    fmt::print("continue with: lockstep optimize {} --study {} --results {} --resume\n", command.scenario,
               head.study, done.results);
  }
}

/// Runs a study with these judges, in the process that writes the results.
int run_study(const OptimizeCommand& command, const StudySetup& setup, Judge& judge, int workers) {
  Finished done{.report = {.leaders = Leaders(head_of(setup))}, .results = results_file(command, setup)};
  ResultsWriter writer(done.results, setup, command.resume);
  const InterruptGuard guard;
  StudyProgress progress(setup, workers, command.progress);
  SearchOptions options{.known = writer.known(),
                        .on_evaluation =
                            [&](const EvaluationRecord& record, bool is_new) {
                              if (is_new) {
                                writer.append(record);
                                ++done.new_evaluations;
                              }
                              progress.see(record, is_new);
                            },
                        .is_cancelled = [] { return interrupted.load(); }};
  done.report = run_search(setup, judge, options);
  progress.clear();
  done.seconds = progress.seconds();
  if (done.report.is_complete) writer.finish();
  if (const auto& best = done.report.leaders.best(); best && done.report.is_complete) {
    write_file(winner_file(done.results), winner_text(setup, best->values, best->outcome.objectives));
    done.has_winner = true;
  }
  if (command.json) {
    print_json(done);
  } else {
    print_text(done, command);
  }
  return done.report.is_complete ? kExitDone : kExitOutcome;
}

/// One process of several: the first searches, the others evaluate.
int run_in_job(const OptimizeCommand& command, const Registry& registry) {
  const std::unique_ptr<Job> job = join_job();
  std::optional<StudySetup> setup;
  try {
    setup = set_up_study(command.scenario, command.edits, command.study, registry);
  } catch (const UserError&) {
    if (job->rank() == 0) {
      dismiss(*job);
      throw;  // the first process reports it
    }
    say_hello(*job, 0);
    return kExitUser;
  }
  if (job->rank() > 0) {
    // Ctrl-C reaches every process; the first one handles it.
    const InterruptGuard guard;
    serve_job(*setup, registry, *job);
    return kExitDone;
  }
  Ranks ranks(*setup, registry, *job);
  int code = kExitOutcome;
  std::exception_ptr failure;
  std::thread search([&] {
    try {
      code = run_study(command, *setup, ranks, job->size());
    } catch (...) {
      failure = std::current_exception();
    }
    ranks.close();
  });
  ranks.exchange();
  search.join();
  if (failure) std::rethrow_exception(failure);
  return code;
}

/// Runs the winner's scenario and compares the result with the recorded one, bit for bit.
int replay_best(const OptimizeCommand& command, const Registry& registry) {
  StudySetup setup = set_up_study(command.scenario, command.edits, command.study, registry);
  if (!setup.study.objectives.front().recorded) {
    const std::string file = winner_file(results_file(command, setup));
    setup = set_up_study(file, {}, setup.study.name, registry);
  }
  Evaluator evaluator(setup, registry);
  evaluator.keep_hashes();
  const Evaluation found = evaluator.evaluate({});
  Json json = {{"scenario", setup.scenario_file}, {"study", setup.study.name}, {"objectives", Json::array()}};
  bool is_same = found.verdict == Evaluation::Verdict::kValid;
  const std::vector<std::string> names = objective_names(setup.study);
  for (std::size_t i = 0; i < found.objectives.size(); ++i) {
    const std::optional<double>& recorded = setup.study.objectives[i].recorded;
    is_same &= recorded == found.objectives[i];
    json["objectives"].push_back({{"name", names[i]},
                                  {"recorded", recorded ? Json(*recorded) : Json(nullptr)},
                                  {"replayed", found.objectives[i]}});
  }
  for (const std::uint64_t hash : evaluator.hashes()) json["hashes"].push_back(to_hex(hash));
  if (!found.reason.empty()) json["reason"] = found.reason;
  json["same"] = is_same;
  if (command.json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const Json& objective : json["objectives"]) {
      fmt::print("{}: recorded {}, replayed {}\n", objective["name"].get<std::string>(),
                 objective["recorded"].dump(), objective["replayed"].dump());
    }
    fmt::print("{}\n", is_same ? "the same" : "NOT the same " + found.reason);
  }
  return is_same ? kExitDone : kExitOutcome;
}

int optimize_scenario(const OptimizeCommand& command, const Registry& registry) {
  if (command.replay_best) return replay_best(command, registry);
  if (is_one_of_several()) return run_in_job(command, registry);
  const int threads = thread_count(command);
  const StudySetup setup = set_up_study(command.scenario, command.edits, command.study, registry);
  LocalWorkers workers(setup, registry, threads);
  return run_study(command, setup, workers, threads);
}

}  // namespace

Command add_optimize_command(CLI::App& app) {
  auto options = std::make_shared<OptimizeCommand>();
  CLI::App* command = app.add_subcommand(
      "optimize", "Run a <study> of the scenario: optimise its parameters; also under mpirun");
  command->footer(
      "Examples:\n"
      R"(  lockstep optimize scenarios/studies/gait-study.xml --study gait --set "//study/@evaluations=20" --set "//study/@islands=1")");
  add_scenario_options(command, options->scenario, options->edits);
  command->add_option("--study", options->study, "Study to run, if there are several")->type_name("NAME");
  command->add_option("--threads", options->threads, "Candidates evaluated in parallel; default: one per core")
      ->type_name("N");
  command
      ->add_option("--results", options->results,
                   "File for all evaluations; default SCENARIO.STUDY.results. The winner is FILE.best.xml")
      ->type_name("FILE");
  command->add_flag("--resume", options->resume, "Continue from the existing results");
  command->add_flag("--replay-best", options->replay_best,
                    "Run the winner again and compare with the recorded result");
  command->add_flag("--json", options->json, "Print the result as one JSON object");
  command->add_flag("--progress", options->progress, "Show progress even without a terminal");
  return {command, [options](const Registry& registry) { return optimize_scenario(*options, registry); },
          &options->edits};
}

}  // namespace lockstep
