#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/world.h"
#include "log/log_config.h"
#include "log/log_file.h"
#include "log/trigger.h"

namespace lockstep {

class BuildContext;

/// Triggered logging: keep only the rows from `before` steps before a trigger to `after` steps after it. A
/// trigger while rows are being kept extends the interval; no row is written twice.
struct Around {
  Trigger trigger;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

struct LogSetup {
  std::filesystem::path file;
  LogFormat format = LogFormat::kCsv;
  std::vector<Slot> signals;     ///< in the order of the columns; the time is always first
  std::int64_t every = 1;        ///< steps between rows
  std::optional<Around> around;  ///< none: all rows. With it, call observe() in every step.
};

/// Writes rows of the signal table to a file. The file is opened at the first step, so that a simulation that
/// is only assembled creates none. It is flushed every `flush_rows` rows: 1024, or one second of simulated time
/// if that is fewer, in whole blocks.
class LogObserver final : public Observer {
 public:
  LogObserver(LogSetup setup, const SignalTable& signals, const Model& model);

  /// Opens the file now, so that the caller sees errors before the run.
  Result<void> open();

  Status observe(const Observation& seen) override;
  Status finish() override;
  Tracking needs() const override { return setup_.around ? setup_.around->trigger.needs() : Tracking{}; }

 private:
  /// The last rows before a possible trigger, oldest first.
  struct Ring {
    std::vector<double> values;
    std::vector<std::int64_t> steps;
    std::size_t first = 0;
    std::size_t count = 0;
  };

  Result<void> observe_around(const Observation& seen);
  Result<void> write_ring(std::int64_t first_step);
  void keep_in_ring(const Observation& seen);
  Result<void> write(ConstRow row, std::span<const Slot> columns);
  Status status_of(const Result<void>& done, std::int64_t step) const;

  LogSetup setup_;
  LogHeader header_;
  std::unique_ptr<LogFile> file_;
  std::vector<Slot> in_order_;  ///< the columns of a row in the ring
  Ring ring_;
  std::size_t unflushed_ = 0;     ///< rows
  std::int64_t last_step_ = -1;   ///< last step observed
  std::int64_t keep_until_ = -1;  ///< last step to keep
};

std::unique_ptr<Observer> make_log(LogFormat format, const LogConfig& config, BuildContext& context);

}  // namespace lockstep
