// MPI implementation of job.h, as a separate module.
#define OMPI_SKIP_MPICXX  // the old C++ bindings are not needed
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "study/job.h"

namespace lockstep {
namespace {

/// MPI itself would wait in a busy loop. The sleeps become longer while nothing arrives: each poll takes time
/// from the evaluations on the same core.
constexpr auto kMinSleep = std::chrono::microseconds(50), kMaxSleep = std::chrono::microseconds(1000);
constexpr int kTag = 1;

class MpiJob final : public Job {
 public:
  MpiJob() {
    int provided = 0;
    // Only this thread calls MPI; other threads may exist.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiJob() override { MPI_Finalize(); }
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int rank, std::span<const std::uint8_t> bytes) override {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, kTag, MPI_COMM_WORLD);
  }

  std::optional<JobMessage> receive(double seconds) override {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
      int is_there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_there, &status);
      if (is_there != 0) {
        nap_ = kMinSleep;
        return take(status);
      }
      if (std::chrono::steady_clock::now() >= end) return std::nullopt;
      std::this_thread::sleep_for(nap_);
      nap_ = std::min(2 * nap_, kMaxSleep);
    }
  }

 private:
  static JobMessage take(MPI_Status& status) {
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    JobMessage message{status.MPI_SOURCE, std::vector<std::uint8_t>(static_cast<std::size_t>(count))};
    MPI_Recv(message.bytes.data(), count, MPI_BYTE, message.rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  int rank_ = 0;
  int size_ = 1;
  std::chrono::microseconds nap_ = kMinSleep;
};

}  // namespace
}  // namespace lockstep

extern "C" __attribute__((visibility("default"))) lockstep::Job* lockstep_make_job() {
  return new lockstep::MpiJob();
}
