#include "assemble/event_action.h"

#include <algorithm>

#include "device/context.h"

namespace lockstep {
namespace {

/// Resolves the names of one event.
class ActionMaker {
 public:
  ActionMaker(const ScheduledEvent& event, std::string_view subject, const ActionScope& scope,
              Diagnostics& diagnostics)
      : event_(event), subject_(subject), scope_(scope), diagnostics_(diagnostics) {}

  std::optional<Action> make() {
    switch (event_.action) {
      case EventAction::kSetSignal:
        return make_set();
      case EventAction::kDetach:
      case EventAction::kAttach:
        return make_attached();
      case EventAction::kPush:
        return make_push();
      case EventAction::kStop:
        return Stop{};
      case EventAction::kFault:
      case EventAction::kRepair:
        return make_fault();
    }
    return std::nullopt;
  }

 private:
  template <typename... Args>
  std::nullopt_t error(fmt::format_string<Args...> format, Args&&... args) {
    diagnostics_.error(event_.place, "{}: {}", subject_, fmt::format(format, std::forward<Args>(args)...));
    return std::nullopt;
  }
  std::nullopt_t unknown(const char* what, const std::vector<std::string>& names) {
    return error("unknown {} '{}'{}", what, event_.target, suggest(event_.target, names));
  }

  /// Duration of the event, in steps.
  std::optional<std::int64_t> find_length() {
    const Duration step = scope_.model.step;
    if (event_.length % step == Duration{0}) return event_.length / step;
    return error("length {} s is not a multiple of the physics step ({} s)", to_seconds(event_.length),
                 to_seconds(step));
  }

  std::optional<Action> make_set() {
    const auto slot = scope_.signals.find(event_.target);
    if (!slot) return unknown("signal", command_names(scope_.signals));
    if (scope_.signals.info(*slot).role != SignalRole::kCommand) {
      return error("signal '{}' is measured; only command signals can be set", event_.target);
    }
    return SetSignal{*slot, event_.value};
  }

  std::optional<Action> make_attached() {
    const auto joint = scope_.model.find_joint(event_.target);
    if (!joint) return unknown("joint", scope_.model.joint_names());
    if (!scope_.model.joint(*joint).detachable) {
      return error("joint '{}' is not detachable; add detachable=\"true\" to it", event_.target);
    }
    return SetAttached{*joint, event_.action == EventAction::kAttach};
  }

  std::optional<Action> make_push() {
    const auto body = scope_.model.find_body(event_.target);
    if (!body) return unknown("body", scope_.model.body_names());
    if (!scope_.model.can_move(*body)) {
      return error("body '{}' is static; expected one that can move", event_.target);
    }
    const std::optional<std::int64_t> steps = find_length();
    if (!steps) return std::nullopt;
    return Push{*body, {event_.force, event_.torque}, std::max<std::int64_t>(1, *steps)};
  }

  std::optional<Action> make_fault() {
    std::vector<std::string> names;
    for (const DeclaredFault& fault : scope_.faults) names.push_back(fault.name);
    const auto it = std::find(names.begin(), names.end(), event_.target);
    if (it == names.end()) return unknown("fault", names);
    const std::optional<std::int64_t> steps = find_length();
    if (!steps) return std::nullopt;
    return SetFault{FaultId{static_cast<int>(it - names.begin())}, event_.action == EventAction::kFault,
                    *steps};
  }

  const ScheduledEvent& event_;
  std::string_view subject_;
  const ActionScope& scope_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Action> make_action(const ScheduledEvent& event, std::string_view subject,
                                  const ActionScope& scope, Diagnostics& diagnostics) {
  return ActionMaker(event, subject, scope, diagnostics).make();
}

}  // namespace lockstep
