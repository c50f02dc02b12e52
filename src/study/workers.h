#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "study/request_queue.h"
#include "study/search.h"

namespace lockstep {

/// Judges with so many evaluators in this process: as many candidates run at the same time. Where there is one
/// for each island, the island's own thread evaluates; where there are fewer, each has a thread of its own.
class LocalWorkers final : public Judge {
 public:
  LocalWorkers(const StudySetup& setup, const Registry& registry, int count);
  ~LocalWorkers() override;

  Evaluation judge(std::span<const double> values) override;

 private:
  Evaluation judge_here(std::span<const double> values);

  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::vector<Evaluator*> free_;  // for threads of islands
  RequestQueue queue_;            // for threads of ours
  std::vector<std::jthread> threads_;
};

}  // namespace lockstep
