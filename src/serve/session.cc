#include "serve/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::serve {
namespace {

constexpr auto kPublishPeriod = std::chrono::microseconds(16'000);  // 60 Hz and a little
constexpr auto kStatusPeriod = std::chrono::milliseconds(100);
constexpr auto kRtfWindow = std::chrono::milliseconds(400);
/// A wait that is longer than this is spent where a command can end it.
constexpr auto kLongWait = std::chrono::milliseconds(3);
/// Between two looks at the clock and the commands when running flat out, s on the wall.
constexpr double kBatchSeconds = 1e-3;
constexpr std::int64_t kMaxBatch = 64;
/// Rows since the last hand-over.
constexpr std::size_t kMaxRows = StateSlot::kMaxRowBytes / (4 * sizeof(double));
/// A controller that keeps the simulation waiting must not keep viewers waiting: after so long they come first.
constexpr auto kPatience = std::chrono::milliseconds(150);

void append(std::vector<float>& numbers, const Vec3& v) {
  for (const double x : v) numbers.push_back(static_cast<float>(x));
}

const char* name_of_joint_action(const SetAttached& hold) {
  return hold.attached ? "attached" : "let go";
}

}  // namespace

/// Sees every row that a viewer may want; at most 1000 per second of simulated time.
class Session::RowTap final : public Observer {
 public:
  explicit RowTap(Session& session) : session_(session) {}
  Status observe(const Observation& seen) override {
    session_.note_row(seen.now, seen.row);
    return {};
  }

 private:
  Session& session_;
};

Session::Session(Options options) : options_(std::move(options)), outbox_(options_.wake) {}

Session::~Session() {
  quit();
  close_links();
}

void Session::start() {
  thread_ = std::thread([this] { run(); });
}

void Session::quit() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  has_commands_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Session::post(Command command) {
  {
    const std::scoped_lock lock(mutex_);
    if (commands_.size() >= kMaxWaiting) return false;
    if (commands_.empty()) waiting_since_ = Clock::now();
    commands_.push_back(std::move(command));
    has_posted_.store(true, std::memory_order_release);
  }
  has_commands_.notify_all();
  return true;
}

void Session::add_tap() {
  row_every_ = std::max<std::int64_t>(1, std::chrono::milliseconds(1) / simulation_->step_size());
  simulation_->add_observer({"viewers", std::make_unique<RowTap>(*this), row_every_, 0});
}

bool Session::has_commands() const {
  return has_posted_.load(std::memory_order_acquire);
}

std::optional<Command> Session::take_command() {
  if (!has_commands()) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (commands_.empty()) return std::nullopt;
  Command command = std::move(commands_.front());
  commands_.pop_front();
  waiting_since_ = Clock::now();
  if (commands_.empty()) has_posted_.store(false, std::memory_order_relaxed);
  return command;
}

bool Session::is_overtaken() const {
  if (quit_) return true;
  if (!has_commands()) return false;
  const std::scoped_lock lock(mutex_);
  return std::any_of(commands_.begin(), commands_.end(),
                     [](const Command& each) { return std::holds_alternative<Seek>(each.wish); });
}

bool Session::is_link_wait_cancelled() const {
  if (quit_) return true;
  if (!has_commands()) return false;
  const std::scoped_lock lock(mutex_);
  return waiting_since_ && Clock::now() - *waiting_since_ > kPatience;
}

void Session::run() {
  while (!quit_) {
    // One by one, so that whoever takes long sees what else is wanted.
    while (std::optional<Command> command = take_command()) {
      obey(*command);
      is_dirty_ = has_news_ = true;
    }
    if (simulation_) step_.store(simulation_->now().step, std::memory_order_relaxed);
    if (state_ == State::kRunning) advance();
    publish();
    if (state_ == State::kRunning) continue;
    std::optional<Clock::time_point> until;
    if (has_news_) until = last_status_ + kStatusPeriod;
    if (is_dirty_) until = last_publish_ + kPublishPeriod;
    wait_for_commands(until);
  }
}

void Session::wait_for_commands(std::optional<Clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return quit_ || !commands_.empty(); };
  if (until) {
    has_commands_.wait_until(lock, *until, is_over);
  } else {
    has_commands_.wait(lock, is_over);
  }
}

void Session::advance() {
  if (speed_ && !wait_for_time()) return;
  if (is_live_ && has_news_) {
    // A controller may keep the step waiting; what viewers asked for must not wait with it.
    last_publish_ = last_status_ = {};
    publish();
  }
  std::int64_t batch = 1;
  if (!speed_ && !is_replay_ && !is_live_) {
    batch = std::clamp<std::int64_t>(static_cast<std::int64_t>(kBatchSeconds / step_cost_), 1, kMaxBatch);
    batch = std::min(batch, until_ - simulation_->now().step);
  }
  const auto before = Clock::now();
  Status status = is_replay_ ? take_replayed_step() : take_steps(batch);
  if (!speed_) {
    const double cost =
        std::chrono::duration<double>(Clock::now() - before).count() / static_cast<double>(batch);
    step_cost_ += 0.2 * (std::max(cost, 1e-7) - step_cost_);
  }
  after_steps(std::move(status));
}

