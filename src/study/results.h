#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/evaluator.h"

/// The results file: tab-separated text, described in docs/studies.md.
namespace lockstep {

/// One line of it.
struct EvaluationRecord {
  std::int64_t island = 0;      ///< from 1; 0 for the unchanged scenario
  std::int64_t evaluation = 0;  ///< number within the island, from 1
  Evaluation outcome;
  std::vector<double> values;  ///< of the parameters; empty for the unchanged scenario
};

/// The study as described in the head of the file.
struct ResultsHead {
  struct Parameter {
    std::string name;
    std::string path;
    double min = 0.0;
    double max = 0.0;
    bool is_log = false;
    std::optional<double> start;
  };
  struct Objective {
    std::string name;
    bool is_maximized = true;
    std::string formula;
  };
  std::string scenario;
  std::string study;
  std::uint64_t hash = 0;
  std::string method;  ///< "genetic"
  std::int64_t evaluations = 0;
  std::int64_t islands = 0;
  std::vector<Parameter> parameters;
  std::vector<Objective> objectives;
};
ResultsHead head_of(const StudySetup& setup);

struct Results {
  ResultsHead head;
  std::vector<EvaluationRecord> records;  ///< in the order of the file
};

/// Reads a results file. An incomplete last line is skipped; any other damage is a UserError.
Results read_results(const std::filesystem::path& file);

/// Writes each evaluation to the file at once, so that nothing is lost when the process is killed.
class ResultsWriter {
 public:
  /// Creates the file, or continues an existing one: then `known()` is its contents. Throws UserError if it
  /// exists and `resumes` is false, if it belongs to another study, or if another process writes it.
  ResultsWriter(std::filesystem::path file, const StudySetup& setup, bool resumes);
  ~ResultsWriter();
  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;

  const std::vector<EvaluationRecord>& known() const { return known_; }
  void append(const EvaluationRecord& record);

  /// Sorts the lines. The file of a finished study has the same bytes for any number of threads and restarts.
  void finish();

 private:
  std::filesystem::path file_;
  ResultsHead head_;
  int descriptor_ = -1;
  std::vector<EvaluationRecord> known_;
};

/// The best evaluations so far. The result does not depend on the order in which they are added.
class Leaders {
 public:
  explicit Leaders(ResultsHead head) : head_(std::move(head)) {}

  void see(const EvaluationRecord& record);

  /// The best by the first objective; nothing if there is no valid one.
  const std::optional<EvaluationRecord>& best() const { return best_; }
  /// The Pareto front, sorted by the first objective, the best first.
  const std::vector<EvaluationRecord>& front() const { return front_; }
  const std::optional<EvaluationRecord>& start() const { return start_; }  ///< the unchanged scenario
  std::int64_t count() const { return count_; }                            ///< without the start
  std::int64_t invalid_count() const { return invalid_count_; }
  std::int64_t violated_count() const { return violated_count_; }
  const ResultsHead& head() const { return head_; }

 private:
  ResultsHead head_;
  std::optional<EvaluationRecord> best_;
  std::optional<EvaluationRecord> start_;
  std::vector<EvaluationRecord> front_;
  std::int64_t count_ = 0;
  std::int64_t invalid_count_ = 0;
  std::int64_t violated_count_ = 0;
};

/// Larger is better.
inline double merit(const ResultsHead& head, const EvaluationRecord& record, std::size_t objective) {
  const double value = record.outcome.objectives[objective];
  return head.objectives[objective].is_maximized ? value : -value;
}

}  // namespace lockstep
