#include "simulation/simulation.h"

#include <algorithm>
#include <limits>

#include "base/hash.h"

namespace lockstep {
namespace {

/// The first step at or after `step` at which a device is called.
std::int64_t next_call(std::int64_t step, std::int64_t every) {
  return (step + every - 1) / every * every;
}

template <typename Part>
void save_parts(StateWriter& writer, const std::vector<Scheduled<Part>>& parts) {
  for (const Scheduled<Part>& part : parts) part.part->save(writer);
}

template <typename Part>
void restore_parts(StateReader& reader, std::vector<Scheduled<Part>>& parts, std::int64_t step) {
  for (Scheduled<Part>& part : parts) {
    part.part->restore(reader);
    part.next = next_call(step, part.every);
  }
}

}  // namespace

Simulation::Simulation(SimulationParts parts)
    : model_(std::move(parts.model)),
      world_(std::move(parts.world)),
      signals_(std::move(parts.signals)),
      sensors_(std::move(parts.sensors)),
      controllers_(std::move(parts.controllers)),
      links_(std::move(parts.links)),
      actuators_(std::move(parts.actuators)),
      subsystems_(std::move(parts.subsystems)),
      observers_(std::move(parts.observers)),
      step_size_(model_->step),
      first_controller_signal_(parts.first_controller_signal) {
  const auto time_slot = signals_.find("time");
  time_slot_ = time_slot ? *time_slot : signals_.add("time", "s", SignalRole::kInternal);
  values_.assign(signals_.initial().begin(), signals_.initial().end());
  const auto all = signals_.all();
  const auto is_timing = [](const SignalInfo& info) { return info.role == SignalRole::kTiming; };
  state_signals_ = static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_timing) - all.begin());
  LOCKSTEP_CHECK(std::all_of(all.begin() + static_cast<std::ptrdiff_t>(state_signals_), all.end(), is_timing));
  for (const auto& link : links_) round_trips_.push_back(add_timing_signal(link.name + "/round_trip", "s"));
  faults_ = std::move(parts.faults);
  fault_ends_.assign(faults_.size(), 0);
  events_ = std::make_unique<EventQueue>(*model_, signals_, faults_.size());
  for (const Event& event : parts.events) {
    const Result<void> scheduled = events_->schedule(event);
    LOCKSTEP_CHECK(scheduled.ok());
  }
  for (const auto& sensor : sensors_) tracking_ = tracking_ | sensor.part->needs();
  for (const auto& observer : observers_) tracking_ = tracking_ | observer.part->needs();
  world_->track(tracking_);
}

void Simulation::add_observer(Scheduled<Observer> observer) {
  tracking_ = tracking_ | observer.part->needs();
  world_->track(tracking_);
  observer.next = next_call(now_.step, observer.every);
  observers_.push_back(std::move(observer));
}

Slot Simulation::add_timing_signal(const std::string& name, const std::string& unit) {
  if (const auto slot = find_timing_signal(name)) return *slot;
  std::string free_name = name;
  while (signals_.find(free_name)) free_name += '_';
  values_.push_back(0.0);
  return signals_.add(free_name, unit, SignalRole::kTiming);
}

std::optional<Slot> Simulation::find_timing_signal(std::string name) const {
  // A device of the scenario may be called that; then the signal has another name.
  for (;; name += '_') {
    const auto slot = signals_.find(name);
    if (!slot || signals_.info(*slot).role == SignalRole::kTiming) return slot;
  }
}

void Simulation::set_timing(Slot signal, double value) {
  LOCKSTEP_CHECK(signals_.info(signal).role == SignalRole::kTiming);
  Row{values_}[signal] = value;
}

void Simulation::set_now(std::int64_t step) {
  now_.step = step;
  now_.time = step_size_ * step;
  now_.seconds = to_seconds(now_.time);
}

Status Simulation::step() {
  // Events for the very first instant have no step before them that could handle them.
  if (now_.step == 0) handle_events();
  if (Status status = sense_decide_actuate(); !status.ok()) return status;
  if (!observers_.empty()) {
    if (Status status = observe(); !status.ok()) return status;
  }
  Status status = advance();
  if (status.ok()) {
    set_now(now_.step + 1);
    handle_events();
  }
  return status;
}

Status Simulation::run(std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) {
    if (Status status = step(); !status.ok()) return status;
    if (stop_requested_) {
      stop_requested_ = false;
      return {Outcome::kStopped, now_.step, "", "an event stopped the run"};
    }
  }
  return {};
}