/// Waits until the next step is due. False if it is not yet, because something else has to be looked at.
bool Session::wait_for_time() {
  const Duration now = simulation_->now().time;
  if (!pacer_) pacer_.emplace(PacingOptions{.speed = *speed_}, simulation_->step_size(), now, clock_);
  if (simulation_->has_paused_for_links()) pacer_->rebase(*speed_, now);
  const auto due = pacer_->deadline(now);
  if (due - Clock::now() > kLongWait) {
    publish();
    wait_for_commands(std::min<Clock::time_point>(due - kLongWait / 2, Clock::now() + kPublishPeriod));
    return false;
  }
  // Far behind, time starts anew: nobody wants to see it run after the clock.
  if (Clock::now() - due > kStatusPeriod) pacer_->rebase(*speed_, now);
  pacer_->wait_until(now, simulation_->waited_for_links());
  return true;
}

Status Session::take_steps(std::int64_t count) {
  if (!is_live_) return simulation_->run(count);
  before_step_.clear();
  simulation_->save(before_step_);
  Status status = simulation_->run(count);
  if (status.outcome == Outcome::kInterrupted) {
    // Nobody has answered; the step is taken again after the commands were looked at.
    simulation_->restore(before_step_.bytes());
    return {};
  }
  return status;
}

Status Session::take_replayed_step() {
  const std::int64_t step = simulation_->now().step;
  if (step >= history_.end()) return {Outcome::kStopped, step, "", "the recording ends here"};
  history_.feed(*simulation_);
  Status status = simulation_->run(1);
  (void)simulation_->take_arrivals();
  const auto i = static_cast<std::size_t>(step - first_hash_);
  const bool can_compare = !has_differed_ && i < hashes_.size() && simulation_->now().step == step + 1;
  if (can_compare && simulation_->hash() != hashes_[i]) {
    has_differed_ = true;
    warn(fmt::format("step {} ({:.9g} s): the state differs from the recording", step,
                     to_seconds(simulation_->step_size() * step)));
  }
  return status;
}

void Session::after_steps(Status status) {
  is_dirty_ = true;
  const Instant& now = simulation_->now();
  step_.store(now.step, std::memory_order_relaxed);
  if (is_replay_) {
    history_.note_state(*simulation_);
  } else {
    history_.note(*simulation_);
  }
  report_events();
  if (status.outcome == Outcome::kStopped) {
    state_ = State::kEnded;
    outcome_ = status.cause;
  } else if (!status.ok()) {
    state_ = State::kFailed;
    outcome_ = to_string(status);
  } else if (now.step >= until_) {
    state_ = State::kPaused;
  }
  const auto wall = Clock::now();
  if (state_ != State::kRunning) {
    rtf_ = 0.0;
    has_news_ = true;
  } else if (wall - rtf_since_ > kRtfWindow) {
    rtf_ = (now.seconds - rtf_from_) / std::chrono::duration<double>(wall - rtf_since_).count();
    rtf_since_ = wall;
    rtf_from_ = now.seconds;
  }
}

void Session::report_events() {
  if (simulation_->event_log().empty()) return;
  const Model& model = simulation_->model();
  const auto describe = [&](const Action& action) -> std::string {
    if (const auto* set = std::get_if<SetSignal>(&action)) {
      const SignalInfo& info = simulation_->signals().info(set->slot);
      return fmt::format("signal '{}' set to {:.6g} {}", info.name, set->value, info.unit);
    }
    if (const auto* hold = std::get_if<SetAttached>(&action)) {
      return fmt::format("joint '{}' {}", model.joint(hold->joint).name, name_of_joint_action(*hold));
    }
    if (const auto* push = std::get_if<Push>(&action)) {
      return fmt::format("body '{}' pushed", model.body(push->body).name);
    }
    if (const auto* fault = std::get_if<SetFault>(&action)) {
      return fmt::format("fault '{}' {}", simulation_->faults()[static_cast<std::size_t>(fault->fault)].name,
                         fault->on ? "on" : "off");
    }
    if (const auto* joint = std::get_if<SetJoint>(&action)) {
      return fmt::format("joint '{}' put to {:.6g}", model.joint(joint->joint).name, joint->position);
    }
    if (const auto* pull = std::get_if<Pull>(&action)) {
      // A hand that drags on is one event.
      const bool was_pulled = std::erase(pulled_, pull->body) > 0;
      if (pull->stiffness > 0.0) pulled_.push_back(pull->body);
      if (was_pulled == (pull->stiffness > 0.0)) return "";
      return fmt::format("body '{}' {}", model.body(pull->body).name, was_pulled ? "let go" : "pulled");
    }
    return "the run stopped";
  };
  for (const EventRecord& event : simulation_->take_event_log()) {
    const std::string text = is_muted_ ? "" : describe(event.action);
    if (text.empty()) continue;
    outbox_.push({.json = {{"push", "event"},
                           {"step", event.step},
                           {"time", to_seconds(simulation_->step_size() * event.step)},
                           {"text", text}}});
  }
}

