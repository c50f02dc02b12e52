#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "observe/observer.h"

namespace lockstep {

/// Writes the row of every step as a line of comma-separated values. The first line holds the names of the
/// signals with their units: "time [s],arm/elbow/angle [rad]".
class CsvObserver final : public Observer {
 public:
  /// Throws UserError if the file cannot be opened.
  explicit CsvObserver(const std::filesystem::path& path);

  Status observe(const Observation& seen) override;
  Status finish() override;

 private:
  Status flush(std::int64_t step);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
  bool has_header_ = false;
};

}  // namespace lockstep