Status Simulation::finish() {
  Status first;
  for (auto& observer : observers_) {
    Status status = observer.part->finish();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

Status Simulation::sense_decide_actuate() {
  const Row row(values_);
  row[time_slot_] = now_.seconds;
  for (auto& sensor : sensors_) {
    if (sensor.next != now_.step) continue;
    sensor.next += sensor.every;
    sensor.part->sense(*world_, now_, row);
  }
  for (auto& controller : controllers_) {
    if (controller.next != now_.step) continue;
    controller.next += controller.every;
    if (Status status = controller.part->decide(now_, row); !status.ok()) {
      return {status.outcome, now_.step, controller.name, std::move(status.cause)};
    }
  }
  if (!links_.empty()) {
    if (Status status = exchange(row); !status.ok()) return status;
  }
  for (auto& actuator : actuators_) actuator.part->actuate(now_, row, *world_);
  return {};
}

Status Simulation::exchange(Row row) {
  waited_for_links_ = Duration(0);
  has_paused_for_links_ = false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    ControllerLink& link = *links_[i].part;
    Status status = link.exchange(now_, row);
    waited_for_links_ += link.waited();
    has_paused_for_links_ |= link.has_paused();
    const bool has_answer = link.waited().count() > 0 && link.last_answer().is_fresh;
    if (has_answer) set_timing(round_trips_[i], to_seconds(link.waited()));
    if (!status.ok()) return status;
  }
  return {};
}

Status Simulation::observe() {
  for (auto& observer : observers_) {
    if (observer.next != now_.step) continue;
    observer.next += observer.every;
    const Observation seen{now_, signals_, ConstRow(values_), *world_};
    if (Status status = observer.part->observe(seen); !status.ok()) return status;
  }
  return {};
}

Status Simulation::advance() {
  const Row row(values_);
  for (auto& subsystem : subsystems_) subsystem.part->advance(now_, step_size_, row, *world_);
  if (!pushes_.empty()) push_bodies();
  if (!pulls_.empty()) pull_bodies();
  return world_->step();
}

void Simulation::push_bodies() {
  for (const ActivePush& active : pushes_) {
    const BodyId body = active.push.body;
    const Vec3 center_W = world_->body_pose(body) * model_->body(body).mass.center;
    world_->add_body_force(body, center_W, active.push.wrench);
  }
  std::erase_if(pushes_, [&](const ActivePush& active) { return active.last_step <= now_.step; });
}

void Simulation::pull_bodies() {
  for (const Pull& pull : pulls_) {
    const Pose X_WB = world_->body_pose(pull.body);
    const Twist velocity = world_->body_velocity(pull.body);
    const Vec3 point_W = X_WB * pull.point;
    const Vec3 point_velocity = velocity.linear + velocity.angular.cross(point_W - X_WB.p);
    const Vec3 force = pull.stiffness * (pull.target - point_W) - pull.damping * point_velocity;
    world_->add_body_force(pull.body, point_W, {.force = force});
  }
}

std::optional<FaultId> Simulation::find_fault(std::string_view name) const {
  const auto it = std::find_if(faults_.begin(), faults_.end(),
                               [&](const DeclaredFault& fault) { return fault.name == name; });
  if (it == faults_.end()) return std::nullopt;
  return FaultId{static_cast<int>(it - faults_.begin())};
}

void Simulation::end_faults() {
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (fault_ends_[i] <= now_.step) Row{values_}[faults_[i].active] = 0.0;
  }
}

void Simulation::handle_events() {
  end_faults();
  for (const Event& event : events_->take_due(now_.step)) {
    event_log_.push_back({now_.step, event.priority, event.action});
    apply(event.action);
  }
}

void Simulation::apply(const Action& action) {
  if (const auto* set = std::get_if<SetSignal>(&action)) {
    Row{values_}[set->slot] = set->value;
  } else if (const auto* hold = std::get_if<SetAttached>(&action)) {
    world_->set_attached(hold->joint, hold->attached);
  } else if (const auto* push = std::get_if<Push>(&action)) {
    pushes_.push_back({*push, now_.step + push->steps - 1});
  } else if (const auto* fault = std::get_if<SetFault>(&action)) {
    constexpr std::int64_t kForGood = std::numeric_limits<std::int64_t>::max();
    const auto i = static_cast<std::size_t>(fault->fault);
    const bool lasts = fault->steps == 0 || fault->steps > kForGood - now_.step;
    fault_ends_[i] = !fault->on ? 0 : lasts ? kForGood : now_.step + fault->steps;
    Row{values_}[faults_[i].active] = fault->on ? 1.0 : 0.0;
  } else if (const auto* pull = std::get_if<Pull>(&action)) {
    std::erase_if(pulls_, [&](const Pull& active) { return active.body == pull->body; });
    if (pull->stiffness > 0.0) pulls_.push_back(*pull);
  } else if (const auto* joint = std::get_if<SetJoint>(&action)) {
    world_->set_joint_position(joint->joint, joint->position);
  } else {
    stop_requested_ = true;
  }
}

