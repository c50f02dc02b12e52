#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>

#include "study/evaluator.h"

namespace lockstep {

/// Candidates on their way from islands, which ask and wait, to whoever evaluates. Evaluators go from one
/// candidate to the next without waiting until an island has woken up to take its answer: on a busy processor
/// that takes as long as a short evaluation.
class RequestQueue {
 public:
  struct Request {
    std::span<const double> values;  ///< of the one who asks and waits
    std::optional<Evaluation> answer = {};
    std::exception_ptr failure = {};
    std::condition_variable is_answered = {};
  };

  /// Waits until it is answered. Throws what the evaluator threw.
  Evaluation ask(std::span<const double> values);

  /// Evaluates what is asked, until close().
  void serve(Evaluator& evaluator);
  /// The same piece by piece: the next request, if there is one, and its answer.
  Request* take();
  void answer(Request& request, Evaluation evaluation);

  /// Nobody asks any more.
  void close();
  bool is_closed();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request*> waiting_;
  bool is_closed_ = false;
};

}  // namespace lockstep
