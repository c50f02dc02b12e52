#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assemble/restart.h"
#include "simulation/run_formulas.h"
#include "study/study_setup.h"

namespace lockstep {

/// The result of one candidate.
struct Evaluation {
  enum class Verdict : std::uint8_t {
    kValid,
    kViolated,  ///< a constraint does not hold
    kInvalid,   ///< no result: it diverged, broke a limit of the study, or cannot be built
  };
  Verdict verdict = Verdict::kInvalid;
  std::vector<double> objectives;  ///< values of the formulas, SI; empty if invalid
  double excess = 0.0;             ///< sum of the constraint violations, relative to their bounds
  std::string reason;              ///< "" if valid
};

/// Evaluates candidates of a study, one after the other. It reuses what does not depend on the candidate: the
/// model stays compiled if only controllers change. A result never depends on earlier candidates.
class Evaluator {
 public:
  Evaluator(const StudySetup& setup, const Registry& registry);
  ~Evaluator();

  /// `values` has one number for each axis; empty: the unchanged scenario.
  Evaluation evaluate(std::span<const double> values);

  /// Final state hash of the last run of each repetition, to compare with `lockstep run`.
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  void keep_hashes();

 private:
  class Bench;  // one repetition
  const StudySetup& setup_;
  std::vector<std::unique_ptr<Bench>> benches_;
  bool keeps_hashes_ = false;
  std::vector<std::uint64_t> hashes_;
};

/// Adds all formulas of a study: its objectives, then its constraints. Errors go into `diagnostics`.
void add_formulas(const Study& study, RunFormulas& formulas, Diagnostics& diagnostics);

}  // namespace lockstep
