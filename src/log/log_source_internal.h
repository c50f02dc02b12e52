#pragma once

#include <memory>

#include "log/log_reader.h"

/// The formats behind log_reader.h.
namespace lockstep {

/// More columns, or longer names, than any log has.
inline constexpr std::size_t kMostColumns = 100'000;
inline constexpr std::size_t kMaxColumnName = 4096;

/// A log, row by row.
class LogSource {
 public:
  virtual ~LogSource() = default;
  virtual const std::vector<LogColumn>& columns() const = 0;  ///< the first is the time
  /// Reads the next row into `row`, which has the length of columns(); false at the end.
  virtual bool next(std::vector<double>& row) = 0;
};

/// They throw UserError.
std::unique_ptr<LogSource> open_csv_source(const std::filesystem::path& path);
std::unique_ptr<LogSource> open_hdf5_source(const std::filesystem::path& path);

}  // namespace lockstep
