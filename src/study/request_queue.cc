#include "study/request_queue.h"

namespace lockstep {

Evaluation RequestQueue::ask(std::span<const double> values) {
  Request request{.values = values};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&request);
  changed_.notify_one();
  request.is_answered.wait(lock, [&] { return request.answer || request.failure; });
  if (request.failure) std::rethrow_exception(request.failure);
  return std::move(*request.answer);
}

void RequestQueue::serve(Evaluator& evaluator) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Request& request = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    std::optional<Evaluation> evaluation;
    std::exception_ptr failure;
    try {
      evaluation = evaluator.evaluate(request.values);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    request.answer = std::move(evaluation);
    request.failure = failure;
    request.is_answered.notify_one();
  }
}

RequestQueue::Request* RequestQueue::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return nullptr;
  Request* const request = waiting_.front();
  waiting_.pop_front();
  return request;
}

void RequestQueue::answer(Request& request, Evaluation evaluation) {
  const std::lock_guard lock(mutex_);
  request.answer = std::move(evaluation);
  request.is_answered.notify_one();
}

void RequestQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

bool RequestQueue::is_closed() {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

}  // namespace lockstep
