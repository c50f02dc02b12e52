#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actuators/actuator.h"
#include "base/error.h"
#include "base/time.h"
#include "connection/link.h"
#include "control/controller.h"
#include "log/observer.h"
#include "physics/engine.h"
#include "physics/subsystem.h"
#include "sensors/sensor.h"
#include "signals/table.h"
#include "simulation/event_queue.h"

namespace lockstep {

/// A device with its full name and how often it is called.
template <typename Part>
struct Scheduled {
  std::string name;  ///< "arm/elbow", unique among its kind
  std::unique_ptr<Part> part;
  std::int64_t every = 1;  ///< steps between calls
  std::int64_t next = 0;   ///< step of the next call; kept by the simulation
};

/// A fault that events can switch on and off. Whatever commits it looks at its signal.
struct DeclaredFault {
  std::string name;
  Slot active{};  ///< 1 while it is on; kept by the simulation
};

/// What a simulation is made of. assemble/ makes one from a scenario; a program may also make its own.
struct SimulationParts {
  std::shared_ptr<const Model> model;
  std::unique_ptr<World> world;
  SignalTable signals;
  std::vector<Scheduled<Sensor>> sensors;
  std::vector<Scheduled<Controller>> controllers;
  std::vector<Scheduled<ControllerLink>> links;  ///< called in every step
  std::vector<Scheduled<Actuator>> actuators;    ///< called in every step
  std::vector<Scheduled<Subsystem>> subsystems;  ///< called in every step
  std::vector<Scheduled<Observer>> observers;
  std::size_t first_controller_signal = 0;  ///< those before it are of other parts
  std::vector<DeclaredFault> faults;
  std::vector<Event> events;  ///< waiting from the start
};

/// The one loop. A step is
///
///     sense → decide → exchange → actuate → observe → advance → handle events
///
/// so that a row describes one instant: what was measured, what was decided on it, here and by controllers
/// outside, and nothing later. It has no threads and no clock; the same parts, the same events and the same
/// inputs of links give the same bits.
class Simulation {
 public:
  explicit Simulation(SimulationParts parts);
  Simulation(Simulation&&) = delete;  // its parts know where it is

  /// One step. After a Status that is not ok the simulation stands at the last good instant.
  Status step();

  /// Several steps, as fast as can be; ends early with the status of a step that fails or with kStopped.
  Status run(std::int64_t steps);

  /// Tells the observers that the run is over.
  Status finish();

  const Instant& now() const { return now_; }
  Duration step_size() const { return step_size_; }
  const Model& model() const { return *model_; }
  const World& world() const { return *world_; }
  const SignalTable& signals() const { return signals_; }
  ConstRow row() const { return ConstRow(values_); }  ///< of the step that was taken last

  /// What SetFault can switch, by index.
  std::span<const DeclaredFault> faults() const { return faults_; }
  std::optional<FaultId> find_fault(std::string_view name) const;

  void add_observer(Scheduled<Observer> observer);

  /// The signals that are part of the state: all but those about the clock on the wall, which come last.
  std::span<const SignalInfo> state_signals() const { return signals_.all().first(state_signals_); }

  /// Adds a signal about the clock on the wall, which is logged beside the others but is no part of the state.
  /// A name that was added before stays one signal.
  Slot add_timing_signal(const std::string& name, const std::string& unit);
  std::optional<Slot> find_timing_signal(std::string name) const;
  void set_timing(Slot signal, double value);

  const std::vector<Scheduled<Controller>>& controllers() const { return controllers_; }

  /// The controllers outside. Whoever runs the simulation opens and closes them.
  const std::vector<Scheduled<ControllerLink>>& links() const { return links_; }

  /// Time on the wall that the last step spent waiting for controllers outside, and whether simulated time was
  /// to stand still meanwhile.
  Duration waited_for_links() const { return waited_for_links_; }
  bool has_paused_for_links() const { return has_paused_for_links_; }

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

  /// What somebody beside sensors and observers wants the world to keep of each step; replaces the last wish.
  void track(Tracking wish) { world_->track(tracking_ | wish); }
  /// The lines that sensors look along now; appended.
  void list_rays(std::vector<SensorRay>& rays) const {
    for (const auto& sensor : sensors_) sensor.part->list_rays(*world_, rays);
  }

  /// Everything the future depends on. restore() throws StateError if the bytes do not fit this simulation.
  void save(StateWriter& writer) const;
  void restore(std::span<const std::uint8_t> state);

  /// Goes back to `start`, a state that was saved before the first step, with other controllers. `signals` are
  /// those of this simulation with the values that they have at the start with these controllers.
  void restart(std::span<const std::uint8_t> start, std::vector<Scheduled<Controller>> controllers,
               const SignalTable& signals);
  std::size_t first_controller_signal() const { return first_controller_signal_; }

  std::uint64_t hash() const;  ///< of save()'s bytes

  /// Hash of all names, so that a state is only restored into a simulation of the same build-up.
  std::uint64_t fingerprint() const;

 private:
  Status sense_decide_actuate();
  Status exchange(Row row);
  Status observe();
  Status advance();
  void handle_events();
  void end_faults();
  void apply(const Action& action);
  void push_bodies();
  void pull_bodies();
  void restore_forces(StateReader& reader);
  void set_now(std::int64_t step);

  std::shared_ptr<const Model> model_;
  std::unique_ptr<World> world_;
  SignalTable signals_;
  std::vector<Scheduled<Sensor>> sensors_;
  std::vector<Scheduled<Controller>> controllers_;
  std::vector<Scheduled<ControllerLink>> links_;
  std::vector<Slot> round_trips_;  // timing signal of each link
  std::vector<Scheduled<Actuator>> actuators_;
  std::vector<Scheduled<Subsystem>> subsystems_;
  std::vector<Scheduled<Observer>> observers_;

  Instant now_;
  Duration step_size_{0};
  Slot time_slot_{};
  std::vector<double> values_;  // the row
  std::size_t first_controller_signal_ = 0;
  std::size_t state_signals_ = 0;  // so many of them, from the first, are part of the state
  std::unique_ptr<EventQueue> events_;
  std::vector<EventRecord> event_log_;
  struct ActivePush {
    Push push;
    std::int64_t last_step;
  };
  std::vector<ActivePush> pushes_;
  std::vector<Pull> pulls_;  // at most one of each body
  std::vector<DeclaredFault> faults_;
  std::vector<std::int64_t> fault_ends_;  // of each fault: the first step at which it is off again
  bool stop_requested_ = false;
  Duration waited_for_links_{0};
  bool has_paused_for_links_ = false;
  Tracking tracking_;
  mutable StateWriter scratch_;  // for hash(), so that hashing every step does not allocate
};

}  // namespace lockstep
