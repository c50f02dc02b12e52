#include "study/workers.h"

namespace lockstep {

LocalWorkers::LocalWorkers(const StudySetup& setup, const Registry& registry, int count) {
  for (int i = 0; i < count; ++i) evaluators_.push_back(std::make_unique<Evaluator>(setup, registry));
  const bool has_one_each = count >= setup.study.islands;
  for (const auto& evaluator : evaluators_) {
    if (has_one_each) {
      free_.push_back(evaluator.get());
    } else {
      threads_.emplace_back([this, &each = *evaluator] { queue_.serve(each); });
    }
  }
}

LocalWorkers::~LocalWorkers() {
  queue_.close();
}

Evaluation LocalWorkers::judge(std::span<const double> values) {
  return threads_.empty() ? judge_here(values) : queue_.ask(values);
}

/// Waits only while the unchanged scenario is evaluated as well.
Evaluation LocalWorkers::judge_here(std::span<const double> values) {
  std::unique_lock lock(mutex_);
  is_free_.wait(lock, [&] { return !free_.empty(); });
  Evaluator* const evaluator = free_.back();
  free_.pop_back();
  lock.unlock();
  Evaluation evaluation = evaluator->evaluate(values);
  lock.lock();
  free_.push_back(evaluator);
  is_free_.notify_one();
  return evaluation;
}

}  // namespace lockstep
