#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "suite/case_run.h"
#include "suite/suite.h"

namespace lockstep {

struct SuiteOptions {
  int jobs = 1;                  ///< cases at the same time
  std::filesystem::path folder;  ///< for the recordings and outputs of failed cases; made if needed
  std::string version;           ///< of the program, for recordings
  std::function<void(const CaseResult&)> on_result{};  ///< in the order in which cases end
  std::function<void()> on_wait{};                     ///< several times per second
};

/// Runs these cases, each in its own process: a crash, a controller's output or a limit concerns one case, and a
/// result cannot depend on what ran before or beside it. The caller must have no other threads. The results are
/// in the order of `cases`; those that an interrupt kept from running are missing.
///
/// First makes all simulations once, and throws UserError with the errors of all cases, so that none is found
/// after an hour. Warnings go into `diagnostics`.
std::vector<CaseResult> run_suite(const Suite& suite, const std::vector<const Case*>& cases,
                                  const Registry& registry, const SuiteOptions& options,
                                  Diagnostics& diagnostics);

/// The results as JUnit XML. Times are simulated, so that equal results are equal files.
std::string write_junit(const Suite& suite, const std::vector<CaseResult>& results);

/// "passed", "failed", "error"
std::string_view name(Verdict verdict);

/// "suite.xml:12:7: at 2.3 s: 'a/speed lt 1 m/s' does not hold; a/speed = 1.2 m/s"
std::string to_string(const CaseFailure& failure);

}  // namespace lockstep
