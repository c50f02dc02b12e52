#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// The door to MPI, which lives in a module of its own, so that nobody else needs it.
namespace lockstep {

struct JobMessage {
  int rank = 0;  ///< where it came from
  std::vector<std::uint8_t> bytes;
};

/// Bytes between the processes of one job. All functions are called by the thread that made it.
class Job {
 public:
  virtual ~Job() = default;  ///< waits until all processes have come here
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int rank, std::span<const std::uint8_t> bytes) = 0;
  /// Waits so long at most, in small naps: whoever waits must not take the processor from those who work.
  virtual std::optional<JobMessage> receive(double seconds) = 0;
};

/// Whether a launcher such as mpirun or srun has started this process as one of several.
bool is_one_of_several();

/// Joins the job. Throws UserError if the module is missing.
std::unique_ptr<Job> join_job();

using MakeJob = Job* (*)();
inline constexpr const char* kMakeJob = "lockstep_make_job";

}  // namespace lockstep
