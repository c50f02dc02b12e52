#include "optimize/workers.h"

namespace lockstep {

LocalWorkers::LocalWorkers(const StudyPlan& plan, const Registry& registry, int count) {
  for (int i = 0; i < count; ++i) evaluators_.push_back(std::make_unique<Evaluator>(plan, registry));
  // The scenario as it stands is asked for beside the islands, but only once.
  const bool has_one_each = count >= plan.study.islands;
  for (const auto& evaluator : evaluators_) {
    if (has_one_each) {
      free_.push_back(evaluator.get());
    } else {
      threads_.emplace_back([this, &each = *evaluator] { work(each); });
    }
  }
}

LocalWorkers::~LocalWorkers() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  is_waiting_.notify_all();
}

Evaluation LocalWorkers::judge(std::span<const double> values) {
  if (threads_.empty()) return judge_here(values);
  Request request{.values = values};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&request);
  is_waiting_.notify_one();
  request.is_answered.wait(lock, [&] { return request.answer || request.failure; });
  if (request.failure) std::rethrow_exception(request.failure);
  return std::move(*request.answer);
}

Evaluation LocalWorkers::judge_here(std::span<const double> values) {
  std::unique_lock lock(mutex_);
  is_waiting_.wait(lock, [&] { return !free_.empty(); });
  Evaluator* const evaluator = free_.back();
  free_.pop_back();
  lock.unlock();
  Evaluation evaluation = evaluator->evaluate(values);
  lock.lock();
  free_.push_back(evaluator);
  is_waiting_.notify_one();
  return evaluation;
}

void LocalWorkers::work(Evaluator& evaluator) {
  std::unique_lock lock(mutex_);
  while (true) {
    is_waiting_.wait(lock, [&] { return is_over_ || !waiting_.empty(); });
    if (is_over_) return;
    Request& request = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    std::optional<Evaluation> answer;
    std::exception_ptr failure;
    try {
      answer = evaluator.evaluate(request.values);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    request.answer = std::move(answer);
    request.failure = failure;
    request.is_answered.notify_one();
  }
}

}  // namespace lockstep
