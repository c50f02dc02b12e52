#include "connection/remote_controller.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// More steps and frames than any run has; sums of such counts stay far from where numbers end.
constexpr std::int64_t kMostCounted = 1ll << 53;

double shape(CommandShape kind, double u) {
  switch (kind) {
    case CommandShape::kHold:
      return 1.0;
    case CommandShape::kLinear:
      return u;
    case CommandShape::kSmooth:
      return u < 0.5 ? 2.0 * u * u : 1.0 - 2.0 * (1.0 - u) * (1.0 - u);
  }
  return 1.0;
}

}  // namespace

RemoteController::RemoteController(std::string name, Signals signals, Settings settings,
                                   std::unique_ptr<Peer> peer)
    : name_(std::move(name)),
      signals_(std::move(signals)),
      settings_(std::move(settings)),
      peer_(std::move(peer)),
      present_(signals_.reads.size()),
      arrived_(signals_.writes.size()),
      measured_(signals_.reads.size()),
      old_(signals_.initial),
      new_(signals_.initial) {
  LOCKSTEP_CHECK(signals_.initial.size() == signals_.writes.size() && settings_.every > 0);
  for (LinkInput* input : {&answer_, &fed_}) input->values.resize(signals_.writes.size());
  const auto add_line = [&](std::optional<DelayLine>& line, LinkDirection direction, std::size_t width) {
    const std::int64_t longest = settings_.faults.longest_delay(direction);
    // One row per exchange, that of the exchange at which the oldest arrives, and that of this one.
    if (longest > 0) line.emplace(width, static_cast<std::size_t>(longest / settings_.every + 2));
  };
  add_line(late_measurements_, LinkDirection::kMeasurements, measured_.size());
  add_line(late_commands_, LinkDirection::kCommands, new_.size());
}

/// Fills `measured_`. Until the first late row has arrived it is the first that was measured.
void RemoteController::measure(const Instant& now, Row row) {
  std::vector<double>& present = late_measurements_ ? present_ : measured_;
  for (std::size_t i = 0; i < present.size(); ++i) present[i] = row[signals_.reads[i]];
  if (!late_measurements_) return;
  if (exchanges_ == 0) measured_ = present_;
  late_measurements_->send(now.step, spoiled_.measurement_delay, present_);
  late_measurements_->receive(now.step, measured_);
}

std::string RemoteController::open() {
  if (!peer_) return "it has no other side";
  const std::string fault = peer_->open();
  is_open_ = is_connecting_ = fault.empty();
  return fault;
}

void RemoteController::close() {
  if (is_open_) peer_->close();
  is_open_ = false;
}

void RemoteController::feed(const LinkInput& input) {
  LOCKSTEP_CHECK(input.values.size() == fed_.values.size());
  fed_ = input;
  is_fed_ = true;
}

Status RemoteController::exchange(const Instant& now, Row row) {
  waited_ = Duration(0);
  has_paused_ = false;
  Status status;
  if ((is_open_ || is_fed_) && now.step % settings_.every == 0) {
    spoiled_ = settings_.faults.decide(row);
    measure(now, row);
    if (is_open_ && !ask(now)) {
      answer_.step = -1;  // nothing to record
      return {Outcome::kInterrupted, now.step, name_, "the run was told to quit while nobody answered"};
    }
    takes_fed_ = std::exchange(is_fed_, false);
    status = take_in(now);
    write_health(row);
  }
  if (late_commands_ && late_commands_->receive(now.step, arrived_)) begin_shape(now.step, arrived_);
  if (is_shaping_) write_commands(now, row);
  return status;
}

