#include "observe/csv_observer.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace lockstep {
namespace {

/// Lines are handed to the system in blocks of about this size.
constexpr std::size_t kBlockBytes = 1 << 16;

}  // namespace

CsvObserver::CsvObserver(const std::filesystem::path& path)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw_user_error({path.string(), 0, 0}, "cannot be written: {}", std::strerror(errno));
  buffer_.reserve(2 * kBlockBytes);
}

Status CsvObserver::observe(const Observation& seen) {
  if (!has_header_) {
    for (const SignalInfo& signal : seen.signals.all()) {
      if (!buffer_.empty()) buffer_ += ',';
      buffer_ += signal.name;
      if (!signal.unit.empty()) buffer_ += " [" + signal.unit + "]";
    }
    buffer_ += '\n';
    has_header_ = true;
  }
  std::array<char, 32> digits;  // the longest double takes 24
  bool is_first = true;
  for (const double value : seen.row.values()) {
    if (!is_first) buffer_ += ',';
    is_first = false;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    buffer_.append(digits.data(), end);
  }
  buffer_ += '\n';
  if (buffer_.size() < kBlockBytes) return {};
  return flush(seen.now.step);
}

Status CsvObserver::flush(std::int64_t step) {
  const std::size_t written = std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get());
  const bool complete = written == buffer_.size() && std::fflush(file_.get()) == 0;
  buffer_.clear();
  if (complete) return {};
  return {Outcome::kOutputFailed, step, path_.string(), std::strerror(errno)};
}

Status CsvObserver::finish() {
  return flush(0);
}

}  // namespace lockstep
