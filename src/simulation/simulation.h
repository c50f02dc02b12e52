#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection/connection.h"
#include "lockstep/device.h"
#include "lockstep/error.h"
#include "lockstep/signals.h"
#include "lockstep/time.h"
#include "lockstep/world.h"
#include "simulation/applied_forces.h"
#include "simulation/connection_exchange.h"
#include "simulation/energy_balance.h"
#include "simulation/event_queue.h"
#include "simulation/faults.h"
#include "simulation/scheduled.h"
#include "simulation/signal_row.h"

namespace lockstep {

/// What a simulation is made of. assemble/ makes one from a scenario; a program may also make its own.
struct SimulationSetup {
  std::shared_ptr<const Model> model;
  std::unique_ptr<World> world;
  SignalTable signals;
  std::vector<Scheduled<Sensor>> sensors;
  std::vector<Scheduled<Controller>> controllers;
  std::vector<Scheduled<Connection>> connections;  ///< called in every step
  std::vector<Scheduled<Actuator>> actuators;      ///< called in every step
  std::vector<Scheduled<Subsystem>> subsystems;    ///< called in every step
  std::vector<Scheduled<Observer>> observers;
  std::size_t first_controller_signal = 0;  ///< those before it are of other parts
  std::vector<DeclaredFault> faults;
  std::vector<Event> events;  ///< waiting from the start
};

/// The one loop. Each step
///
///     sense          sensors that are due read the world of this instant and write measurements into the row
///     decide         controllers that are due read the row and write commands
///     exchange       controllers outside get measurements and hand over commands
///     actuate        actuators read commands and hand forces to the world
///     observe        observers see the instant, the row and the world; they change nothing
///     advance        subsystems and events add their forces, and the world goes on to the next instant
///     handle events  faults that are over end; events that are due before the next step are applied
///
/// so that a row describes one instant: what was measured, what was decided on it, here and by controllers
/// outside, and nothing later. It has no threads and no clock; the same parts, the same events and the same
/// inputs of connections give the same bits. When steps happen is decided by the Runner (simulation/runner.h).
class Simulation {
 public:
  explicit Simulation(SimulationSetup setup);
  Simulation(Simulation&&) = delete;  // its parts know where it is

  /// One step. After a Status that is not ok the simulation is at the last good instant. A step whose exchange
  /// with a controller outside failed is taken back as a whole: it may be repeated.
  Status step();

  /// What became of the energy since the start.
  EnergyBalance energy_balance() const;
  /// Whether the energy has not grown without a cause. Steps check it from time to time, and finish() does.
  Status check_energy() const;

  /// Several steps, as fast as possible; ends early with the status of a step that fails or with kStopped.
  Status run(std::int64_t steps);

  /// Tells the observers that the run is over.
  Status finish();

  const Instant& now() const { return now_; }
  Duration step_size() const { return step_size_; }
  const Model& model() const { return *model_; }
  const World& world() const { return *world_; }
  const SignalTable& signals() const { return signals_.table(); }
  ConstRow row() const { return signals_.row(); }  ///< of the step that was taken last

  /// What SetFault can switch, by index.
  std::span<const DeclaredFault> faults() const { return faults_.declared(); }
  std::optional<FaultId> find_fault(std::string_view name) const { return faults_.find(name); }

  void add_observer(Scheduled<Observer> observer);

  /// The signals that are part of the state: all but those about the wall clock, which come last.
  std::span<const SignalInfo> state_signals() const { return signals_.state_signals(); }

  /// Signals about the wall clock, which are logged beside the others but are not part of the state.
  Slot add_timing_signal(const std::string& name, const std::string& unit) {
    return signals_.add_timing(name, unit);
  }
  std::optional<Slot> find_timing_signal(std::string name) const {
    return signals_.find_timing(std::move(name));
  }
  void set_timing(Slot signal, double value) { signals_.set_timing(signal, value); }

