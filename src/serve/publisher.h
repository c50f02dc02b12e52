#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/event_texts.h"
#include "serve/outbox.h"
#include "serve/playback.h"
#include "serve/row_store.h"
#include "serve/view_state.h"

namespace lockstep::serve {

/// Publishes a session to its viewers: the latest state with the new signal rows, about 60 times per second;
/// the status, ten times per second; and the events of the run. Runs on the session thread, which never waits
/// for a viewer: states go to a slot, everything else to the outbox.
class Publisher {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kStatePeriod = std::chrono::microseconds(16'000);  // slightly above 60 Hz
  static constexpr auto kStatusPeriod = std::chrono::milliseconds(100);

  Publisher(OpenedScenario& opened, const Playback& playback, Outbox& outbox, std::size_t row_bytes)
      : opened_(opened), playback_(playback), outbox_(outbox), rows_(row_bytes) {}

  // From any thread.
  StateSlot& states() { return states_; }
  void set_viewers(int count) { viewers_ = count; }
  int viewers() const { return viewers_; }

  /// Another simulation was opened: observes its rows, and sends the scene to the viewers.
  void show_scene();

  /// Sets the union of all subscriptions. True if contacts are newly subscribed: they are in the state only
  /// after the world is updated again.
  bool watch(const Watch& watch);

  /// The events from outside that are known of the run, [{"time", "text"}].
  Json list_events() const;
  const RowStore& rows() const { return rows_; }  ///< of the run; on the session thread

  // Changes since the last publication.
  void note_steps();    ///< the run advanced
  void note_command();  ///< a command may have changed anything
  void note_jump();     ///< the run is at another instant: drops the rows before it
  void note_change();   ///< signals changed without a step

  /// Publishes the state and the status if they are due.
  void publish();
  void publish_at_once();  ///< before a possibly long wait, if anything is new
  void publish_status();
  /// During a step that waits for a controller: says so to the viewers, if it takes long.
  void publish_wait();
  /// When to call publish() next while paused; nullopt: after the next command.
  std::optional<Clock::time_point> next_publication() const;

  /// While it exists, rows and events are not published: the steps belong to a seek.
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
  void fill_state();
  std::string status_text() const;
  Json connections_to_json() const;
  void report_controllers();
  void push_event(const std::string& text);
  bool is_waiting() const;

  OpenedScenario& opened_;
  const Playback& playback_;
  Outbox& outbox_;
  StateSlot states_;
  std::atomic<int> viewers_ = 0;

  Watch watch_;
  RowStore rows_;
  ViewState shown_;              // the state being filled
  std::vector<SensorRay> rays_;  // reused memory
  EventTexts event_texts_;
  std::int64_t last_row_ = -1;  // step of the last row
  bool is_muted_ = false;
  bool is_dirty_ = false;  // the state has changed since it was published
  bool has_news_ = false;  // the status has changed, other than by steps
  Clock::time_point last_state_{};
  Clock::time_point last_status_{};
  std::string last_status_text_;

  struct Reported {
    bool is_connected = false;
    bool was_connected = false;  // since the run is at another instant
    std::int64_t reconnects = 0;
  };
  std::map<std::string, Reported> reported_;  // connections as last reported
  std::int64_t waiting_step_ = -1;            // step that waits for controllers
  Clock::time_point waiting_since_{};
  std::vector<std::string> waiting_for_;  // connections; reported
};

}  // namespace lockstep::serve
