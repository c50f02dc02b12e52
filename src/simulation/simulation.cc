#include "simulation/simulation.h"

#include <algorithm>

#include "base/hash.h"
#include "base/overloaded.h"

namespace lockstep {

Simulation::Simulation(SimulationSetup setup)
    : model_(std::move(setup.model)),
      world_(std::move(setup.world)),
      signals_(std::move(setup.signals)),
      sensors_(std::move(setup.sensors)),
      controllers_(std::move(setup.controllers)),
      connections_(std::move(setup.connections), signals_),
      actuators_(std::move(setup.actuators)),
      subsystems_(std::move(setup.subsystems)),
      observers_(std::move(setup.observers)),
      step_size_(model_->step),
      first_controller_signal_(setup.first_controller_signal),
      faults_(std::move(setup.faults)),
      events_(std::make_unique<EventQueue>(*model_, signals_.table(), faults_.declared().size())) {
  for (const Event& event : setup.events) {
    const Result<void> scheduled = events_->schedule(event);
    LOCKSTEP_CHECK(scheduled.ok());
  }
  moving_mass_ = calc_moving_mass(*model_);
  for (const auto& sensor : sensors_) tracking_ = tracking_ | sensor.device->needs();
  for (const auto& observer : observers_) tracking_ = tracking_ | observer.device->needs();
  world_->track(tracking_);
}

void Simulation::add_observer(Scheduled<Observer> observer) {
  tracking_ = tracking_ | observer.device->needs();
  world_->track(tracking_);
  observer.reschedule(now_.step);
  observers_.push_back(std::move(observer));
}

void Simulation::set_now(std::int64_t step) {
  now_.step = step;
  now_.time = step_size_ * step;
  now_.seconds = to_seconds(now_.time);
}

Status Simulation::step() {
  // Events for the first instant have no previous step that could apply them.
  if (now_.step == 0) handle_events();
  if (now_.step % kEnergyCheckPeriod == 0) {
    if (Status status = check_energy(); !status.ok()) return status;
  }
  const bool is_connected = !connections_.connections().empty();
  const bool may_be_taken_back = is_connected && connections_.may_exchange(now_.step);
  if (may_be_taken_back) keep_undecided();
  sense();
  if (!controllers_.empty()) {
    if (Status status = decide(); !status.ok()) return status;
  }
  if (is_connected) {
    if (Status status = connections_.exchange(now_, signals_); !status.ok()) {
      if (may_be_taken_back) take_back();
      return status;
    }
  }
  actuate();
  if (is_connected) {
    if (Status status = check_signals(); !status.ok()) return status;
  }
  if (!observers_.empty()) {
    if (Status status = observe(); !status.ok()) return status;
  }
  if (Status status = advance(); !status.ok()) return status;
  set_now(now_.step + 1);
  handle_events();
  return {};
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
  Status first = check_energy();
  for (auto& observer : observers_) {
    Status status = observer.device->finish();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

void Simulation::sense() {
  signals_.set_time(now_);
  for (auto& sensor : sensors_) {
    if (sensor.take_turn(now_.step)) sensor.device->sense(*world_, now_, signals_.row());
  }
}

Status Simulation::decide() {
  for (auto& controller : controllers_) {
    if (!controller.take_turn(now_.step)) continue;
    if (Status status = controller.device->decide(now_, signals_.row()); !status.ok()) {
      return {status.outcome, now_.step, controller.name, std::move(status.cause)};
    }
  }
  return {};
}

void Simulation::actuate() {
  std::size_t source = kFirstActuatorSource;
  for (auto& actuator : actuators_) {
    world_->attribute_forces(source++);
    actuator.device->actuate(now_, signals_.row(), *world_);
  }
}

/// Controllers outside may send any finite number; a device that turns it into one that is not ends the run.
Status Simulation::check_signals() const {
  const auto invalid = signals_.find_invalid();
  if (!invalid) return {};
  return {Outcome::kInvalidInput, now_.step, signals_.table().info(*invalid).name,
          fmt::format("the signal is {}", signals_.row()[*invalid])};
}

/// What sense(), decide() and the exchange change, so that a step without an answer can be taken back. The
/// world is not part of it.
void Simulation::keep_undecided() {
  undecided_.clear();
  signals_.save(undecided_);
  save_all(undecided_, sensors_);
  save_all(undecided_, controllers_);
  save_all(undecided_, connections_.connections());
}

void Simulation::take_back() {
  StateReader reader(undecided_.bytes());
  signals_.restore(reader);
  restore_all(reader, sensors_, now_.step);
  restore_all(reader, controllers_, now_.step);
  restore_all(reader, connections_.connections(), now_.step);
}

Status Simulation::observe() {
  for (auto& observer : observers_) {
    if (!observer.take_turn(now_.step)) continue;
    const Observation seen{now_, signals_.table(), signals_.row(), *world_};
    if (Status status = observer.device->observe(seen); !status.ok()) return status;
  }
  return {};
}

Status Simulation::advance() {
  std::size_t source = kFirstActuatorSource + actuators_.size();
  for (auto& subsystem : subsystems_) {
    world_->attribute_forces(source++);
    subsystem.device->advance(now_, step_size_, signals_.row(), *world_);
  }
  world_->attribute_forces(kEventSource);
  forces_.apply(now_.step, *world_);
  return world_->step();
}

EnergyBalance Simulation::energy_balance() const {
  const WorldReport report = world_->report({.energy = true, .work = true});
  EnergyBalance balance{.energy = report.energy,
                        .damping = report.work.damping,
                        .friction = report.work.friction,
                        .contacts = report.work.contacts,
                        .unexplained = report.work.unexplained};
  const auto work_of = [&](std::size_t source) {
    return source < report.work.by_source.size() ? report.work.by_source[source] : 0.0;
  };
  for (std::size_t i = 0; i < actuators_.size(); ++i)
    balance.work.emplace_back(actuators_[i].name, work_of(kFirstActuatorSource + i));
  for (std::size_t i = 0; i < subsystems_.size(); ++i)
    balance.work.emplace_back(subsystems_[i].name, work_of(kFirstActuatorSource + actuators_.size() + i));
  balance.work.emplace_back("events", work_of(kEventSource));
  return balance;
}

Status Simulation::check_energy() const {
  const double bound = model_->engine.energy_bound;
  if (bound == 0.0) return {};
  const WorldReport report = world_->report({.energy = true, .work = true});
  const double gained = calc_gained_energy(report.work);
  if (gained <= calc_largest_gain(report, bound, moving_mass_)) return {};
  return {
      Outcome::kEnergyGained, now_.step, "",
      fmt::format("the energy has grown by {:.3g} J without a cause; use a smaller step or another integrator",
                  gained)};
}

void Simulation::handle_events() {
  if (!faults_.declared().empty()) faults_.end_due(now_.step, signals_.row());
  if (!events_->may_have_due(now_.step)) return;
  for (const Event& event : events_->take_due(now_.step)) {
    event_log_.push_back({now_.step, event.priority, event.action});
    apply(event.action);
  }
}

void Simulation::apply(const Action& action) {
  std::visit(Overloaded{[&](const SetSignal& set) { signals_.row()[set.slot] = set.value; },
                        [&](const SetAttached& set) { world_->set_attached(set.joint, set.attached); },
                        [&](const Push& push) { forces_.add(push, now_.step); },
                        [&](const Pull& pull) { forces_.add(pull); },
                        [&](const SetFault& change) { faults_.set(change, now_.step, signals_.row()); },
                        [&](const SetJoint& set) { world_->set_joint_position(set.joint, set.position); },
                        [&](const Stop&) { stop_requested_ = true; }},
             action);
}

void Simulation::save(StateWriter& writer) const {
  writer.write(now_.step);
  signals_.save(writer);
  world_->save(writer);
  save_all(writer, sensors_);
  save_all(writer, controllers_);
  save_all(writer, connections_.connections());
  save_all(writer, actuators_);
  save_all(writer, subsystems_);
  forces_.save(writer);
  faults_.save(writer);
  events_->save(writer);
}

void Simulation::restore(std::span<const std::uint8_t> state) {
  StateReader reader(state);
  const auto step = reader.read<std::int64_t>();
  if (step < 0) throw StateError("the step is negative");
  signals_.restore(reader);
  world_->restore(reader);
  if (world_->step_count() != step) throw StateError("world and simulation are at different steps");
  restore_all(reader, sensors_, step);
  restore_all(reader, controllers_, step);
  restore_all(reader, connections_.connections(), step);
  restore_all(reader, actuators_, step);
  restore_all(reader, subsystems_, step);
  for (auto& observer : observers_) observer.reschedule(step);
  forces_.restore(reader, *model_);
  faults_.restore(reader);
  events_->restore(reader);
  if (!reader.at_end()) throw StateError("the state is longer than that of this simulation");
  set_now(step);
  stop_requested_ = false;
}

void Simulation::restart(std::span<const std::uint8_t> start, std::vector<Scheduled<Controller>> controllers,
                         const SignalTable& signals) {
  LOCKSTEP_CHECK(signals.size() == signals_.state_signals().size());
  restore(start);  // with the old controllers, whose state it contains
  LOCKSTEP_CHECK(now_.step == 0);
  controllers_ = std::move(controllers);
  std::copy(signals.initial().begin(), signals.initial().end(), signals_.state_values().begin());
  event_log_.clear();
}

std::vector<std::pair<std::string_view, SensorImage>> Simulation::images() const {
  std::vector<std::pair<std::string_view, SensorImage>> images;
  for (const auto& sensor : sensors_) {
    if (const auto image = sensor.device->image()) images.emplace_back(sensor.name, *image);
  }
  return images;
}

std::uint64_t Simulation::hash() const {
  scratch_.clear();
  save(scratch_);
  return hash_bytes(scratch_.bytes());
}

std::uint64_t Simulation::fingerprint() const {
  std::uint64_t hash = hash_text("lockstep", static_cast<std::uint64_t>(step_size_.count()));
  const auto add = [&](std::string_view name) { hash = hash_text(name, hash); };
  for (const SignalInfo& signal : signals_.state_signals()) add(signal.name);
  for (const BodyModel& body : model_->bodies) add(body.name);
  for (const JointModel& joint : model_->joints) {
    add(joint.name);
    hash = hash_text(joint.detachable ? "detachable"
                     : joint.driven   ? "driven"
                                      : "",
                     hash + static_cast<std::uint64_t>(joint.type));
  }
  for (const auto& sensor : sensors_) add(sensor.name);
  for (const auto& controller : controllers_) add(controller.name);
  for (const auto& connection : connections_.connections()) add(connection.name);
  for (const auto& actuator : actuators_) add(actuator.name);
  for (const auto& subsystem : subsystems_) add(subsystem.name);
  return hash;
}

}  // namespace lockstep