void Simulation::save(StateWriter& writer) const {
  writer.write(now_.step);
  writer.write(std::span<const double>(values_).first(state_signals_));
  world_->save(writer);
  save_parts(writer, sensors_);
  save_parts(writer, controllers_);
  save_parts(writer, links_);
  save_parts(writer, actuators_);
  save_parts(writer, subsystems_);
  writer.write(static_cast<std::uint64_t>(pushes_.size()));
  for (const ActivePush& active : pushes_) write_event(writer, {active.last_step, 0, active.push});
  writer.write(static_cast<std::uint64_t>(pulls_.size()));
  for (const Pull& pull : pulls_) write_event(writer, {0, 0, pull});
  for (const std::int64_t end : fault_ends_) writer.write(end);
  events_->save(writer);
}

void Simulation::restore(std::span<const std::uint8_t> state) {
  StateReader reader(state);
  const auto step = reader.read<std::int64_t>();
  if (step < 0) throw StateError("the step is negative");
  reader.read_into(std::span<double>(values_).first(state_signals_));
  world_->restore(reader);
  if (world_->step_count() != step) throw StateError("the world stands at another step than the simulation");
  restore_parts(reader, sensors_, step);
  restore_parts(reader, controllers_, step);
  restore_parts(reader, links_, step);
  restore_parts(reader, actuators_, step);
  restore_parts(reader, subsystems_, step);
  for (auto& observer : observers_) observer.next = next_call(step, observer.every);
  restore_forces(reader);
  for (std::int64_t& end : fault_ends_) end = reader.read<std::int64_t>();
  events_->restore(reader);
  if (!reader.at_end()) throw StateError("the state is longer than this simulation");
  set_now(step);
  stop_requested_ = false;
}

void Simulation::restore_forces(StateReader& reader) {
  const auto read_count = [&] {
    const auto count = reader.read<std::uint64_t>();
    if (count > EventQueue::kMaxWaiting) throw StateError("too many bodies are being pushed or pulled");
    return count;
  };
  pushes_.clear();
  for (std::uint64_t i = read_count(); i > 0; --i) {
    const Event event = read_event(reader);
    const auto* push = std::get_if<Push>(&event.action);
    if (push == nullptr || index(push->body) >= model_->bodies.size()) throw StateError("a push does not fit");
    pushes_.push_back({*push, event.step});
  }
  pulls_.clear();
  for (std::uint64_t i = read_count(); i > 0; --i) {
    const Event event = read_event(reader);
    const auto* pull = std::get_if<Pull>(&event.action);
    if (pull == nullptr || index(pull->body) >= model_->bodies.size()) throw StateError("a pull does not fit");
    pulls_.push_back(*pull);
  }
}

void Simulation::restart(std::span<const std::uint8_t> start, std::vector<Scheduled<Controller>> controllers,
                         const SignalTable& signals) {
  LOCKSTEP_CHECK(signals.size() == state_signals_);
  restore(start);  // with the old controllers, whose part of the state it holds
  LOCKSTEP_CHECK(now_.step == 0);
  controllers_ = std::move(controllers);
  std::copy(signals.initial().begin(), signals.initial().end(), values_.begin());
  event_log_.clear();
}

std::uint64_t Simulation::hash() const {
  scratch_.clear();
  save(scratch_);
  return hash_bytes(scratch_.bytes());
}

std::uint64_t Simulation::fingerprint() const {
  std::uint64_t hash = hash_text("lockstep", static_cast<std::uint64_t>(step_size_.count()));
  const auto add = [&](std::string_view name) { hash = hash_text(name, hash); };
  for (const SignalInfo& signal : signals_.all().first(state_signals_)) add(signal.name);
  for (const BodyModel& body : model_->bodies) add(body.name);
  for (const JointModel& joint : model_->joints) {
    add(joint.name);
    hash = hash_text(joint.detachable ? "detachable" : "", hash + static_cast<std::uint64_t>(joint.type));
  }
  for (const auto& sensor : sensors_) add(sensor.name);
  for (const auto& controller : controllers_) add(controller.name);
  for (const auto& link : links_) add(link.name);
  for (const auto& actuator : actuators_) add(actuator.name);
  for (const auto& subsystem : subsystems_) add(subsystem.name);
  return hash;
}

}  // namespace lockstep
