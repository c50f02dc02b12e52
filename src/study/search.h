#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "study/results.h"

namespace lockstep {

/// Answers what a candidate is worth. Called from as many threads as there are islands.
class Judge {
 public:
  virtual ~Judge() = default;
  /// An empty list means the scenario as it stands.
  virtual Evaluation judge(std::span<const double> values) = 0;
};

/// The search is to end: all candidates were tried, or it was told to.
struct StopSearch {};

struct SearchOptions {
  /// What is known already, from an earlier run of the same study.
  std::vector<EvaluationRecord> known;
  /// Called for each evaluation, by one thread at a time; `is_new` if it was not known.
  std::function<void(const EvaluationRecord&, bool is_new)> on_evaluation;
  /// Asked between evaluations, from any thread.
  std::function<bool()> is_cancelled;
};

struct SearchReport {
  Leaders leaders;
  bool is_complete = false;
  std::string failure;  ///< why it ended early, if nobody asked for that
};

/// Runs a study. What it finds follows from the setup alone: each island asks in an order of its own that
/// depends on its answers only, and islands exchange candidates after a fixed number of generations. How many
/// judge at the same time decides only how long it takes.
SearchReport run_search(const StudySetup& setup, Judge& judge, const SearchOptions& options);

/// Candidates per generation of an island; 1 for samples.
std::int64_t generation_size(const Study& study);

}  // namespace lockstep