  const std::vector<Scheduled<Controller>>& controllers() const { return controllers_; }

  /// The controllers outside the process. The caller opens and closes them.
  const std::vector<Scheduled<Connection>>& connections() const { return connections_.connections(); }

  /// Real time that the last step spent waiting for controllers outside, and whether simulated time was
  /// to stand still meanwhile.
  Duration waited_for_connections() const { return connections_.waited(); }
  bool has_paused_for_connections() const { return connections_.has_paused(); }

  /// Hands an event in, from any thread; see EventQueue::post().
  Result<void> post(const Event& event) { return events_->post(event); }

  /// Between two steps: applies what was posted by now, as the end of the last step did. The next step goes on
  /// from there.
  void apply_posted() { handle_events(); }
  /// Forgets what was posted and not applied.
  void drop_posted() { events_->drop_posted(); }

  /// What was posted, and when it was taken in; see EventQueue.
  void keep_arrivals() { events_->keep_arrivals(); }
  std::vector<Arrival> take_arrivals() { return events_->take_arrivals(); }

  /// What has been applied so far, in order, also the events of the scenario.
  const std::vector<EventRecord>& event_log() const { return event_log_; }
  /// The same since the last call of this, so that a run without end does not keep them all.
  std::vector<EventRecord> take_event_log() { return std::exchange(event_log_, {}); }

  /// What the world keeps of each step beyond what sensors and observers need; replaces the last request.
  void track(Tracking extra) { world_->track(tracking_ | extra); }
  /// The lines that sensors look along now; appended.
  void list_rays(std::vector<SensorRay>& rays) const {
    for (const auto& sensor : sensors_) sensor.device->list_rays(*world_, rays);
  }

  /// Sensors that have an image now, by full name; borrowed until the next step.
  std::vector<std::pair<std::string_view, SensorImage>> images() const;

  /// Everything the future depends on. restore() throws StateError if the bytes do not fit this simulation.
  void save(StateWriter& writer) const;
  void restore(std::span<const std::uint8_t> state);

  /// Goes back to `start`, a state that was saved before the first step, with other controllers. `signals` are
  /// those of this simulation with the values that they have at the start with these controllers.
  void restart(std::span<const std::uint8_t> start, std::vector<Scheduled<Controller>> controllers,
               const SignalTable& signals);
  std::size_t first_controller_signal() const { return first_controller_signal_; }

  /// Of save()'s bytes without the health of connections, which depends on the wall clock: a run in lock step
  /// has the same hash at any speed of its controllers.
  std::uint64_t hash() const;

  /// Hash of all names, so that a state is only restored into a simulation of the same build-up.
  std::uint64_t fingerprint() const;

 private:
  void sense();
  Status decide();
  void actuate();
  Status check_signals() const;
  void keep_undecided();
  void take_back();
  Status observe();
  Status advance();
  void handle_events();
  void apply(const Action& action);
  void set_now(std::int64_t step);

  std::shared_ptr<const Model> model_;
  std::unique_ptr<World> world_;
  SignalRow signals_;
  std::vector<Scheduled<Sensor>> sensors_;
  std::vector<Scheduled<Controller>> controllers_;
  ConnectionExchange connections_;
  std::vector<Scheduled<Actuator>> actuators_;
  std::vector<Scheduled<Subsystem>> subsystems_;
  std::vector<Scheduled<Observer>> observers_;

  Instant now_;
  Duration step_size_{0};
  std::size_t first_controller_signal_ = 0;
  AppliedForces forces_;
  Faults faults_;
  std::unique_ptr<EventQueue> events_;
  std::vector<EventRecord> event_log_;
  bool stop_requested_ = false;
  Tracking tracking_;
  double moving_mass_ = 0.0;  // kg
  StateWriter undecided_;     // the state before sense(), if the exchange of this step may fail
  mutable StateWriter scratch_{StateWriter::Purpose::kHash};  // so that hashing every step does not allocate
};

}  // namespace lockstep
