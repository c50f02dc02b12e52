#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "lockstep/error.h"
#include "log/log_formats_internal.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxLine = 64u << 20;
constexpr std::size_t kReadBytes = 1 << 16;

/// The lines of a file that end in '\n'; the rest was incomplete when the writer was killed.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path)
      : name_(path.string()), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw_user_error({name_, 0, 0}, "cannot be read: {}", std::strerror(errno));
  }

  /// False at the end. The line is valid until the next call.
  bool next(std::string_view& line) {
    std::size_t looked_at = begin_;
    for (;;) {
      const std::size_t end = buffer_.find('\n', looked_at);
      if (end != std::string::npos) {
        line = std::string_view(buffer_).substr(begin_, end - begin_);
        if (line.ends_with('\r')) line.remove_suffix(1);
        begin_ = end + 1;
        ++number_;
        return true;
      }
      buffer_.erase(0, begin_);
      begin_ = 0;
      looked_at = buffer_.size();
      if (buffer_.size() > kMaxLine) fail("the line is too long");
      buffer_.resize(looked_at + kReadBytes);
      const std::size_t count = std::fread(buffer_.data() + looked_at, 1, kReadBytes, file_.get());
      buffer_.resize(looked_at + count);
      if (count == 0 && std::ferror(file_.get())) fail(std::strerror(errno));
      if (count == 0) return false;
    }
  }

  [[noreturn]] void fail(const std::string& text) const {
    throw_user_error({name_, number_, number_ > 0 ? 1 : 0}, "{}", text);
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of the next line in the buffer
  int number_ = 0;
};

class CsvSource final : public LogSource {
 public:
  explicit CsvSource(const std::filesystem::path& path) : lines_(path) {
    std::string_view line;
    if (!lines_.next(line)) lines_.fail("is empty; expected a header with names");
    while (!line.empty() || columns_.empty()) {
      if (columns_.size() == kMaxColumns) lines_.fail("there are too many columns");
      const std::string_view field = line.substr(0, line.find(','));
      line.remove_prefix(std::min(field.size() + 1, line.size()));
      const std::size_t unit = field.find(" [");
      if (field.size() > kMaxColumnName) lines_.fail("the name of a column is too long");
      if (unit == std::string_view::npos || !field.ends_with(']')) {
        columns_.push_back({std::string(field), ""});
      } else {
        columns_.push_back(
            {std::string(field.substr(0, unit)), std::string(field.substr(unit + 2, field.size() - unit - 3))});
      }
    }
  }

  const std::vector<LogColumn>& columns() const override { return columns_; }

  bool next(std::vector<double>& row) override {
    std::string_view line;
    if (!lines_.next(line)) return false;
    const char* at = line.data();
    const char* const end = at + line.size();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto parsed = std::from_chars(at, end, row[i]);
      const bool is_last = i + 1 == row.size();
      const bool is_whole =
          parsed.ec == std::errc() && (is_last ? parsed.ptr == end : parsed.ptr < end && *parsed.ptr == ',');
      if (!is_whole)
        lines_.fail(fmt::format("column {} is not a number; expected {} numbers", i + 1, row.size()));
      at = parsed.ptr + 1;
    }
    return true;
  }

 private:
  Lines lines_;
  std::vector<LogColumn> columns_;
};

}  // namespace

std::unique_ptr<LogSource> open_csv_source(const std::filesystem::path& path) {
  return std::make_unique<CsvSource>(path);
}

}  // namespace lockstep
