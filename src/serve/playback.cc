#include "serve/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "serve/rejection.h"
#include "simulation/snapshot.h"

namespace lockstep::serve {
namespace {

/// If the run is farther behind than this, the clock restarts: viewers do not want it to catch up.
constexpr Duration kMaxLag = std::chrono::milliseconds(100);
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

void require_not_failed(Playback::State state) {
  if (state == Playback::State::kFailed) throw Rejection("the run has failed; reset it or load a snapshot");
}

}  // namespace

Playback::Playback(OpenedScenario& opened, Outbox& outbox, std::function<void()> on_jump)
    : opened_(opened), outbox_(outbox), on_jump_(std::move(on_jump)), hash_check_(outbox) {}

void Playback::begin() {
  is_replay_ = false;
  make_runner();
  settle();
  history_.begin(opened_.simulation());
}

void Playback::make_runner() {
  Simulation& simulation = opened_.simulation();
  runner_.emplace(simulation, RunOptions{.pacing = PacingOptions{.max_lag = kMaxLag}});
  runner_->set_speed(speed_);
  if (is_replay_) {
    runner_->add_hook(feed_);
    runner_->add_hook(hash_check_);
  } else if (!simulation.connections().empty() || opened_.has_scripts()) {
    runner_->add_hook(save_point_);
  }
}

void Playback::open_connections() {
  for (const std::string& error : opened_.open_connections()) outbox_.warn(error);
}

void Playback::begin_replay(RecordingReader& recording, const std::string& path) {
  Simulation& simulation = opened_.simulation();
  try {
    simulation.restore(recording.head().start);
  } catch (const StateError& error) {
    throw_user_error({path, 0, 0}, "the initial state does not match the scenario: {}", error.what());
  }
  is_replay_ = true;
  make_runner();
  settle();
  hash_check_.start_at(simulation.now().step);
  while (const auto rows = recording.next_rows()) {
    if (rows->first != hash_check_.end()) {
      outbox_.warn(fmt::format("{}: steps are missing from step {}", path, hash_check_.end()));
      break;
    }
    if (rows->damaged) {
      outbox_.warn(fmt::format("{}: byte {}: a checksum does not match", path, rows->offset));
    }
    hash_check_.add(rows->hashes);
  }
  if (!recording.end()) outbox_.warn(fmt::format("{}: the recording is incomplete: its end is missing", path));
  std::vector<std::deque<ConnectionInput>> inputs;
  for (std::size_t i = 0; i < recording.head().connection_widths.size(); ++i) {
    inputs.push_back(std::move(recording.inputs(i)));
  }
  history_.begin_replay(simulation, {recording.arrivals().begin(), recording.arrivals().end()},
                        std::move(inputs), hash_check_.end());
}

bool Playback::begin_from(std::span<const std::uint8_t> state, bool is_running) {
  bool fits = true;
  try {
    opened_.simulation().restore(state);
  } catch (const StateError&) {
    fits = false;
    opened_.simulation().restore(opened_.start());
  }
  if (fits && is_running) {
    state_ = State::kRunning;
    if (is_planned_) until_ = planned_end() > opened_.simulation().now().step ? planned_end() : kNoEnd;
  }
  restart_clock();
  history_.begin(opened_.simulation());
  return fits;
}

Status Playback::HashCheck::after_step(const Simulation& simulation) {
  const std::int64_t step = simulation.now().step - 1;
  const auto i = static_cast<std::size_t>(step - first_);
  if (has_differed_ || i >= hashes_.size() || simulation.hash() == hashes_[i]) return {};
  has_differed_ = true;
  outbox_.warn(fmt::format("step {} ({:.9g} s): the state differs from the recording", step,
                           to_seconds(simulation.step_size() * step)));
  return {};
}

std::optional<std::chrono::steady_clock::time_point> Playback::advance(Duration patience) {
  Runner::Slice slice = is_replay_ ? advance_replay(patience) : advance_live(patience);
  if (slice.due) return slice.due;
  note_steps(std::move(slice.status));
  return std::nullopt;
}

Runner::Slice Playback::advance_replay(Duration patience) {
  Simulation& simulation = opened_.simulation();
  const std::int64_t step = simulation.now().step;
  if (step >= history_.end()) return {.status = {Outcome::kStopped, step, "", "end of the recording"}};
  Runner::Slice slice = runner_->advance_slice(std::min(until_, history_.end()), patience);
  (void)simulation.take_arrivals();
  history_.note_state(simulation);
  return slice;
}

Runner::Slice Playback::advance_live(Duration patience) {
  Simulation& simulation = opened_.simulation();
  // A controller outside may delay each step; check for commands after each.
  const std::int64_t end = opened_.is_live() ? simulation.now().step + 1 : until_;
  Runner::Slice slice = runner_->advance_slice(end, patience);
  if (slice.status.outcome == Outcome::kInterrupted) {
    // A controller has not answered or a script takes long: repeat the step after handling the commands.
    simulation.restore(save_point_.state());
    slice.status = {};
  }
  if (!slice.due) history_.note(simulation);
  return slice;
}

void Playback::note_steps(Status status) {
  const Instant& now = opened_.simulation().now();
  if (status.outcome == Outcome::kStopped) {
    state_ = State::kEnded;
    outcome_ = status.cause;
  } else if (!status.ok()) {
    state_ = State::kFailed;
    outcome_ = to_string(status);
  } else if (now.step >= until_) {
    state_ = State::kPaused;
  }
  if (is_running()) {
    meter_.note(now.seconds);
  } else {
    meter_.stop();
  }
}

void Playback::require_live() const {
  if (is_replay_) throw Rejection("a recording is shown; it cannot be changed");
}

void Playback::play(std::optional<double> length) {
  const Simulation& simulation = opened_.simulation();
  require_not_failed(state_);
  // A recording starts over at its end.
  if (is_replay_ && simulation.now().step >= history_.end()) go_to(history_.start().state);
  const std::int64_t now = simulation.now().step;
  // The run pauses once at its planned duration, and then goes on for as long as the viewer wants.
  const bool is_planned = !length && !is_replay_ && now < planned_end();
  std::int64_t until = is_planned ? planned_end() : kNoEnd;
  if (length) {
    const double steps = std::ceil(*length / to_seconds(simulation.step_size()) - 1e-9);
    until = now + std::max<std::int64_t>(1, std::llround(steps));
  }
  start_playing(until);
  is_planned_ = is_planned;
}

std::int64_t Playback::planned_end() const {
  const Simulation& simulation = opened_.simulation();
  const std::int64_t steps = simulation.model().duration / simulation.step_size();
  return steps > 0 ? steps : kNoEnd;
}

bool Playback::is_at_planned_end() const {
  return state_ == State::kPaused && !is_replay_ && opened_.simulation().now().step == planned_end();
}

std::int64_t Playback::paced_steps() const {
  if (!runner_) return 0;
  const auto& histogram = runner_->pacing().histogram;
  return std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0});
}

