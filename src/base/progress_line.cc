#include "base/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace lockstep {
namespace {

constexpr auto kPeriodOnTerminal = std::chrono::milliseconds(200);
constexpr auto kPeriodElsewhere = std::chrono::seconds(1);

}  // namespace

ProgressLine::ProgressLine(Elsewhere elsewhere)
    : is_on_terminal_(isatty(STDERR_FILENO) == 1),
      is_shown_(is_on_terminal_ || elsewhere == Elsewhere::kLines) {}

void ProgressLine::show(std::string_view text) {
  if (!is_shown_) return;
  if (is_on_terminal_) {
    // Spaces overwrite the rest of an earlier, longer line.
    fmt::print(stderr, "\r{:{}}", text, width_);
    width_ = std::max(width_, text.size());
    next_ = Clock::now() + kPeriodOnTerminal;
  } else {
    fmt::print(stderr, "{}\n", text);
    next_ = Clock::now() + kPeriodElsewhere;
  }
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (width_ > 0) fmt::print(stderr, "\r{:{}}\r", "", width_);
  width_ = 0;
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

}  // namespace lockstep
