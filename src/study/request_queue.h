#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>

#include "study/evaluator.h"

namespace lockstep {

/// Queue of candidates from islands, which wait for the result, to evaluators. Evaluators take the next
/// candidate without waiting for an island to wake up and read its result: on a busy processor that takes as
/// long as a short evaluation.
class RequestQueue {
 public:
  struct Request {
    std::span<const double> values;  ///< borrowed from the waiting island
    std::optional<Evaluation> answer = {};
    std::exception_ptr failure = {};
    std::condition_variable is_answered = {};
  };

  /// Waits for the result. Rethrows what the evaluator threw.
  Evaluation ask(std::span<const double> values);

  /// Evaluates requests until close().
  void serve(Evaluator& evaluator);
  /// The same in two steps: the next request, if there is one, and its answer.
  Request* take();
  void answer(Request& request, Evaluation evaluation);

  /// No more requests will come.
  void close();
  bool is_closed();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request*> waiting_;
  bool is_closed_ = false;
};

}  // namespace lockstep
