#include "serve/publisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "serve/poses.h"

namespace lockstep::serve {
namespace {

/// Maximum numbers in the rows since the last publication.
constexpr std::size_t kMaxNewNumbers = StateSlot::kMaxRowBytes / (4 * sizeof(double));

/// A step that waits longer for a controller is reported as waiting.
constexpr auto kLongWait = std::chrono::milliseconds(100);
/// Period of looking for controllers while the run is paused.
constexpr auto kLookPeriod = std::chrono::milliseconds(200);

void append(std::vector<float>& numbers, const Vec3& v) {
  for (const double x : v) numbers.push_back(static_cast<float>(x));
}

Json solver_to_json(const World& world) {
  const SolverStatistics solver = world.report({.solver = true}).solver;
  return {{"iterations", solver.iterations},
          {"contacts", solver.contacts},
          {"constraint_rows", solver.constraint_rows},
          {"penetration", solver.largest_penetration},
          {"loop_error", solver.largest_loop_error}};
}

Json seconds_or_null(const std::optional<Duration>& time) {
  return time ? Json(to_seconds(*time)) : Json(nullptr);
}

}  // namespace

/// Observes the rows for viewers; at most 1000 per second of simulated time.
class Publisher::RowTap final : public Observer {
 public:
  explicit RowTap(Publisher& publisher) : publisher_(publisher) {}
  Status observe(const Observation& seen) override {
    publisher_.note_row(seen.now, seen.row);
    return {};
  }

