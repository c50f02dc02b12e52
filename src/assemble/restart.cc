#include "assemble/restart.h"

#include <algorithm>

namespace lockstep {
namespace {

/// The controllers of one robot, or of the scenario itself, as assemble() makes them.
void add_controllers(const std::vector<Element>& elements, BuildContext& context,
                     std::vector<Scheduled<Controller>>& made) {
  for (const Element& element : elements) {
    const auto* kind = context.services.controllers.find(element.name);
    LOCKSTEP_CHECK(kind != nullptr);  // it existed when the simulation was assembled
    std::unique_ptr<Controller> device = kind->make(element, context);
    if (device) made.push_back({context.name(), std::move(device), context.every(), 0});
  }
}

SignalTable copy_first(const SignalTable& signals, std::size_t count) {
  SignalTable copy;
  for (std::size_t i = 0; i < count; ++i) {
    const SignalInfo& info = signals.all()[i];
    copy.set_limits(copy.add(info.name, info.unit, info.role, signals.initial()[i]), info.limits);
  }
  return copy;
}

bool are_same_signals(const SignalTable& made, std::span<const SignalInfo> expected) {
  return std::equal(
      made.all().begin(), made.all().end(), expected.begin(), expected.end(),
      [](const SignalInfo& a, const SignalInfo& b) { return a.name == b.name && a.unit == b.unit; });
}

Simulation assemble_quietly(const Scenario& scenario, const Assets& assets, const Registry& registry) {
  Diagnostics diagnostics;
  return assemble(scenario, assets, registry, diagnostics);
}

}  // namespace

RestartableSimulation::RestartableSimulation(const Scenario& scenario, const Assets& assets,
                                             const Registry& registry)
    : simulation_(assemble_quietly(scenario, assets, registry)),
      other_signals_(copy_first(simulation_.signals(), simulation_.first_controller_signal())) {
  StateWriter writer;
  simulation_.save(writer);
  start_.assign(writer.bytes().begin(), writer.bytes().end());
}

bool RestartableSimulation::restart(const Scenario& scenario, const Assets& assets, const Registry& registry) {
  SignalTable signals = other_signals_;
  OutputFiles outputs;
  const BuildServices services{registry.lists().controllers, assets, outputs};
  Diagnostics diagnostics;
  std::vector<Scheduled<Controller>> controllers;
  const auto add = [&](const Devices& devices, const std::string& scope) {
    BuildContext context(simulation_.model(), signals, diagnostics, services, scope);
    add_controllers(devices.controllers, context, controllers);
  };
  for (const Robot& robot : scenario.robots) add(robot.devices, robot.name);
  add(scenario.devices, "");
  diagnostics.throw_if_errors();
  if (!are_same_signals(signals, simulation_.state_signals())) return false;
  simulation_.restart(start_, std::move(controllers), signals);
  return true;
}

}  // namespace lockstep
