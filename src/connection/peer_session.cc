#include "connection/peer_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep {

PeerSession::PeerSession(Settings settings, std::unique_ptr<Peer> peer, std::size_t writes)
    : settings_(std::move(settings)), peer_(std::move(peer)) {
  answer_.values.resize(writes);
  if (peer_) peer_->report_to(*notes_, *idle_);
}

std::string PeerSession::open() {
  if (!peer_) return "it has no peer";
  const std::string error = peer_->open();
  is_open_ = is_connecting_ = error.empty();
  return error;
}

void PeerSession::close() {
  if (is_open_) peer_->close();
  is_open_ = false;
}

void PeerSession::begin_step() {
  waited_ = Duration(0);
  has_paused_ = false;
}

bool PeerSession::ask(const Question& question) {
  const bool was_connected = answer_.is_connected;
  const bool was_connecting = std::exchange(is_connecting_, false);
  answer_.step = question.now.step;
  answer_.is_fresh = false;
  answer_.counts = {};
  const Duration wait = time_to_wait(question);
  PeerRequest request{.sequence = question.sequence,
                      .time = question.now.time,
                      .measured = question.measured,
                      .wait = was_connecting ? settings_.timing.connect_timeout : wait,
                      .is_first = was_connecting,
                      .ends_at_invalid = goes_on_without_answer(),
                      .outgoing = question.faults.outgoing,
                      .incoming = question.faults.incoming};
  has_paused_ = was_connecting;
  patience_ = request.wait;
  put(request);
  const bool pauses =
      settings_.timing.silence == Silence::kPause && !question.is_repeated && question.is_silence_without;
  const bool is_overdue = !answer_.is_fresh;
  if (is_overdue && pauses && !is_over_ && !is_cancelled()) {
    notes_->note(ConnectionEventKind::kPaused,
                 fmt::format("no answer for {} s; simulated time is paused until a controller answers",
                             to_seconds(request.wait)));
  }
  while (!answer_.is_fresh && !is_over_ && !is_cancelled() && pauses) {
    has_paused_ = true;
    request.is_first = false;
    request.wait = settings_.timing.timeout;
    request.outgoing = request.incoming = MessageFault::kNone;  // otherwise the pause would never end
    put(request);
  }
  if (is_overdue && pauses && answer_.is_fresh)
    notes_->note(ConnectionEventKind::kReturned, "a controller answers again; simulated time goes on");
  if (!answer_.is_fresh && is_cancelled()) {
    is_connecting_ = was_connecting;  // the step may be repeated, with the full wait
    answer_.step = -1;                // nothing to record
    return false;
  }
  // Bad messages are also a sign of life, and a fault explains the silence.
  const bool has_fault =
      question.faults.outgoing != MessageFault::kNone || question.faults.incoming != MessageFault::kNone;
  is_awake_ = answer_.counts.duplicate > 0 || answer_.counts.reconnects > 0 || answer_.counts.bad > 0 ||
              has_fault || (answer_.is_connected && !was_connected);
  judge(question.now.time, was_connecting, is_overdue);
  return true;
}

void PeerSession::put(const PeerRequest& request) {
  is_asking_ = true;
  const PeerReply reply = peer_->exchange(request, answer_.values);
  is_asking_ = false;
  answer_.is_fresh = reply.is_fresh;
  if (reply.is_fresh) {
    const bool is_known = reply.ended_at != std::chrono::steady_clock::time_point{};
    answered_at_ = is_known ? reply.ended_at : std::chrono::steady_clock::now();
  }
  answer_.is_connected = reply.is_connected;
  is_over_ = is_over_ || reply.is_over;
  for (const auto count : kConnectionCounts) answer_.counts.*count += reply.counts.*count;
  waited_ += reply.waited;
}

std::optional<Duration> PeerSession::answer_age() const {
  if (!answered_at_) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - *answered_at_);
}

bool PeerSession::goes_on_without_answer() const {
  return settings_.timing.silence == Silence::kHold || settings_.timing.silence == Silence::kZero;
}

Duration PeerSession::time_to_wait(const Question& question) const {
  const ConnectionTiming& timing = settings_.timing;
  if (question.is_repeated) return timing.timeout;  // replay compares with the recorded answer, in both modes
  if (timing.mode == ConnectionMode::kRealTime) return Duration(0);
  // Do not wait the full timeout at every exchange for an absent controller.
  return question.was_silent && goes_on_without_answer() && !is_awake_ ? Duration(0) : timing.timeout;
}

/// Whether the answer was in time by the wall clock: this becomes part of the input.
void PeerSession::judge(Duration now, bool was_connecting, bool is_overdue) {
  ConnectionCounts& counts = answer_.counts;
  counts.late = counts.missed = 0;
  if (!is_overdue && !was_connecting && waited_.count() > 0) {
    round_trips_.note(waited_, now);
    if (last_round_trip_) jitter_.note(Duration(std::abs((waited_ - *last_round_trip_).count())), now);
    last_round_trip_ = waited_;
  }
  if (settings_.timing.mode == ConnectionMode::kRealTime) {
    counts.late = counts.missed = is_overdue && !was_connecting ? 1 : 0;
    return;
  }
  const double period = static_cast<double>(settings_.period.count());
  const Duration cycle = speed_ ? Duration(std::llround(period / *speed_)) : Duration::max();
  const bool is_too_slow = waited_ > cycle && !was_connecting;
  if (!is_overdue && !is_too_slow) return;
  counts.late = 1;
  counts.missed = waited_ / std::max(cycle, Duration(1));
}

}  // namespace lockstep
