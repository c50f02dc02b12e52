#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "optimize/search.h"

namespace lockstep {

/// Judges with so many evaluators in this process: as many candidates run at the same time.
///
/// Where there is one for each island, the island's own thread evaluates. Where there are fewer, each has a
/// thread that goes from one candidate to the next without waiting until an island has woken up to take its
/// answer: on a busy processor that takes as long as a short evaluation.
class LocalWorkers final : public Judge {
 public:
  LocalWorkers(const StudyPlan& plan, const Registry& registry, int count);
  ~LocalWorkers() override;

  Evaluation judge(std::span<const double> values) override;

 private:
  struct Request {
    std::span<const double> values;
    std::optional<Evaluation> answer;
    std::exception_ptr failure;
    std::condition_variable is_answered;
  };
  Evaluation judge_here(std::span<const double> values);
  void work(Evaluator& evaluator);

  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::mutex mutex_;
  std::vector<Evaluator*> free_;  // for threads of islands
  std::deque<Request*> waiting_;  // for threads of ours
  std::condition_variable is_waiting_;
  bool is_over_ = false;
  std::vector<std::jthread> threads_;  // last, so that they end first
};

}  // namespace lockstep
