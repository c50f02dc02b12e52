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

/// One simulation that viewers look at and control, on a thread of its own.
///
///     viewers ──► CommandQueue ──► CommandHandler ──► Playback (when steps happen) ──► Simulation
///                                        │                                                 │
///     viewers ◄── Outbox: answers ◄──────┘          Publisher: states, rows, status ◄──────┘
///
/// Commands come in as values and are handled between two steps; what changes the run becomes an event of the
/// simulation. The thread never waits for a viewer.
class Session {
 public:
  struct Options {
    const Registry& registry;
    std::string version;         ///< of the program, for recordings
    std::function<void()> wake;  ///< there is something to take; called from any thread
    std::filesystem::path root;  ///< errors name files relative to it
  };

  explicit Session(Options options);
  ~Session() { quit(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Opens a scenario or a recording; before start(). Throws UserError.
  void open_first(const Open& open);
  void replay_first(const std::filesystem::path& recording);

  void start();  ///< the thread
  void quit();   ///< ends it; the destructor does so, too

  // From any thread.
  /// Hands a command in. False if too many are waiting.
  bool post(Command command) { return queue_.post(std::move(command)); }
  void set_viewers(int count) { publisher_.set_viewers(count); }
  int viewers() const { return publisher_.viewers(); }
  std::int64_t step() const { return step_; }  ///< how far it is
  StateSlot& states() { return publisher_.states(); }
  Outbox& outbox() { return outbox_; }

  /// Hash of the state; 0 without a simulation. For tests, after quit().
  std::uint64_t hash() const { return opened_.is_open() ? opened_.simulation().hash() : 0; }

 private:
  void run();
  void advance();
  void note_step();

  Outbox outbox_;
  CommandQueue queue_;
  std::atomic<std::int64_t> step_ = 0;

  // All below belongs to the thread.
  OpenedScenario opened_;
  Playback playback_;
  Publisher publisher_;
  CommandHandler handler_;
  std::thread thread_;
};

}  // namespace lockstep::serve
