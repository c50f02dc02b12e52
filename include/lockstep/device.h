#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/math.h"
#include "lockstep/signals.h"
#include "lockstep/state.h"
#include "lockstep/time.h"

/// The base classes of devices: Sensor, Controller, Actuator, Subsystem and Observer. A program derives its own
/// from them and adds them to a registry (lockstep/registry.h); a scenario then names them like any other.
///
/// Each step of a simulation calls them in this order:
///
///     sense          Sensor::sense         the world of this instant → measurements in the row
///     decide         Controller::decide    the row → commands in the row
///     exchange       (connections)         controllers outside the process do the same
///     actuate        Actuator::actuate     commands in the row → forces on the world
///     observe        Observer::observe     sees the instant, the row and the world; changes nothing
///     advance        Subsystem::advance    other solvers add forces, then the world steps to the next instant
///     handle events  (events)              what was posted takes effect before the next step
///
/// so a row describes one instant: what was measured, what was decided on it, and nothing later. Devices of one
/// category are called in the order of the scenario file, those of robots before those of the scenario.
///
/// Rules that keep a run deterministic, for all of them:
///
/// - All memory is in save() and restore() (lockstep/state.h). An observer has none that matters.
/// - No threads, no wall clock, no random numbers but those of Random.
/// - World and Row are borrowed: a device uses them during the call only.
/// - Calls come from the one thread that steps the simulation. Several simulations may run at the same time, so
///   devices share nothing that changes.
///
/// Sensors, actuators, subsystems and observers need lockstep/world.h as well. A controller never sees the
/// world: what it may know is what sensors measure.
namespace lockstep {

class World;
struct Tracking;

/// A line along which a sensor looks, up to what it meets; for drawing. World axes, m.
struct SensorRay {
  Vec3 start = Vec3::Zero();
  Vec3 end = Vec3::Zero();
};

/// The last image of a camera, for viewers: red, green and blue bytes, row by row from the top. Borrowed: valid until the
/// simulation goes on.
struct SensorImage {
  int width = 0;   ///< pixels
  int height = 0;  ///< pixels
  std::span<const std::uint8_t> rgb;
};

/// Turns the state of the world into signals. Called first in a step, every period of its own; in between its
/// signals keep their values.
class Sensor : public Stateful {
 public:
  /// Writes the readings of this instant into the sensor's own signals. Errors such as noise are not its job:
  /// every sensor of a scenario may have <error> children, which are applied to what it writes.
  virtual void sense(const World& world, const Instant& now, Row row) = 0;
  /// What the world must keep of each step for sense(). Asked once; nothing unless overridden.
  virtual Tracking needs() const;
  /// Appends the lines along which it looks now. Only for viewers.
  virtual void list_rays(const World&, std::vector<SensorRay>&) const {}
  /// The last image that it took; nothing if it takes none, or has taken none since the state was restored. Only for
  /// viewers: what controllers may know of it is in the signals.
  virtual std::optional<SensorImage> image() const { return std::nullopt; }
};

/// Reads signals and writes command signals. Called after the sensors, every period of its own; what it writes
/// is held in between.
class Controller : public Stateful {
 public:
  /// A status that is not ok ends the run. Its outcome and cause are the controller's to say (usually
  /// kControllerFailed); the loop adds step and name.
  virtual Status decide(const Instant& now, Row row) = 0;
  /// Whether decide() depends on nothing but the time, so that its commands can be checked in advance.
  virtual bool follows_time_alone() const { return false; }
};

/// Turns command signals into forces on the world. Called in every step, after controllers and connections, for
/// forces last for one step.
class Actuator : public Stateful {
 public:
  /// May also write signals of its own, such as the torque that it exerts.
  virtual void actuate(const Instant& now, Row row, World& world) = 0;
};

/// A solver beside the rigid-body engine: a fluid, the heat of a motor, a hydraulic line. Called in every step,
/// just before the world advances; acts on it by forces and signals.
class Subsystem : public Stateful {
 public:
  /// From `now` to now + step, on the world and the row of `now`.
  virtual void advance(const Instant& now, Duration step, Row row, World& world) = 0;
};

/// Everything an observer may see of one instant. Borrowed: valid only during the call.
struct Observation {
  const Instant& now;
  const SignalTable& signals;
  ConstRow row;
  const World& world;
};

/// Looks at a run without changing it: a log, a plot, a score. Called after the actuators, every period of its
/// own. A run has the same hash with and without observers; their memory is not part of the state, and after a
/// snapshot was restored they are simply called with the restored instant.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A status that is not ok ends the run (usually kOutputFailed).
  virtual Status observe(const Observation& seen) = 0;
  /// The run is over, also when it failed: flush and close. Called once.
  virtual Status finish() { return {}; }
  /// As Sensor::needs().
  virtual Tracking needs() const;
};

}  // namespace lockstep
