#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "study/request_queue.h"
#include "study/search.h"

namespace lockstep {

/// Evaluates `count` candidates in parallel in this process, with one evaluator each. If there is one per
/// island, the island's thread evaluates; if there are fewer, each evaluator has its own thread.
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
  std::vector<Evaluator*> free_;  // for the threads of islands
  RequestQueue queue_;            // for our threads
  std::vector<std::jthread> threads_;
};

}  // namespace lockstep
