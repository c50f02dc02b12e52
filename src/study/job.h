#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Interface to MPI, which is in a separate module, so that only distributed studies need it.
namespace lockstep {

struct JobMessage {
  int rank = 0;  ///< of the sender
  std::vector<std::uint8_t> bytes;
};

/// Messages between the processes of one job. Call all functions in the thread that created it.
class Job {
 public:
  virtual ~Job() = default;  ///< waits for all processes (barrier)
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int rank, std::span<const std::uint8_t> bytes) = 0;
  /// Waits at most this long. Polls with short sleeps, so that waiting does not take CPU time from evaluations.
  virtual std::optional<JobMessage> receive(double seconds) = 0;
};

/// Whether a launcher such as mpirun or srun has started this process as one of several.
bool is_one_of_several();

/// Joins the job. Throws UserError if the module is missing.
std::unique_ptr<Job> join_job();

using MakeJob = Job* (*)();
inline constexpr const char* kMakeJob = "lockstep_make_job";

}  // namespace lockstep
