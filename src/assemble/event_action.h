#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lockstep/error.h"
#include "lockstep/model.h"
#include "lockstep/signals.h"
#include "scenario/scenario.h"
#include "simulation/event.h"
#include "simulation/faults.h"

namespace lockstep {

/// What the names in an event may refer to. Borrowed.
struct ActionScope {
  const Model& model;
  const SignalTable& signals;
  std::span<const DeclaredFault> faults;
};

/// The action of an event with its names resolved; its time is not used. Errors begin with `subject`: "event".
std::optional<Action> make_action(const ScheduledEvent& event, std::string_view subject,
                                  const ActionScope& scope, Diagnostics& diagnostics);

}  // namespace lockstep
