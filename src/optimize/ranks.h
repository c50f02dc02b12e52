#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "optimize/job.h"
#include "optimize/workers.h"

namespace lockstep {

/// Judges on all processes of a job: in this one, which is the first, with one evaluator, and in the others,
/// which serve_job(). Each of these has the next candidate waiting while it runs one, so that it never waits
/// for an answer to arrive here.
class Ranks final : public Judge {
 public:
  /// Takes over the thread that joined the job: exchange() must be called by it until the search is over.
  Ranks(const StudyPlan& plan, const Registry& registry, Job& job);

  Evaluation judge(std::span<const double> values) override;

  /// Sends and receives, until close() is called. Then tells the others to end.
  void exchange();
  void close();

 private:
  struct Request {
    std::uint64_t id = 0;
    std::vector<double> values;
    std::optional<Evaluation> answer;
    bool is_sent = false;
  };
  void send_waiting();
  void take(const JobMessage& message);

  Job& job_;
  Evaluator evaluator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_local_busy_ = false;
  bool is_closed_ = false;
  std::uint64_t next_id_ = 1;
  std::deque<Request*> waiting_;   // for a process with room
  std::vector<Request*> running_;  // elsewhere
  std::vector<int> load_;          // of each process: candidates that it has
};

/// Tells the first process which study this one has read; 0 if it could read none.
void say_hello(Job& job, std::uint64_t hash);

/// Tells all others that it is over, also if it never began.
void dismiss(Job& job);

/// Says hello, and evaluates for the first process of the job until that says it is over.
void serve_job(const StudyPlan& plan, const Registry& registry, Job& job);

}  // namespace lockstep
