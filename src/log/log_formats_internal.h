#pragma once

#include <memory>

#include "log/log_file.h"
#include "log/log_reader.h"

/// The formats behind log_file.h and log_reader.h.
namespace lockstep {

/// A line of comma-separated values per row, each the shortest text that reads back as the same number. The
/// first line holds the names with their units: "time [s],arm/elbow/angle [rad]".
OpenedLog open_csv_file(const std::filesystem::path& path, const LogHeader& header);

/// An HDF5 file of plain arrays:
///
///     /time   [rows]            s
///     /data   [rows, signals]   the other columns
///     /names  [signals]         their names, and
///     /units  [signals]         their units, as text
///
/// and attributes of the file: lockstep (version), scenario, step, period, seed, flush_rows, and `rows`, the
/// number of rows that are complete. After an orderly end the arrays have exactly that many; a killed process
/// can leave up to flush_rows more behind them, which hold NaN or part of the next flush.
OpenedLog open_hdf5_file(const std::filesystem::path& path, const LogHeader& header);

/// Limits for reading, above those of any real log.
inline constexpr std::size_t kMaxColumns = 100'000;
inline constexpr std::size_t kMaxColumnName = 4096;

/// A log, row by row.
class LogSource {
 public:
  virtual ~LogSource() = default;
  virtual const std::vector<LogColumn>& columns() const = 0;  ///< the first is the time
  /// Reads the next row into `row`, which has the length of columns(); false at the end.
  virtual bool next(std::vector<double>& row) = 0;
};

/// Both throw UserError.
std::unique_ptr<LogSource> open_csv_source(const std::filesystem::path& path);
std::unique_ptr<LogSource> open_hdf5_source(const std::filesystem::path& path);

}  // namespace lockstep
