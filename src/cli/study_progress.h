#pragma once

#include <cstdint>
#include <vector>

#include "base/progress_line.h"
#include "study/search.h"

namespace lockstep {

/// A table of generations with a progress line below it; on a terminal, or on request.
class StudyProgress {
 public:
  StudyProgress(const StudySetup& setup, int workers, bool wanted);

  void see(const EvaluationRecord& record, bool is_new);
  void clear() { line_.clear(); }
  double seconds() const { return line_.seconds(); }  ///< since construction

 private:
  void print_generation();
  void show_line();

  Leaders leaders_;
  std::int64_t total_;
  std::int64_t generation_size_;
  int workers_;
  ProgressLine line_;
  bool is_shown_;
  std::int64_t new_count_ = 0;
  std::int64_t generation_ = 0;         ///< the last one that all islands have finished
  std::vector<std::int64_t> progress_;  ///< evaluations of each island
};

}  // namespace lockstep
