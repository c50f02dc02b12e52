#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "log/log_file.h"

/// Reading logs back. They come from anywhere, so nothing in them is believed unchecked.
namespace lockstep {

struct LogQuery {
  std::string signals = "*";                               ///< patterns, see select_names()
  double from = -std::numeric_limits<double>::infinity();  ///< s
  double to = std::numeric_limits<double>::infinity();     ///< s
};

/// Columns of a log. The first is the time.
struct LogData {
  std::vector<LogColumn> columns;
  std::vector<std::vector<double>> values;  ///< by column, all of the same length
};

/// The chosen columns between the two times. Rows that were not complete when the writer was killed are left
/// out. Throws UserError if the file is not a log, is damaged, or has no such signal.
LogData read_log(const std::filesystem::path& path, const LogQuery& query);

}  // namespace lockstep
