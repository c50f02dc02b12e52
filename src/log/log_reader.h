#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "log/log_file.h"

/// Reads logs. They may come from anywhere, so all their contents are checked.
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

/// The selected columns between the two times. Rows that were incomplete when the writer was killed are
/// skipped. Throws UserError if the file is not a log, is damaged, or has no such signal.
LogData read_log(const std::filesystem::path& path, const LogQuery& query);

}  // namespace lockstep
