#pragma once

#include <cstdint>
#include <variant>

#include "lockstep/math.h"
#include "lockstep/model.h"
#include "lockstep/signals.h"
#include "lockstep/state.h"
#include "lockstep/time.h"

/// Events: the only way to change a run from outside the step: a click, a command from a socket, a call from
/// another thread, an <event> of the scenario.
namespace lockstep {

/// Writes a command signal. It holds until a controller or another event writes it again.
struct SetSignal {
  Slot slot{};
  double value = 0.0;
};

/// Detaches or attaches a detachable joint.
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

/// A spring and damper between a point of a body and a point of the world, until the next pull of that body.
struct Pull {
  BodyId body{};
  Vec3 point = Vec3::Zero();   ///< in the body, m
  Vec3 target = Vec3::Zero();  ///< in the world, m
  double stiffness = 0.0;      ///< N/m; 0 releases the body
  double damping = 0.0;        ///< N s/m
};

/// Moves a hinge or slide joint to a position, at rest.
struct SetJoint {
  JointId joint{};
  double position = 0.0;  ///< rad or m
};

/// Ends the run after the step in which it is applied.
struct Stop {};

/// Index of a declared fault (Simulation::faults()).
enum class FaultId : int {};

/// Switches a declared fault on or off.
struct SetFault {
  FaultId fault{};
  bool on = false;
  std::int64_t steps = 0;  ///< duration; 0: until switched off
};

using Action = std::variant<SetSignal, SetAttached, Push, Stop, SetFault, Pull, SetJoint>;

struct Event {
  std::int64_t step = 0;      ///< applied before this step begins; a past step means "as soon as possible"
  std::int32_t priority = 0;  ///< larger first among the events of one step; equal ones in order of arrival
  Action action;
};

/// A posted event, and the step before which the simulation received it.
struct Arrival {
  std::int64_t step = 0;
  Event event;
};

/// An applied event: `step` is the step before which it was applied.
using EventRecord = Event;

void write_event(StateWriter& writer, const Event& event);
Event read_event(StateReader& reader);

}  // namespace lockstep