void Playback::pause() {
  (void)opened_.simulation();
  if (is_running()) state_ = State::kPaused;
  meter_.stop();
}

void Playback::step(std::int64_t count) {
  const Simulation& simulation = opened_.simulation();
  if (is_running()) throw Rejection("the run is playing; pause it before single steps");
  require_not_failed(state_);
  start_playing(simulation.now().step + count);
}

void Playback::start_playing(std::int64_t until) {
  if (!is_replay_) history_.branch(opened_.simulation());
  until_ = until;
  is_planned_ = false;
  if (!is_running()) restart_clock();
  state_ = State::kRunning;
}

void Playback::set_speed(std::optional<double> speed) {
  speed_ = speed;
  if (!runner_) return;
  runner_->set_speed(speed);
  restart_clock();
}

void Playback::reset() {
  require_live();
  go_to(opened_.start());
  history_.begin(opened_.simulation());
}

std::int64_t Playback::find_step(double time) const {
  const double step_size = to_seconds(opened_.simulation().step_size());
  if (opened_.is_live()) {
    throw Rejection("cannot seek: a controller outside cannot go back in time");
  }
  const double first = step_size * static_cast<double>(history_.first());
  const double end = step_size * static_cast<double>(history_.end());
  // Tolerance of half a step, because times are rounded.
  if (time < first - 0.5 * step_size || time > end + 0.5 * step_size) {
    throw Rejection(fmt::format("{:.9g} s is not recorded; expected {:.9g} to {:.9g} s", time, first, end));
  }
  return std::clamp<std::int64_t>(std::llround(time / step_size), history_.first(), history_.end());
}

