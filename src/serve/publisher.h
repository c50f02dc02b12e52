#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/outbox.h"
#include "serve/playback.h"
#include "serve/view_state.h"

namespace lockstep::serve {

/// What viewers see of a session: the latest state with the rows of signals that led to it, about 60 times per
/// second; the status, ten times per second; and the events of the run. Belongs to the thread of the session,
/// which never waits for a viewer: the state is left in a slot, everything else in the outbox.
class Publisher {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kStatePeriod = std::chrono::microseconds(16'000);  // 60 Hz and a little
  static constexpr auto kStatusPeriod = std::chrono::milliseconds(100);

  Publisher(const OpenedScenario& opened, const Playback& playback, Outbox& outbox)
      : opened_(opened), playback_(playback), outbox_(outbox) {}

  // From any thread.
  StateSlot& states() { return states_; }
  void set_viewers(int count) { viewers_ = count; }
  int viewers() const { return viewers_; }

  /// Another simulation was opened: sees its rows, and tells viewers of the scene.
  void show_scene();

  /// What the streams of all viewers together hold. True if contacts are now wanted that were not, which shows
  /// in the state once the world is current again.
  bool watch(const Watch& watch);

  // What has happened since the last publication.
  void note_steps();    ///< of the run
  void note_command();  ///< that may have changed anything
  void note_jump();     ///< to another instant: rows before it do not lead there
  void note_change();   ///< of signals at the present instant

  /// Leaves the state and the status, if it is time.
  void publish();
  void publish_at_once();  ///< before a wait that may be long, if there is anything new
  void publish_status();
  /// When to call publish() next while time stands still; nothing: after the next command.
  std::optional<Clock::time_point> next_publication() const;

  /// While it lives, steps are only taken to get somewhere: neither rows nor events are shown.
  class Mute {
   public:
    explicit Mute(Publisher& publisher) : publisher_(publisher) { publisher_.is_muted_ = true; }
    ~Mute() {
      publisher_.report_events();
      publisher_.is_muted_ = false;
      publisher_.last_row_ = -1;
    }
    Mute(const Mute&) = delete;
    Mute& operator=(const Mute&) = delete;

   private:
    Publisher& publisher_;
  };

 private:
  class RowTap;

  void note_row(const Instant& now, ConstRow row);
  void note_row_at_rest();
  void report_events();
  std::string describe(const Action& action);
  void fill_state();
  std::string status_text() const;

  const OpenedScenario& opened_;
  const Playback& playback_;
  Outbox& outbox_;
  StateSlot states_;
  std::atomic<int> viewers_ = 0;

  Watch watch_;
  ViewState shown_;              // that is being filled
  std::vector<SensorRay> rays_;  // memory that is used again
  std::vector<BodyId> pulled_;   // whose pull was reported
  std::int64_t last_row_ = -1;   // step of the row that was noted last
  bool is_muted_ = false;
  bool is_dirty_ = false;  // the state has changed since it was published
  bool has_news_ = false;  // the status has, other than by steps
  Clock::time_point last_state_{};
  Clock::time_point last_status_{};
  std::string last_status_text_;
};

}  // namespace lockstep::serve
