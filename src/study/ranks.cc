#include "study/ranks.h"

#include <algorithm>
#include <cstdlib>

#include "lockstep/state.h"
#include "study/module.h"

namespace lockstep {
namespace {

enum class Kind : std::uint8_t { kHello, kCandidate, kAnswer, kEnd };

/// Candidates per process at most: one runs, one waits.
constexpr int kMaxAtOnce = 2;
/// How long to wait for a message before checking the queue of candidates to send, s.
constexpr double kReceiveTimeout = 1e-3;
constexpr double kIdleTimeout = 1.0;
constexpr std::size_t kMaxNumbers = 1000, kMaxText = 10'000;

}  // namespace

bool is_one_of_several() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

std::unique_ptr<Job> join_job() {
  const auto make = reinterpret_cast<MakeJob>(load_function("lockstep_mpi.so", kMakeJob));
  return std::unique_ptr<Job>(make());
}

Ranks::Ranks(const StudySetup& setup, const Registry& registry, Job& job)
    : job_(job), evaluator_(setup, registry), load_(static_cast<std::size_t>(job.size()), 0) {
  // No process gets a candidate before all have confirmed that they have read the same study.
  int different = 0;
  for (int others = job.size() - 1; others > 0; --others) {
    std::optional<JobMessage> message;
    while (!message) message = job.receive(kIdleTimeout);
    StateReader reader(message->bytes);
    const bool is_hello = reader.read<Kind>() == Kind::kHello;
    if (!is_hello || reader.read<std::uint64_t>() != setup.hash) different = message->rank;
  }
  if (different == 0) return;
  dismiss(job);
  throw_user_error({"mpirun"}, "process {} has read another study; the files must be the same on all machines",
                   different);
}

void dismiss(Job& job) {
  StateWriter end;
  end.write(Kind::kEnd);
  for (int rank = 1; rank < job.size(); ++rank) job.send(rank, end.bytes());
}

void Ranks::exchange() {
  const std::jthread here([this] { queue_.serve(evaluator_); });
  while (!queue_.is_closed() || !running_.empty()) {
    send_waiting();
    if (const auto message = job_.receive(kReceiveTimeout)) take(*message);
  }
  dismiss(job_);
}

void Ranks::send_waiting() {
  while (true) {
    // The process with the least load.
    const auto idle = std::min_element(load_.begin() + 1, load_.end());
    if (idle == load_.end() || *idle >= kMaxAtOnce) return;
    RequestQueue::Request* const request = queue_.take();
    if (request == nullptr) return;
    const std::uint64_t id = next_id_++;
    running_[id] = request;
    ++*idle;
    StateWriter writer;
    writer.write(Kind::kCandidate);
    writer.write(id);
    writer.write(request->values);
    job_.send(static_cast<int>(idle - load_.begin()), writer.bytes());
  }
}

void Ranks::take(const JobMessage& message) {
  StateReader reader(message.bytes);
  LOCKSTEP_CHECK(reader.read<Kind>() == Kind::kAnswer);
  const auto id = reader.read<std::uint64_t>();
  Evaluation evaluation;
  evaluation.verdict = reader.read<Evaluation::Verdict>();
  evaluation.objectives = reader.read_vector<double>(kMaxNumbers);
  evaluation.excess = reader.read<double>();
  evaluation.reason = reader.read_string(kMaxText);
  const auto it = running_.find(id);
  LOCKSTEP_CHECK(it != running_.end());
  queue_.answer(*it->second, std::move(evaluation));
  running_.erase(it);
  --load_[static_cast<std::size_t>(message.rank)];
}

void say_hello(Job& job, std::uint64_t hash) {
  StateWriter hello;
  hello.write(Kind::kHello);
  hello.write(hash);
  job.send(0, hello.bytes());
}

void serve_job(const StudySetup& setup, const Registry& registry, Job& job) {
  say_hello(job, setup.hash);
  Evaluator evaluator(setup, registry);
  while (true) {
    const auto message = job.receive(kIdleTimeout);
    if (!message) continue;
    StateReader reader(message->bytes);
    if (reader.read<Kind>() == Kind::kEnd) return;
    const auto id = reader.read<std::uint64_t>();
    const Evaluation evaluation = evaluator.evaluate(reader.read_vector<double>(kMaxNumbers));
    StateWriter answer;
    answer.write(Kind::kAnswer);
    answer.write(id);
    answer.write(evaluation.verdict);
    answer.write(std::span<const double>(evaluation.objectives));
    answer.write(evaluation.excess);
    answer.write(std::string_view(evaluation.reason).substr(0, kMaxText));
    job.send(0, answer.bytes());
  }
}

}  // namespace lockstep