void Playback::seek(std::int64_t step, const std::function<bool()>& is_overtaken) {
  Simulation& simulation = opened_.simulation();
  const History::Keyframe& start = history_.before(step);
  const std::int64_t here = simulation.now().step;
  // Step forward from here if that is nearer than from the keyframe, unless events are pending.
  const bool is_nearer = is_replay_ && state_ != State::kFailed && here <= step && here >= start.step;
  if (!is_nearer) go_to(start.state);
  state_ = State::kPaused;
  Runner seeker(simulation);
  seeker.add_hook(feed_);
  if (is_replay_) seeker.add_hook(hash_check_);
  Status status;
  // A stop event does not end a seek to a later instant.
  while (simulation.now().step < step && (status.ok() || status.outcome == Outcome::kStopped) &&
         !is_overtaken()) {
    status = seeker.advance_slice(step, Duration(0)).status;
    (void)simulation.take_arrivals();
    if (is_replay_) history_.note_state(simulation);
  }
  if (!status.ok() && status.outcome != Outcome::kStopped) throw Rejection(to_string(status));
  // While a viewer drags the timeline, only the newest position matters.
  if (simulation.now().step < step) throw Rejection("superseded by a newer request");
}

void Playback::load(const NamedSnapshot& snapshot) {
  opened_.close_connections();
  try {
    restore_snapshot(opened_.simulation(), snapshot.bytes, snapshot.name);
  } catch (const UserError&) {
    open_connections();  // from before an edit, with other devices: the run stays where it is
    throw;
  }
  open_connections();
  settle();
  history_.begin(opened_.simulation());
}

void Playback::apply(const Action& action) {
  require_live();
  Simulation& simulation = opened_.simulation();
  // Lowest priority: events of the scenario come before those of viewers at the same instant.
  const Result<void> posted =
      simulation.post({.step = 0, .priority = std::numeric_limits<std::int32_t>::min(), .action = action});
  if (!posted) throw Rejection(posted.error());
  if (is_running()) return;
  // While paused, apply events at once, so that viewers see the effect.
  history_.branch(simulation);
  simulation.apply_posted();
  history_.note_events(simulation);
}

void Playback::go_to(std::span<const std::uint8_t> state) {
  Simulation& simulation = opened_.simulation();
  const bool was_live = opened_.is_live();
  opened_.close_connections();
  simulation.drop_posted();
  (void)simulation.take_arrivals();
  simulation.restore(state);
  if (was_live) open_connections();
  settle();
}

/// After a jump to another instant: paused there.
void Playback::settle() {
  Simulation& simulation = opened_.simulation();
  state_ = State::kPaused;
  outcome_.clear();
  simulation.drop_posted();
  (void)simulation.take_arrivals();
  (void)simulation.take_event_log();
  on_jump_();
  restart_clock();
}

void Playback::restart_clock() {
  runner_->restart_clock();
  meter_.restart(opened_.simulation().now().seconds);
}

}  // namespace lockstep::serve
