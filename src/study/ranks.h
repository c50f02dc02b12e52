#pragma once

#include <map>
#include <thread>

#include "study/job.h"
#include "study/request_queue.h"
#include "study/search.h"

namespace lockstep {

/// Evaluates on all processes of an MPI job: with one evaluator in this process, rank 0, and in the others,
/// which run serve_job(). Each of these has the next candidate queued while it runs one, so that it never waits
/// for a round trip.
class Ranks final : public Judge {
 public:
  /// Construct it in the thread that joined the job; that thread must run exchange() until the search is over.
  Ranks(const StudySetup& setup, const Registry& registry, Job& job);

  Evaluation judge(std::span<const double> values) override { return queue_.ask(values); }

  /// Sends and receives, and evaluates in a second thread, until close() is called. Then tells the other
  /// processes to end.
  void exchange();
  void close() { queue_.close(); }

 private:
  void send_waiting();
  void take(const JobMessage& message);

  Job& job_;
  Evaluator evaluator_;
  RequestQueue queue_;
  // Used only by the thread of exchange():
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, RequestQueue::Request*> running_;  // in other processes
  std::vector<int> load_;                                    // candidates assigned to each process
};

/// Sends the hash of the study that this process has read to rank 0; 0 if it could not read it.
void say_hello(Job& job, std::uint64_t hash);

/// Tells all other processes to end, also if the search never started.
void dismiss(Job& job);

/// Says hello, and evaluates for rank 0 until that ends the search.
void serve_job(const StudySetup& setup, const Registry& registry, Job& job);

}  // namespace lockstep
