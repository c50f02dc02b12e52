#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace lockstep {

/// Progress on stderr: on a terminal one line that is overwritten, elsewhere nothing or, if requested, a line
/// every second.
///
///     ProgressLine line(command.progress);
///     while (work()) {
///       if (line.is_due()) line.show(fmt::format("{:5.1f} %", 100.0 * done / all));
///     }
///
/// The line on the terminal is removed at the end.
class ProgressLine {
 public:
  enum class Elsewhere { kNothing, kLines };

  explicit ProgressLine(Elsewhere elsewhere = Elsewhere::kNothing);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  bool is_on_terminal() const { return is_on_terminal_; }

  /// Whether it is time for the next show().
  bool is_due() const { return is_shown_ && Clock::now() >= next_; }

  /// Writes the line, due or not; one line of text without an end.
  void show(std::string_view text);

  /// Removes the line from the terminal before something else is printed.
  void clear();

  double seconds() const;  ///< real time since it was made

 private:
  using Clock = std::chrono::steady_clock;

  bool is_on_terminal_;
  bool is_shown_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
  std::size_t width_ = 0;  // of the line on the terminal, bytes; 0 if there is none
};

}  // namespace lockstep
