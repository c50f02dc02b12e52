#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "assemble/registry.h"
#include "serve/command_handler.h"
#include "serve/command_queue.h"
#include "serve/opened_scenario.h"
#include "serve/outbox.h"
#include "serve/playback.h"
#include "serve/publisher.h"

namespace lockstep::serve {

/// One simulation that viewers watch and control, on its own thread.
///
///     viewers ──► CommandQueue ──► CommandHandler ──► Playback (when steps happen) ──► Simulation
///                                        │                                                 │
///     viewers ◄── Outbox: answers ◄──────┘          Publisher: states, rows, status ◄──────┘
///
/// The thread repeats: handle all waiting commands, take the steps that are due, publish; while paused it
/// sleeps until the next command. Commands are values, handled only between two steps; changes of the run
/// become events of the simulation, so that they are recorded. The thread never waits for a viewer, and a wait
/// for a controller is cancelled when a command has waited too long. The states of the run are in playback.h.
class Session {
 public:
  struct Options {
    const Registry& registry;
    std::string version;                          ///< of the program, for recordings
    std::function<void()> wake;                   ///< notifies the server of new output; called from any thread
    std::filesystem::path root;                   ///< errors name files relative to it
    std::size_t row_bytes = RowStore::kMaxBytes;  ///< memory for past rows
    std::filesystem::path socket_folder;          ///< see OpenedScenario::Options
    bool plays_when_ready = false;                ///< start the run when the first viewer is ready
  };

  explicit Session(Options options);
  ~Session() { quit(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Opens a scenario or a recording; before start(). Throws UserError.
  void open_first(const Open& open);
  void replay_first(const std::filesystem::path& recording);

  void start();  ///< starts the thread
  void quit();   ///< ends the thread; also called by the destructor

  // From any thread.
  /// Queues a command. False if too many are waiting.
  bool post(Command command) { return queue_.post(std::move(command)); }
  void set_viewers(int count) { publisher_.set_viewers(count); }
  int viewers() const { return publisher_.viewers(); }
  std::int64_t step() const { return step_; }  ///< current step
  StateSlot& states() { return publisher_.states(); }
  Outbox& outbox() { return outbox_; }

  /// Hash of the state; 0 without a simulation. For tests, after quit().
  std::uint64_t hash() const { return opened_.is_open() ? opened_.simulation().hash() : 0; }

 private:
  void run();
  void advance();
  void note_step();
  bool is_wait_cancelled();

  Outbox outbox_;
  CommandQueue queue_;
  std::atomic<std::int64_t> step_ = 0;

  // Used only by the session thread (and before it starts).
  OpenedScenario opened_;
  Playback playback_;
  Publisher publisher_;
  CommandHandler handler_;
  std::thread thread_;
};

}  // namespace lockstep::serve
