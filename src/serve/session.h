#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "assemble/registry.h"
#include "serve/command.h"
#include "serve/history.h"
#include "serve/outbox.h"
#include "serve/scene.h"
#include "serve/view_state.h"
#include "serve/worker.h"
#include "simulation/pacing.h"

namespace lockstep::serve {

/// One simulation that viewers look at and steer, on a thread of its own. Viewers' wishes come in as values and
/// are obeyed between two steps; what changes the run becomes an event of the simulation. The thread never
/// waits for a viewer: it leaves the latest state in a slot, and answers in an outbox.
class Session {
 public:
  struct Options {
    const Registry& registry;
    std::string version;         ///< of the program, for recordings
    std::function<void()> wake;  ///< there is something to take; called from any thread
    std::filesystem::path root;  ///< errors name files relative to it
  };

  explicit Session(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Hands a command in, from any thread. False if too many are waiting.
  bool post(Command command);
  void set_viewers(int count) { viewers_ = count; }
  int viewers() const { return viewers_; }

  std::int64_t step() const { return step_; }  ///< how far it is; from any thread

  StateSlot& states() { return states_; }
  Outbox& outbox() { return outbox_; }

  /// Opens a scenario or a recording; before start(). Throws UserError.
  void open_first(const Open& open);
  void replay_first(const std::filesystem::path& recording);

  void start();  ///< the thread
  void quit();   ///< ends it; the destructor does so, too

  /// Hash of the state; 0 without a simulation. For tests, after quit().
  std::uint64_t hash() const { return simulation_ ? simulation_->hash() : 0; }

  static constexpr std::size_t kMaxWaiting = 1000;
  static constexpr std::size_t kMaxSnapshots = 100;
  static constexpr std::size_t kMaxSnapshotBytes = 256u << 20;

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { kEmpty, kPaused, kRunning, kEnded, kFailed };
  struct Snapshot {
    std::string name;
    double time = 0.0;
    std::int64_t step = 0;
    std::vector<std::uint8_t> bytes;
  };
  /// A simulation that may become the one of this session.
  struct Candidate {
    ReadScenario scenario;
    std::unique_ptr<Simulation> simulation;
    std::vector<std::string> warnings;
  };
  class RowTap;

  // session.cc: the thread
  void run();
  void wait_for_commands(std::optional<Clock::time_point> until);
  bool has_commands() const;
  std::optional<Command> take_command();
  bool is_overtaken() const;  ///< another place to go to is wanted meanwhile
  void add_tap();
  void advance();
  bool wait_for_time();
  Status take_steps(std::int64_t count);
  Status take_replayed_step();
  void after_steps(Status status);
  void report_events();
  void note_row(const Instant& now, ConstRow row);
  void note_row_at_rest();
  void publish();
  void show_state();
  void publish_status();
  std::string status_text() const;
  bool is_link_wait_cancelled() const;

  // session_commands.cc: what viewers ask for
  void obey(Command& command);
  template <typename Do>
  void answer_with(const Command& command, Do action);
  void answer(const Command& command, Json extra = Json::object());
  void refuse(const Command& command, const std::string& sentence);
  void refuse(const Command& command, const UserError& error);
  void warn(const std::string& text);
  Simulation& simulation();  ///< throws Refusal if there is none
  Json play(const Play& play);
  Json pause(const Pause&);
  Json step(const StepOnce& step);
  Json set_speed(const SetSpeed& speed);
  Json reset(const Reset&);
  Json seek(const Seek& seek);
  Json save(const Save& save);
  Json load(const Load& load);
  Json write_signal(const WriteSignal& set);
  Json move_joint(const MoveJoint& move);
  Json attach(const Attach& attach);
  Json pull(const PullBody& pull);
  Json edit(const EditValue& edit);
  Json open(const Open& open);
  Json reload(const Reload&);
  void download(const Command& command, const Download& download);
  void foresee(const Command& command);
  void watch(const Watch& watch);
  Json snapshots_json() const;
  void post_event(const Action& action);
  void require_live() const;
  void leave_replay();

  // session_open.cc: changing what is simulated
  Candidate assemble_candidate(const Document& document, bool has_live_links);
  static Document read_document(const Open& open);
  void adopt(Candidate candidate);
  void open_links();
  void close_links();
  void go_to(std::span<const std::uint8_t> state);
  void settle();
  void start_from_here();

  Options options_;
  StateSlot states_;
  Outbox outbox_;
  std::atomic<int> viewers_ = 0;
  std::atomic<std::int64_t> step_ = 0;

  mutable std::mutex mutex_;  // of the three below
  std::condition_variable has_commands_;
  std::deque<Command> commands_;
  std::optional<Clock::time_point> waiting_since_;
  std::atomic<bool> has_posted_ = false;
  std::atomic<bool> quit_ = false;

  // All below belongs to the thread.
  State state_ = State::kEmpty;
  std::unique_ptr<Simulation> simulation_;
  std::optional<ReadScenario> scenario_;
  std::shared_ptr<const Scene> scene_;
  std::uint32_t next_scene_ = 1;
  Open source_;
  std::vector<std::uint8_t> initial_;  // state at time 0
  std::vector<Snapshot> snapshots_;
  std::string outcome_;

  History history_;
  bool is_live_ = false;               // there are links that are open
  bool is_replay_ = false;             // the history is of a recording
  std::vector<std::uint64_t> hashes_;  // of a recording: after each step
  std::int64_t first_hash_ = 0;        // step that the first of them is of
  bool has_differed_ = false;
  StateWriter before_step_;  // where to go back to when a wait for a controller is broken off

  std::optional<double> speed_ = 1.0;
  SteadyClock clock_;
  std::optional<Pacer> pacer_;
  std::int64_t until_ = 0;   // step to pause at; only while running
  double step_cost_ = 1e-5;  // s on the wall, smoothed

  // What is shown.
  Watch watch_;
  ViewState shown_;
  std::int64_t row_every_ = 1;
  std::vector<SensorRay> rays_;
  Clock::time_point last_publish_{};
  Clock::time_point last_status_{};
  bool is_muted_ = false;       // steps are only taken to get somewhere
  bool is_dirty_ = false;       // the state has changed since it was published
  bool has_news_ = false;       // the status has, other than by steps
  std::int64_t last_row_ = -1;  // step of the row that was noted last
  std::string last_status_text_;
  Clock::time_point rtf_since_{};
  double rtf_from_ = 0.0;
  double rtf_ = 0.0;
  std::vector<BodyId> pulled_;

  Worker worker_;
  std::thread thread_;
};

}  // namespace lockstep::serve
