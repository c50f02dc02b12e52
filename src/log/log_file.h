#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/signals.h"

namespace lockstep {

enum class LogFormat { kCsv, kHdf5 };

/// By the ending of the name: .csv, .h5 or .hdf5.
std::optional<LogFormat> find_log_format(const std::filesystem::path& path);

struct LogColumn {
  std::string name;  ///< "arm/elbow/angle"
  std::string unit;  ///< "rad"; "" for a plain number
};

/// What a log says of itself.
struct LogHeader {
  std::string scenario;            ///< name
  double step = 0.0;               ///< physics step, s
  double period = 0.0;             ///< between two rows, s
  std::uint64_t seed = 0;          ///< of the scenario
  std::vector<LogColumn> columns;  ///< the first is the time
  std::size_t block_rows = 1;      ///< handed over at once
  std::size_t flush_rows = 1;      ///< at most this many are in memory only; whole blocks
};

/// A file of rows that stays readable whatever happens to the process. After a failure nothing more is written,
/// and the rows of the last flush can be read.
class LogFile {
 public:
  virtual ~LogFile() = default;
  /// One row: the values at `columns`.
  virtual Result<void> add(ConstRow values, std::span<const Slot> columns) = 0;
  /// Hands the rows to the system: from now on they outlive the process.
  virtual Result<void> flush() = 0;
  virtual Result<void> close() = 0;
};

using OpenedLog = Result<std::unique_ptr<LogFile>>;

/// Opens a new log, in the place of an old one of that name.
OpenedLog open_log_file(LogFormat format, const std::filesystem::path& path, const LogHeader& header);

}  // namespace lockstep
