#include "serve/event_texts.h"

#include <fmt/format.h>

#include "base/overloaded.h"

namespace lockstep::serve {

std::string EventTexts::describe(const Action& action, const Simulation& simulation) {
  const Model& model = simulation.model();
  return std::visit(
      Overloaded{
          [&](const SetSignal& set) {
            const SignalInfo& info = simulation.signals().info(set.slot);
            return fmt::format("signal '{}' set to {:.6g} {}", info.name, set.value, info.unit);
          },
          [&](const SetAttached& set) {
            return fmt::format("joint '{}' {}", model.joint(set.joint).name,
                               set.attached ? "attached" : "detached");
          },
          [&](const Push& push) { return fmt::format("body '{}' pushed", model.body(push.body).name); },
          [&](const SetFault& set) {
            return fmt::format("fault '{}' {}", simulation.faults()[static_cast<std::size_t>(set.fault)].name,
                               set.on ? "on" : "off");
          },
          [&](const SetJoint& set) {
            return fmt::format("joint '{}' moved to {:.6g}", model.joint(set.joint).name, set.position);
          },
          [&](const Pull& pull) -> std::string {
            // A continued drag is one event.
            const bool was_pulled = std::erase(pulled_, pull.body) > 0;
            if (pull.stiffness > 0.0) pulled_.push_back(pull.body);
            if (was_pulled == (pull.stiffness > 0.0)) return "";
            return fmt::format("body '{}' {}", model.body(pull.body).name, was_pulled ? "released" : "pulled");
          },
          [](const Stop&) -> std::string { return "the run stopped"; }},
      action);
}

}  // namespace lockstep::serve
