#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assemble/assemble.h"
#include "simulation/live_connections.h"
#include "simulation/recording.h"
#include "suite/script.h"

namespace lockstep {

enum class Verdict : std::uint8_t {
  kPassed,
  kFailed,  ///< something that was to be verified did not hold, or the run ended early
  kError,   ///< no result: interrupted, too slow, crashed
};

struct CaseResult {
  std::string name;
  Verdict verdict = Verdict::kError;
  std::vector<CaseFailure> failures;  ///< empty if it passed
  std::int64_t steps = 0;
  double time = 0.0;       ///< simulated, s
  std::uint64_t hash = 0;  ///< of the state at the end
  std::string recording;   ///< file; "" if it passed
};

/// One case, ready to run. Connections are opened and the controller is started only by run().
class CaseRun {
 public:
  /// Loads the scenario, makes the simulation and resolves the script. Throws UserError with all errors;
  /// warnings go into `diagnostics`. Suite and case are borrowed.
  CaseRun(const Suite& suite, const Case& test, const Registry& registry, Diagnostics& diagnostics);

  /// Runs it once and records it. Throws UserError if the recording cannot be written or a connection cannot be
  /// opened.
  CaseResult run(const std::filesystem::path& recording, const std::string& version);

 private:
  using Clock = std::chrono::steady_clock;

  Status advance(Recorder& recorder);
  bool is_over_time() const { return started_ && Clock::now() - *started_ > *test_.setup.max_wall; }

  const Case& test_;
  const Registry& registry_;
  LoadedScenario loaded_;
  StartedControllers controllers_;
  std::optional<Clock::time_point> started_;
  Simulation simulation_;
  Script script_;
};

}  // namespace lockstep
