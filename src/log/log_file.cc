#include "log/log_file.h"

#include "log/log_formats_internal.h"

namespace lockstep {

std::optional<LogFormat> find_log_format(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".csv") return LogFormat::kCsv;
  if (ending == ".h5" || ending == ".hdf5") return LogFormat::kHdf5;
  return std::nullopt;
}

OpenedLog open_log_file(LogFormat format, const std::filesystem::path& path, const LogHeader& header) {
  if (path.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) return Failure{"its folder cannot be created: " + error.message()};
  }
  return format == LogFormat::kCsv ? open_csv_file(path, header) : open_hdf5_file(path, header);
}

}  // namespace lockstep
