#pragma once

#include <cstdint>
#include <variant>

#include "lockstep/math.h"
#include "lockstep/model.h"
#include "lockstep/signals.h"
#include "lockstep/state.h"
#include "lockstep/time.h"

/// The one door for everything that does not come from the step itself: a click, a command from a socket, a
/// call from another thread, an <event> of the scenario.
namespace lockstep {

/// Writes a command signal. It holds until a controller or another event writes it again.
struct SetSignal {
  Slot slot{};
  double value = 0.0;
};

/// Lets a detachable joint go, or holds it again.
struct SetAttached {
  JointId joint{};
  bool attached = false;
};

/// Pushes a body at its centre of mass, in world axes, for a number of steps.
struct Push {
  BodyId body{};
  Wrench wrench;
  std::int64_t steps = 1;
};

/// A spring and damper from a point of a body to a point of the world, until the next one of that body.
struct Pull {
  BodyId body{};
  Vec3 point = Vec3::Zero();   ///< in the body, m
  Vec3 target = Vec3::Zero();  ///< in the world, m
  double stiffness = 0.0;      ///< N/m; 0 lets go
  double damping = 0.0;        ///< N s/m
};

/// Puts a hinge or slide joint to a position, at rest.
struct SetJoint {
  JointId joint{};
  double position = 0.0;  ///< rad or m
};

/// Ends the run after the step at which it is applied.
struct Stop {};

/// Index of a declared fault (Simulation::faults()).
enum class FaultId : int {};

/// Switches a declared fault on or off.
struct SetFault {
  FaultId fault{};
  bool on = false;
  std::int64_t steps = 0;  ///< after so many it goes off by itself; 0: it stays on
};

using Action = std::variant<SetSignal, SetAttached, Push, Stop, SetFault, Pull, SetJoint>;

struct Event {
  std::int64_t step = 0;  ///< applied before this step begins; a step that is past means "as soon as can be"
  std::int32_t priority = 0;  ///< larger first among the events of one step; equal ones in order of arrival
  Action action;
};

/// An event that was posted, and the step before which the simulation took it in.
struct Arrival {
  std::int64_t step = 0;
  Event event;
};

/// An event that has happened: `step` is the step it was applied before.
using EventRecord = Event;

void write_event(StateWriter& writer, const Event& event);
Event read_event(StateReader& reader);

}  // namespace lockstep
