#pragma once

#include <cstdint>
#include <vector>

#include "study/search.h"

namespace lockstep {

/// A table of generations, and below it a line that says how far the study is: on a terminal, or if asked for.
class StudyProgress {
 public:
  StudyProgress(const StudyPlan& plan, int workers, bool wanted);

  void see(const EvaluationRecord& record, bool is_new);
  void clear();
  double seconds() const;  ///< since it was made

 private:
  void print_generation();
  void print_line(double now);

  Leaders leaders_;
  std::int64_t total_;
  std::int64_t generation_size_;
  int workers_;
  bool on_terminal_;
  bool is_shown_;
  bool has_line_ = false;
  double begin_;
  double next_line_ = 0.0;
  std::int64_t new_count_ = 0;
  std::int64_t generation_ = 0;         ///< the last one that all islands have finished
  std::vector<std::int64_t> progress_;  ///< evaluations of each island
};

}  // namespace lockstep
