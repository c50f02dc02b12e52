#pragma once

#include "log/log_file.h"

namespace lockstep {

/// A line of comma-separated values per row, each the shortest text that reads back as the same number. The
/// first line holds the names with their units: "time [s],arm/elbow/angle [rad]".
OpenedLog open_csv_file(const std::filesystem::path& path, const LogHeader& header);

}  // namespace lockstep
