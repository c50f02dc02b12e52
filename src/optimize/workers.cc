#include "optimize/workers.h"

namespace lockstep {

LocalWorkers::LocalWorkers(const StudyPlan& plan, const Registry& registry, int count) {
  for (int i = 0; i < count; ++i) free_.push_back(std::make_unique<Evaluator>(plan, registry));
}

Evaluation LocalWorkers::judge(std::span<const double> values) {
  const Lease lease(*this);
  return lease.evaluator->evaluate(values);
}

LocalWorkers::Lease::Lease(LocalWorkers& owner) : workers(owner) {
  std::unique_lock lock(workers.mutex_);
  workers.returned_.wait(lock, [&] { return !workers.free_.empty(); });
  evaluator = std::move(workers.free_.back());
  workers.free_.pop_back();
}

LocalWorkers::Lease::~Lease() {
  {
    const std::lock_guard lock(workers.mutex_);
    workers.free_.push_back(std::move(evaluator));
  }
  workers.returned_.notify_one();
}

}  // namespace lockstep
