#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "optimize/search.h"

namespace lockstep {

/// Judges with so many evaluators in this process: as many candidates run at the same time.
class LocalWorkers final : public Judge {
 public:
  LocalWorkers(const StudyPlan& plan, const Registry& registry, int count);

  Evaluation judge(std::span<const double> values) override;

 private:
  /// An evaluator, for as long as it is needed.
  struct Lease {
    explicit Lease(LocalWorkers& owner);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    LocalWorkers& workers;
    std::unique_ptr<Evaluator> evaluator;
  };

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Evaluator>> free_;
};

}  // namespace lockstep