 private:
  Publisher& publisher_;
};

void Publisher::show_scene() {
  Simulation& simulation = opened_.simulation();
  const std::int64_t every = row_period(simulation.step_size()) / simulation.step_size();
  simulation.add_observer({"viewers", std::make_unique<RowTap>(*this), every, 0});
  simulation.track({.contact_forces = watch_.contacts});
  watch_.signals = nullptr;
  rows_.clear(simulation.signals().all().size(), every);
  shown_ = {};
  outbox_.push({.scene = opened_.scene()});
}

bool Publisher::watch(const Watch& watch) {
  const bool had_contacts = watch_.contacts;
  watch_ = watch;
  // Slots of another scene do not apply here; the viewer subscribes again after it gets the new scene.
  if (!opened_.is_open() || watch.scene != opened_.scene()->id) watch_.signals = nullptr;
  shown_.drop_rows();
  shown_.has_lost_rows = false;
  shown_.signals = watch_.signals;
  last_row_ = -1;
  if (!opened_.is_open() || watch_.contacts == had_contacts) return false;
  opened_.simulation().track({.contact_forces = watch_.contacts});
  return watch_.contacts;
}

void Publisher::note_steps() {
  is_dirty_ = true;
  report_events();
  if (playback_.is_running()) return;
  has_news_ = true;
  // The whole reason, also for viewers that look later.
  if (playback_.state() == Playback::State::kFailed) outbox_.warn("the run has failed: " + playback_.outcome());
}

void Publisher::note_command() {
  is_dirty_ = has_news_ = true;
}

void Publisher::note_jump() {
  reported_.clear();
  waiting_step_ = -1;
  event_texts_.clear();
  shown_.drop_rows();
  shown_.has_lost_rows = false;
  last_row_ = -1;
}

void Publisher::note_change() {
  report_events();
  last_row_ = -1;
}

void Publisher::report_events() {
  if (!opened_.is_open()) return;
  Simulation& simulation = opened_.simulation();
  if (simulation.event_log().empty()) return;
  for (const EventRecord& event : simulation.take_event_log()) {
    const std::string text = is_muted_ ? "" : event_texts_.describe(event.action, simulation);
    if (text.empty()) continue;
    outbox_.push({.json = {{"push", "event"},
                           {"step", event.step},
                           {"time", to_seconds(simulation.step_size() * event.step)},
                           {"text", text}}});
  }
}

Json Publisher::list_events() const {
  const Simulation& simulation = opened_.simulation();
  EventTexts texts;
  Json list = Json::array();
  for (const Arrival& arrival : playback_.history().arrivals()) {
    const std::string text = texts.describe(arrival.event.action, simulation);
    const double time = to_seconds(simulation.step_size() * std::max(arrival.step, arrival.event.step));
    if (!text.empty()) list.push_back({{"time", time}, {"text", text}});
  }
  return list;
}

void Publisher::note_row(const Instant& now, ConstRow row) {
  // A row at the end of the history is new, and replaces what was there before a jump back.
  if (now.step + 1 >= playback_.history().end()) rows_.cut(now.step);
  rows_.add(now.step, now.seconds, row);
  if (!watch_.signals || watch_.signals->empty() || is_muted_) return;
  if (shown_.rows.size() + shown_.row_width() > kMaxNewNumbers) shown_.drop_rows();
  last_row_ = now.step;
  shown_.rows.push_back(now.seconds);
  static const ViewFormulas none;
  const ViewFormulas& formulas = watch_.formulas ? *watch_.formulas : none;
  const RowPair pair = formulas.empty() ? RowPair{.now = row} : rows_.pair_of(now.step, now.seconds, row);
  for (const Slot slot : *watch_.signals) shown_.rows.push_back(value_of(slot, formulas, pair));
}

/// While paused, viewers still see the signals of the last step.
void Publisher::note_row_at_rest() {
  const Simulation& simulation = opened_.simulation();
  Instant last = simulation.now();
  last.step = std::max<std::int64_t>(0, last.step - 1);
  last.seconds = to_seconds(simulation.step_size() * last.step);
  if (last.step != last_row_) note_row(last, simulation.row());
}

std::optional<Publisher::Clock::time_point> Publisher::next_publication() const {
  if (is_dirty_) return last_state_ + kStatePeriod;
  if (has_news_) return last_status_ + kStatusPeriod;
  if (opened_.is_live()) return Clock::now() + kLookPeriod;
  return std::nullopt;
}

void Publisher::publish_at_once() {
  if (!has_news_) return;
  last_state_ = last_status_ = {};
  publish();
}

void Publisher::publish() {
  const auto wall = Clock::now();
  if (is_dirty_ && wall - last_state_ >= kStatePeriod) {
    if (!opened_.is_open() || viewers_ == 0) {
      is_dirty_ = false;
    } else {
      fill_state();
      if (states_.try_publish(shown_)) {
        shown_.signals = watch_.signals;
        is_dirty_ = false;
        last_state_ = wall;
        outbox_.wake();
      }
    }
  }
  if (wall - last_status_ >= kStatusPeriod) {
    last_status_ = wall;
    has_news_ = false;
    publish_status();
  }
}

void Publisher::fill_state() {
  const Simulation& simulation = opened_.simulation();
  const World& world = simulation.world();
  shown_.scene = opened_.scene()->id;
  shown_.watch = watch_.number;
  shown_.step = simulation.now().step;
  shown_.time = simulation.now().seconds;
  shown_.is_past = simulation.now().step < playback_.history().end();
  shown_.signals = watch_.signals;
  shown_.poses.clear();
  append_poses(shown_.poses, world);
  shown_.joints.clear();
  append_joint_positions(shown_.joints, world);
  shown_.contacts.clear();
  for (const ContactPoint& contact : world.contacts()) {
    if (!watch_.contacts) break;
    append(shown_.contacts, contact.position);
    append(shown_.contacts, contact.force);
  }
  rays_.clear();
  shown_.rays.clear();
  if (watch_.rays) simulation.list_rays(rays_);
  for (const SensorRay& ray : rays_) {
    append(shown_.rays, ray.start);
    append(shown_.rays, ray.end);
  }
  if (!playback_.is_running()) note_row_at_rest();
}

void Publisher::publish_wait() {
  if (!opened_.is_open()) return;
  const Simulation& simulation = opened_.simulation();
  const auto wall = Clock::now();
  if (std::exchange(waiting_step_, simulation.now().step) != simulation.now().step) {
    waiting_since_ = wall;
    waiting_for_.clear();
  }
  if (wall - waiting_since_ < kLongWait || wall - last_status_ < kStatusPeriod) return;
  waiting_for_.clear();
  for (const auto& connection : simulation.connections()) {
    if (connection.device->state().is_waiting) waiting_for_.push_back(connection.name);
  }
  last_status_ = wall;
  publish_status();
}

bool Publisher::is_waiting() const {
  return playback_.is_running() && !waiting_for_.empty() && waiting_step_ == opened_.simulation().now().step;
}

void Publisher::push_event(const std::string& text) {
  const Instant& now = opened_.simulation().now();
  outbox_.push({.json = {{"push", "event"}, {"step", now.step}, {"time", now.seconds}, {"text", text}}});
}

/// Controllers that connect or leave are events, though not of the run: a replay does not repeat them.
void Publisher::report_controllers() {
  for (const std::string& sentence : opened_.take_ended_controllers()) push_event(sentence);
  if (!opened_.is_live()) return;
  for (const auto& connection : opened_.simulation().connections()) {
    const bool is_connected = connection.device->state().is_connected;
    const std::int64_t reconnects = connection.device->report().counts.reconnects;
    Reported& last = reported_[connection.name];
    const bool is_another = is_connected && last.is_connected && reconnects > last.reconnects;
    last.reconnects = reconnects;
    if (is_connected == last.is_connected && !is_another) continue;
    last.is_connected = is_connected;
    push_event(fmt::format("connection '{}': controller {}", connection.name,
                           !is_connected        ? "lost"
                           : last.was_connected ? "reconnected"
                                                : "connected"));
    last.was_connected |= is_connected;
  }
}

void Publisher::publish_status() {
  if (opened_.is_open()) report_controllers();
  std::string text = status_text();
  if (text == last_status_text_) return;
  last_status_text_ = text;
  outbox_.set_status(std::move(text));
}

std::string Publisher::status_text() const {
  using State = Playback::State;
  const Simulation* simulation = opened_.is_open() ? &opened_.simulation() : nullptr;
  const State state = playback_.state();
  const char* names[] = {"empty", "paused", "running", "ended", "failed"};
  Json status = {
      {"state", names[static_cast<std::size_t>(state)]},
      {"time", simulation ? simulation->now().seconds : 0.0},
      {"step", simulation ? simulation->now().step : 0},
      {"rtf", simulation && is_waiting() ? 0.0 : std::round(1e4 * playback_.real_time_factor()) / 1e4},
      {"speed", playback_.speed() ? Json(*playback_.speed()) : Json(nullptr)},
      {"overruns", playback_.overruns()},
      {"paced_steps", playback_.paced_steps()},
      {"viewers", viewers_.load()}};
  if (state == State::kEnded || state == State::kFailed) status["outcome"] = playback_.outcome();
  status["energy"] =
      simulation ? Json(simulation->world().report({.energy = true}).energy.total()) : Json(nullptr);
  status["solver"] = simulation ? solver_to_json(simulation->world()) : Json(nullptr);
  status["at_planned_end"] = simulation && playback_.is_at_planned_end();
  status["waiting"] = simulation && is_waiting() ? Json(waiting_for_) : Json::array();
  status["connections"] = connections_to_json();
  if (simulation && !opened_.is_live()) {
    const double step = to_seconds(simulation->step_size());
    status["recording"] = {{"start", step * static_cast<double>(playback_.history().first())},
                           {"end", step * static_cast<double>(playback_.history().end())}};
  } else {
    status["recording"] = nullptr;
  }
  status["replay"] = playback_.is_replay();
  status["snapshots"] = playback_.snapshots().to_json();
  return status.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json Publisher::connections_to_json() const {
  Json list = Json::array();
  if (!opened_.is_open()) return list;
  for (const auto& connection : opened_.simulation().connections()) {
    const ConnectionReport report = connection.device->report();
    // A recording has no controllers, only what they said.
    const bool is_connected = opened_.is_live() ? connection.device->state().is_connected
                                                : connection.device->last_input().is_connected;
    Json events = Json::array();
    for (const ConnectionEvent& event : report.events)
      events.push_back({{"time", to_seconds(event.time)}, {"event", name(event.kind)}, {"text", event.text}});
    list.push_back(
        {{"name", connection.name},
         {"address", connection.device->address()},
         {"connected", is_connected},
         {"controller", report.controller},
         {"problem", report.problem},
         {"events", std::move(events)},
         {"late", report.counts.late},
         {"missed", report.counts.missed},
         {"lost", report.counts.lost},
         {"duplicate", report.counts.duplicate},
         {"bad", report.counts.bad},
         {"reconnects", report.counts.reconnects},
         {"round_trip", to_seconds(report.round_trip.median)},
         {"round_trip_p99", to_seconds(report.round_trip.p99)},
         {"round_trip_worst", to_seconds(report.round_trip.worst)},
         {"round_trip_worst_at", to_seconds(report.round_trip.worst_at)},
         {"round_trip_histogram", report.round_trip.histogram},
         {"jitter", to_seconds(report.jitter.median)},
         {"jitter_worst", to_seconds(report.jitter.worst)},
         {"jitter_histogram", report.jitter.histogram},
         {"command_age", seconds_or_null(report.command_age)},
         // Of a paused run it would change the status all the time.
         {"command_wall_age",
          playback_.is_running() ? seconds_or_null(report.command_wall_age) : Json(nullptr)}});
  }
  return list;
}

}  // namespace lockstep::serve
