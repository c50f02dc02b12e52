#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assemble/restart.h"
#include "study/formula.h"
#include "study/study_setup.h"

namespace lockstep {

/// What became of one candidate.
struct Evaluation {
  enum class Verdict : std::uint8_t {
    kValid,
    kViolated,  ///< a constraint does not hold
    kInvalid,   ///< nothing can be said: it diverged, cheated, or cannot be built
  };
  Verdict verdict = Verdict::kInvalid;
  std::vector<double> objectives;  ///< as the formulas say; empty if invalid
  double excess = 0.0;             ///< by how much constraints are violated, relative to their bounds
  std::string reason;              ///< "" if valid
};

/// Runs candidates of a study, one after the other. It keeps what does not depend on the candidate: models stay
/// compiled as long as only controllers change. What it answers never depends on what it was asked before.
class Evaluator {
 public:
  Evaluator(const StudySetup& setup, const Registry& registry);
  ~Evaluator();

  /// `values` has one number for each axis; none at all means the scenario as it stands.
  Evaluation evaluate(std::span<const double> values);

  /// Where the last run of each repetition ended, for comparison with `lockstep run`.
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  void keep_hashes();

 private:
  class Bench;  // one repetition
  const StudySetup& setup_;
  std::vector<std::unique_ptr<Bench>> benches_;
  bool keeps_hashes_ = false;
  std::vector<std::uint64_t> hashes_;
};

/// Adds all formulas of a study: its objectives, then its constraints. What is wrong goes into `diagnostics`.
void add_formulas(const Study& study, RunFormulas& formulas, Diagnostics& diagnostics);

}  // namespace lockstep
