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

/// By the file extension: .csv, .h5 or .hdf5.
std::optional<LogFormat> find_log_format(const std::filesystem::path& path);

struct LogColumn {
  std::string name;  ///< "arm/elbow/angle"
  std::string unit;  ///< "rad"; "" for a plain number
};

/// Metadata of a log.
struct LogHeader {
  std::string scenario;            ///< name
  double step = 0.0;               ///< physics step, s
  double period = 0.0;             ///< between two rows, s
  std::uint64_t seed = 0;          ///< of the scenario
  std::vector<LogColumn> columns;  ///< the first is the time
  std::size_t block_rows = 1;      ///< rows written at once
  std::size_t flush_rows = 1;      ///< rows between two flushes at most; a multiple of block_rows
};

/// A file of rows that stays readable even if the process is killed. After a failure nothing more is written,
/// and the rows of the last flush can be read.
class LogFile {
 public:
  virtual ~LogFile() = default;
  /// One row: the values at `columns`.
  virtual Result<void> add(ConstRow values, std::span<const Slot> columns) = 0;
  /// Writes the rows to the operating system: from now on they outlive the process.
  virtual Result<void> flush() = 0;
  virtual Result<void> close() = 0;
};

using OpenedLog = Result<std::unique_ptr<LogFile>>;

/// Opens a new log; replaces an existing one of that name.
OpenedLog open_log_file(LogFormat format, const std::filesystem::path& path, const LogHeader& header);

}  // namespace lockstep
