#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "log/log_formats_internal.h"

namespace lockstep {
namespace {

/// Lines are written in blocks of at least this size, or at a flush.
constexpr std::size_t kBlockBytes = 1 << 16;
/// The longest double, "-2.2250738585072014e-308", and its separator.
constexpr std::size_t kMaxNumber = 25;

class CsvFile final : public LogFile {
 public:
  CsvFile(int file, const LogHeader& header) : file_(file) {
    for (const LogColumn& column : header.columns) {
      if (!buffer_.empty()) buffer_ += ',';
      buffer_ += column.name;
      if (!column.unit.empty()) buffer_ += " [" + column.unit + "]";
    }
    buffer_ += '\n';
    used_ = buffer_.size();
    buffer_.resize(used_ + kBlockBytes + header.columns.size() * kMaxNumber);
  }
  ~CsvFile() override {
    if (file_ >= 0) ::close(file_);
  }

  Result<void> add(ConstRow values, std::span<const Slot> columns) override {
    char* at = buffer_.data() + used_;
    for (const Slot column : columns) {
      at = std::to_chars(at, at + kMaxNumber, values[column]).ptr;
      *at++ = ',';
    }
    at[-1] = '\n';
    used_ = static_cast<std::size_t>(at - buffer_.data());
    if (used_ < kBlockBytes) return {};
    return flush();
  }

  Result<void> flush() override {
    std::size_t written = 0;
    while (written < used_) {
      const ssize_t count = ::write(file_, buffer_.data() + written, used_ - written);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return give_up(written);
      written += static_cast<std::size_t>(count);
    }
    bytes_ += static_cast<off_t>(used_);
    used_ = 0;
    return {};
  }

  Result<void> close() override {
    const Result<void> flushed = flush();
    const int file = file_;
    file_ = -1;
    if (::close(file) != 0 && flushed) return Failure{std::strerror(errno)};
    return flushed;
  }

 private:
  /// A full disk accepts only part of a block: truncates the file after its last complete line.
  Result<void> give_up(std::size_t written) {
    const std::string cause = std::strerror(errno);
    while (written > 0 && buffer_[written - 1] != '\n') --written;
    bytes_ += static_cast<off_t>(written);
    used_ = 0;
    // Works only for a regular file; if it fails, the original error is still the one to report.
    [[maybe_unused]] const int cut = ::ftruncate(file_, bytes_);
    return Failure{cause};
  }

  int file_;
  std::string buffer_;
  std::size_t used_ = 0;
  off_t bytes_ = 0;  ///< in the file
};

}  // namespace

OpenedLog open_csv_file(const std::filesystem::path& path, const LogHeader& header) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return Failure{std::strerror(errno)};
  auto log = std::make_unique<CsvFile>(file, header);
  if (const Result<void> written = log->flush(); !written) return Failure{written.error()};
  return log;
}

}  // namespace lockstep
