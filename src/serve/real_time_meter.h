#pragma once

#include <chrono>

namespace lockstep::serve {

/// Simulated seconds per second of real time, over the last few tenths of a second.
class RealTimeMeter {
 public:
  /// Counts from here; at simulated time `seconds`.
  void restart(double seconds) {
    factor_ = 0.0;
    since_ = Clock::now();
    from_ = seconds;
  }
  void stop() { factor_ = 0.0; }

  void note(double seconds) {
    const auto now = Clock::now();
    if (now - since_ <= kWindow) return;
    factor_ = (seconds - from_) / std::chrono::duration<double>(now - since_).count();
    since_ = now;
    from_ = seconds;
  }

  double factor() const { return factor_; }  ///< 0 while time stands still

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kWindow = std::chrono::milliseconds(400);
  Clock::time_point since_{};
  double from_ = 0.0;
  double factor_ = 0.0;
};

}  // namespace lockstep::serve