/// Fills `answer_`; false if the run is to end.
bool RemoteController::ask(const Instant& now) {
  const bool was_connected = answer_.is_connected;
  const bool was_connecting = std::exchange(is_connecting_, false);
  answer_.step = now.step;
  answer_.is_fresh = false;
  answer_.counts = {};
  PeerRequest request{
      .sequence = static_cast<std::uint32_t>(exchanges_ + 1),
      .time = now.time,
      .measured = measured_,
      .wait = was_connecting ? std::max(settings_.timing.connect_timeout, time_to_wait()) : time_to_wait(),
      .outgoing = spoiled_.outgoing,
      .incoming = spoiled_.incoming};
  has_paused_ = was_connecting;
  put_question(request);
  const bool pauses = settings_.timing.silence == Silence::kPause && !is_fed_ && is_silence(now);
  const bool is_overdue = !answer_.is_fresh;
  while (!answer_.is_fresh && !is_cancelled() && pauses) {
    has_paused_ = true;
    request.wait = settings_.timing.timeout;
    request.outgoing = request.incoming = FrameFault::kNone;  // or it would never end
    put_question(request);
  }
  if (!answer_.is_fresh && is_cancelled()) {
    is_connecting_ = was_connecting;  // whoever takes the step again waits as long
    return false;
  }
  // Who sends what cannot be used is alive, too; and who is silent because of a fault is not to blame.
  const bool is_spoiled = spoiled_.outgoing != FrameFault::kNone || spoiled_.incoming != FrameFault::kNone;
  is_awake_ = answer_.counts.duplicate > 0 || answer_.counts.reconnects > 0 || answer_.counts.bad > 0 ||
              is_spoiled || (answer_.is_connected && !was_connected);
  judge(was_connecting, is_overdue);
  return true;
}

void RemoteController::put_question(PeerRequest& request) {
  const PeerReply reply = peer_->exchange(request, answer_.values);
  answer_.is_fresh = reply.is_fresh;
  answer_.is_connected = reply.is_connected;
  for (const auto count : kLinkCounts) answer_.counts.*count += reply.counts.*count;
  waited_ += reply.waited;
}

Duration RemoteController::time_to_wait() const {
  const LinkTiming& timing = settings_.timing;
  if (is_fed_) return timing.timeout;  // what was recorded is compared with what comes, whatever the mode
  if (timing.mode == LinkMode::kRealTime) return Duration(0);
  // To wait in full again and again for somebody who is not there would make the run useless.
  const bool goes_on = timing.silence == Silence::kHold || timing.silence == Silence::kZero;
  return is_silent_ && goes_on && !is_awake_ ? Duration(0) : timing.timeout;
}

/// Whether the answer came in time, which is of the wall: it becomes part of the input.
void RemoteController::judge(bool is_connecting, bool is_overdue) {
  LinkCounts& counts = answer_.counts;
  counts.late = counts.missed = 0;
  if (!is_overdue && !is_connecting && waited_.count() > 0) round_trips_.note(waited_);
  if (settings_.timing.mode == LinkMode::kRealTime) {
    counts.late = counts.missed = is_overdue && !is_connecting ? 1 : 0;
    return;
  }
  const double period = static_cast<double>((settings_.step * settings_.every).count());
  const Duration cycle = speed_ ? Duration(std::llround(period / *speed_)) : Duration::max();
  const bool is_too_slow = waited_ > cycle && !is_connecting;
  if (!is_overdue && !is_too_slow) return;
  counts.late = 1;
  counts.missed = waited_ / std::max(cycle, Duration(1));
}

bool RemoteController::is_silence(const Instant& now) const {
  if (settings_.timing.mode == LinkMode::kLockStep) return true;
  const std::int64_t since = quiet_since_ < 0 ? now.step : quiet_since_;
  const Duration step = settings_.step;
  return now.step - since >= (settings_.timing.timeout + step - Duration(1)) / step;
}

void RemoteController::begin_shape(std::int64_t step, std::span<const double> commands) {
  old_.swap(new_);
  std::copy(commands.begin(), commands.end(), new_.begin());
  shape_begin_ = step;
  is_shaping_ = true;
}