void Session::note_row(const Instant& now, ConstRow row) {
  if (!watch_.signals || watch_.signals->empty() || is_muted_) return;
  if (shown_.rows.size() + shown_.row_width() > kMaxRows) shown_.drop_rows();
  last_row_ = now.step;
  shown_.rows.push_back(now.seconds);
  for (const Slot slot : *watch_.signals) shown_.rows.push_back(row[slot]);
}

/// While time stands still, viewers still see what the signals are: those of the step that was taken last.
void Session::note_row_at_rest() {
  Instant last = simulation_->now();
  last.step = std::max<std::int64_t>(0, last.step - 1);
  last.seconds = to_seconds(simulation_->step_size() * last.step);
  if (last.step != last_row_) note_row(last, simulation_->row());
}

void Session::publish() {
  const auto wall = Clock::now();
  if (is_dirty_ && wall - last_publish_ >= kPublishPeriod) {
    if (!simulation_ || viewers_ == 0) {
      is_dirty_ = false;
    } else {
      show_state();
      if (states_.try_publish(shown_)) {
        shown_.signals = watch_.signals;
        is_dirty_ = false;
        last_publish_ = wall;
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

void Session::show_state() {
  const World& world = simulation_->world();
  shown_.scene = scene_->id;
  shown_.watch = watch_.number;
  shown_.step = simulation_->now().step;
  shown_.time = simulation_->now().seconds;
  shown_.signals = watch_.signals;
  shown_.poses.clear();
  for (std::size_t i = 0; i < simulation_->model().bodies.size(); ++i) {
    const Pose pose = world.body_pose(BodyId{static_cast<int>(i)});
    append(shown_.poses, pose.p);
    for (const double x : {pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z()}) {
      shown_.poses.push_back(static_cast<float>(x));
    }
  }
  shown_.joints.clear();
  for (std::size_t i = 0; i < simulation_->model().joints.size(); ++i) {
    const JointType type = simulation_->model().joints[i].type;
    const bool is_one_number = type == JointType::kHinge || type == JointType::kSlide;
    shown_.joints.push_back(
        is_one_number ? static_cast<float>(world.joint_position(JointId{static_cast<int>(i)})[0]) : 0.0f);
  }
  shown_.contacts.clear();
  for (const ContactPoint& contact : world.contacts()) {
    if (!watch_.contacts) break;
    append(shown_.contacts, contact.position);
    append(shown_.contacts, contact.force);
  }
  rays_.clear();
  shown_.rays.clear();
  if (watch_.rays) simulation_->list_rays(rays_);
  for (const SensorRay& ray : rays_) {
    append(shown_.rays, ray.start);
    append(shown_.rays, ray.end);
  }
  if (state_ != State::kRunning) note_row_at_rest();
}

void Session::publish_status() {
  std::string text = status_text();
  if (text == last_status_text_) return;
  last_status_text_ = text;
  outbox_.set_status(std::move(text));
}

std::string Session::status_text() const {
  const char* names[] = {"empty", "paused", "running", "ended", "failed"};
  Json status = {{"state", names[static_cast<std::size_t>(state_)]},
                 {"time", simulation_ ? simulation_->now().seconds : 0.0},
                 {"step", simulation_ ? simulation_->now().step : 0},
                 {"rtf", std::round(1e4 * rtf_) / 1e4},
                 {"speed", speed_ ? Json(*speed_) : Json(nullptr)},
                 {"overruns", pacer_ ? pacer_->statistics().overruns : 0},
                 {"viewers", viewers_.load()}};
  if (state_ == State::kEnded || state_ == State::kFailed) status["outcome"] = outcome_;
  status["energy"] =
      simulation_ ? Json(simulation_->world().report({.energy = true}).energy.total()) : Json(nullptr);
  status["links"] = Json::array();
  if (simulation_) {
    for (const auto& link : simulation_->links()) {
      const LinkReport report = link.part->report();
      status["links"].push_back({{"name", link.name},
                                 {"address", link.part->address()},
                                 {"connected", link.part->last_input().is_connected},
                                 {"late", report.counts.late},
                                 {"lost", report.counts.lost},
                                 {"duplicate", report.counts.duplicate},
                                 {"bad", report.counts.bad},
                                 {"reconnects", report.counts.reconnects},
                                 {"round_trip", to_seconds(report.round_trip_median)}});
    }
  }
  if (simulation_ && !is_live_) {
    const double step = to_seconds(simulation_->step_size());
    status["recording"] = {{"start", step * static_cast<double>(history_.first())},
                           {"end", step * static_cast<double>(history_.end())}};
  } else {
    status["recording"] = nullptr;
  }
  status["replay"] = is_replay_;
  status["snapshots"] = snapshots_json();
  return status.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep::serve
