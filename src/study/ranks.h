#pragma once

#include <map>
#include <thread>

#include "study/job.h"
#include "study/request_queue.h"
#include "study/search.h"

namespace lockstep {

/// Judges on all processes of a job: in this one, which is the first, with one evaluator, and in the others,
/// which serve_job(). Each of these has the next candidate waiting while it runs one, so that it never waits
/// for an answer to arrive here.
class Ranks final : public Judge {
 public:
  /// Takes over the thread that joined the job: exchange() must be called by it until the search is over.
  Ranks(const StudySetup& setup, const Registry& registry, Job& job);

  Evaluation judge(std::span<const double> values) override { return queue_.ask(values); }

  /// Sends and receives, and evaluates in a thread beside that, until close() is called. Then tells the others
  /// to end.
  void exchange();
  void close() { queue_.close(); }

 private:
  void send_waiting();
  void take(const JobMessage& message);

  Job& job_;
  Evaluator evaluator_;
  RequestQueue queue_;
  // Of the thread that exchanges alone:
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, RequestQueue::Request*> running_;  // elsewhere
  std::vector<int> load_;                                    // of each process: candidates that it has
};

/// Tells the first process which study this one has read; 0 if it could read none.
void say_hello(Job& job, std::uint64_t hash);

/// Tells all others that it is over, also if it never began.
void dismiss(Job& job);

/// Says hello, and evaluates for the first process of the job until that says it is over.
void serve_job(const StudySetup& setup, const Registry& registry, Job& job);

}  // namespace lockstep