/// From here on all follows from the input.
Status RemoteController::take_in(const Instant& now) {
  const LinkInput& input = last_input();
  ++exchanges_;
  for (const auto count : kLinkCounts) counts_.*count += input.counts.*count;
  is_connected_ = input.is_connected;
  if (quiet_since_ < 0) quiet_since_ = now.step;
  if (input.is_fresh) {
    if (late_commands_) {
      late_commands_->send(now.step, spoiled_.command_delay, input.values);
    } else {
      begin_shape(now.step, input.values);
    }
    quiet_since_ = last_answered_ = now.step;
    is_silent_ = false;
    return {};
  }
  const bool begins_now = !std::exchange(is_silent_, is_silence(now));
  if (!is_silent_) return {};
  if (settings_.timing.silence == Silence::kZero && begins_now) {
    std::fill(old_.begin(), old_.end(), 0.0);
    std::fill(new_.begin(), new_.end(), 0.0);
    shape_begin_ = now.step;
    is_shaping_ = true;
  }
  if (settings_.timing.silence != Silence::kStop) return {};
  const std::string problem = peer_ ? peer_->problem() : "";
  const std::string last =
      last_answered_ < 0 ? "nobody has answered yet" : fmt::format("last answer at step {}", last_answered_);
  return {Outcome::kControllerLost, now.step, name_,
          fmt::format("no command for {} s; {} frames lost, {}{}", to_seconds(settings_.timing.timeout),
                      counts_.lost, last, problem.empty() ? "" : "; " + problem)};
}

void RemoteController::write_commands(const Instant& now, Row row) {
  const double passed = static_cast<double>(now.step - shape_begin_);
  const double u = std::min(1.0, passed / static_cast<double>(settings_.every));
  const double s = shape(settings_.timing.interpolation, u);
  is_shaping_ = s < 1.0;
  for (std::size_t i = 0; i < new_.size(); ++i) {
    row[signals_.writes[i]] = is_shaping_ ? old_[i] + (new_[i] - old_[i]) * s : new_[i];
  }
}

void RemoteController::write_health(Row row) const {
  std::size_t i = 0;
  for (const auto count : kLinkCounts) row[signals_.health[i++]] = static_cast<double>(counts_.*count);
  row[signals_.health[i++]] = is_connected_ ? 1.0 : 0.0;
  row[signals_.health[i++]] = is_silent_ ? 1.0 : 0.0;
}

LinkReport RemoteController::report() const {
  return {.exchanges = exchanges_,
          .counts = counts_,
          .round_trip_median = round_trips_.quantile(0.5),
          .round_trip_p99 = round_trips_.quantile(0.99),
          .round_trip_worst = round_trips_.worst(),
          .problem = peer_ ? peer_->problem() : ""};
}

void RemoteController::save(StateWriter& writer) const {
  writer.write(exchanges_);
  for (const auto count : kLinkCounts) writer.write(counts_.*count);
  writer.write(std::span<const double>(old_));
  writer.write(std::span<const double>(new_));
  writer.write(shape_begin_);
  writer.write(is_shaping_);
  writer.write(is_connected_);
  writer.write(is_silent_);
  writer.write(quiet_since_);
  writer.write(last_answered_);
  settings_.faults.save(writer);
  if (late_commands_) late_commands_->save(writer);
  if (!late_measurements_) return;
  late_measurements_->save(writer);
  writer.write(std::span<const double>(measured_));
}

void RemoteController::restore(StateReader& reader) {
  const auto read_count = [&](std::int64_t least) {
    const auto count = reader.read<std::int64_t>();
    if (count < least || count > kMostCounted) throw StateError("a count of a link is out of range");
    return count;
  };
  exchanges_ = read_count(0);
  for (const auto count : kLinkCounts) counts_.*count = read_count(0);
  for (std::vector<double>* commands : {&old_, &new_}) {
    reader.read_into(std::span<double>(*commands));
    const bool are_finite =
        std::all_of(commands->begin(), commands->end(), [](double x) { return std::isfinite(x); });
    if (!are_finite) throw StateError("a command of a link is not a finite number");
  }
  shape_begin_ = read_count(0);
  is_shaping_ = reader.read<bool>();
  is_connected_ = reader.read<bool>();
  is_silent_ = reader.read<bool>();
  quiet_since_ = read_count(-1);
  last_answered_ = read_count(-1);
  settings_.faults.restore(reader);
  if (late_commands_) late_commands_->restore(reader);
  if (late_measurements_) {
    late_measurements_->restore(reader);
    reader.read_into(std::span<double>(measured_));
  }
  is_awake_ = true;  // whoever connects after this gets the time to answer
}

}  // namespace lockstep
