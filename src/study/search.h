#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "study/results.h"

namespace lockstep {

/// Evaluates candidates. Called from as many threads as there are islands.
class Judge {
 public:
  virtual ~Judge() = default;
  /// An empty list means the unchanged scenario.
  virtual Evaluation judge(std::span<const double> values) = 0;
};

/// Thrown to end the search: the budget is used up, or it was cancelled.
struct StopSearch {};

struct SearchOptions {
  /// Known results, from an earlier run of the same study.
  std::vector<EvaluationRecord> known;
  /// Called for each evaluation, by one thread at a time; `is_new` if it was not known.
  std::function<void(const EvaluationRecord&, bool is_new)> on_evaluation;
  /// Called between evaluations, from any thread.
  std::function<bool()> is_cancelled;
};

struct SearchReport {
  Leaders leaders;
  bool is_complete = false;
  std::string failure;  ///< why it ended early, if it was not cancelled
};

/// Runs a study. The result depends on the setup alone: the candidates of an island depend only on its own
/// results, and islands exchange candidates after a fixed number of generations. The number of parallel
/// evaluations affects only the duration.
SearchReport run_search(const StudySetup& setup, Judge& judge, const SearchOptions& options);

/// Candidates per generation of an island; 1 for samples.
std::int64_t generation_size(const Study& study);

}  // namespace lockstep
