#include "serve/session.h"

#include <algorithm>
#include <chrono>

namespace lockstep::serve {
namespace {

/// A longer wait for the next step is spent in the queue, where a command ends it.
constexpr auto kLongWait = std::chrono::milliseconds(3);
/// Commands wait at most this long for a step that waits for a controller; then the wait is cancelled.
constexpr auto kPatience = std::chrono::milliseconds(150);

}  // namespace

Session::Session(Options options)
    : outbox_(std::move(options.wake)),
      opened_({.registry = options.registry,
               .is_wait_cancelled = [this] { return is_wait_cancelled(); },
               .socket_folder = std::move(options.socket_folder)}),
      playback_(opened_, outbox_, [this] { publisher_.note_jump(); }),
      publisher_(opened_, playback_, outbox_, options.row_bytes),
      handler_({.registry = options.registry,
                .version = std::move(options.version),
                .root = std::move(options.root),
                .is_overtaken = [this] { return queue_.holds<Seek>(); },
                .plays_when_ready = options.plays_when_ready},
               opened_, playback_, publisher_, outbox_) {}

void Session::open_first(const Open& open) {
  (void)handler_.open(open);
  publisher_.publish_status();
}

void Session::replay_first(const std::filesystem::path& recording) {
  handler_.open_recording(recording);
  publisher_.publish_status();
}

void Session::start() {
  thread_ = std::thread([this] { run(); });
}

void Session::quit() {
  queue_.quit();
  if (thread_.joinable()) thread_.join();
}

void Session::run() {
  while (!queue_.is_quitting()) {
    // One by one, so that a long command can see what is waiting.
    while (const std::optional<Command> command = queue_.take()) {
      handler_.handle(*command);
      publisher_.note_command();
    }
    note_step();
    if (playback_.is_running()) {
      advance();
    } else {
      opened_.look_for_controllers();
    }
    publisher_.publish();
    if (!playback_.is_running()) queue_.wait(publisher_.next_publication());
  }
}

/// Asked on this thread, during a step.
bool Session::is_wait_cancelled() {
  publisher_.publish_wait();
  return queue_.has_waited(kPatience);
}

void Session::advance() {
  // A controller may delay the step; publish first, so that viewers do not wait for it.
  if (opened_.is_live()) publisher_.publish_at_once();
  const auto due = playback_.advance(kLongWait);
  if (!due) {
    note_step();
    publisher_.note_steps();
    return;
  }
  publisher_.publish();
  const auto soon = CommandQueue::Clock::now() + Publisher::kStatePeriod;
  queue_.wait(std::min<CommandQueue::Clock::time_point>(*due - kLongWait / 2, soon));
}

void Session::note_step() {
  if (opened_.is_open()) step_.store(opened_.simulation().now().step, std::memory_order_relaxed);
}

}  // namespace lockstep::serve
