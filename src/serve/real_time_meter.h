#pragma once

#include <chrono>

namespace lockstep::serve {

/// Real-time factor: simulated seconds per second of real time, averaged over 0.4 s.
class RealTimeMeter {
 public:
  /// Starts to measure now, at simulated time `seconds`.
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

  double factor() const { return factor_; }  ///< 0 while paused

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kWindow = std::chrono::milliseconds(400);
  Clock::time_point since_{};
  double from_ = 0.0;
  double factor_ = 0.0;
};

}  // namespace lockstep::serve
