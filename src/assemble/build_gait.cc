#include "assemble/build_gait.h"

#include <algorithm>

#include "control/gait.h"
#include "control/gait_actions.h"
#include "signals/selection.h"

namespace lockstep {
namespace {

void overlay(double& value, const std::optional<double>& given) {
  value = given.value_or(value);
}

void overlay(GaitParameters& parameters, const GaitParametersConfig& given) {
  overlay(parameters.pitch_amplitude, given.pitch_amplitude);
  overlay(parameters.yaw_amplitude, given.yaw_amplitude);
  overlay(parameters.pitch_phase, given.pitch_phase);
  overlay(parameters.yaw_phase, given.yaw_phase);
  overlay(parameters.between, given.between);
  overlay(parameters.pitch_offset, given.pitch_offset);
  overlay(parameters.yaw_offset, given.yaw_offset);
  overlay(parameters.cycle, given.cycle);
}

class GaitBuilder {
 public:
  GaitBuilder(const GaitConfig& config, BuildContext& context) : config_(config), context_(context) {}

  std::unique_ptr<Controller> build() {
    const std::size_t errors = context_.diagnostics.error_count();
    find_servos();
    make_actions();
    Gait::Settings settings{.period = static_cast<double>(context_.every()) * to_seconds(context_.model.step),
                            .blend = to_seconds(config_.blend),
                            .turn_offset = config_.turn_offset,
                            .start = find_action(config_.action, context_.place_of("action"))};
    settings.changes = make_changes();
    if (context_.diagnostics.error_count() > errors) return nullptr;
    redefine(actions_[settings.start], config_.parameters);
    if (!add_signals(settings.start) || context_.diagnostics.error_count() > errors) return nullptr;
    return std::make_unique<Gait>(std::move(signals_), std::move(actions_), std::move(settings));
  }

 private:
  void find_servos() {
    add_servos("pitch", config_.pitch);
    signals_.pitch_count = signals_.targets.size();
    add_servos("yaw", config_.yaw);
    if (config_.pitch.empty() && config_.yaw.empty()) {
      context_.diagnostics.error(context_.element().place,
                                 "{}: needs 'pitch' or 'yaw': the servos that it moves", context_.subject());
    }
  }

  /// Word by word, so that the joints come in the order in which they are named.
  void add_servos(std::string_view attribute, const std::string& patterns) {
    const std::vector<std::string> names = command_names(context_.signals);
    for (const std::string& word : split_words(patterns)) {
      const Selection found = select_names(word + "/target", names, context_.scope);
      if (!found) {
        context_.error_at(attribute, "{}", found.error());
        continue;
      }
      for (const std::size_t i : *found) add_servo(attribute, names[i]);
    }
  }

  void add_servo(std::string_view attribute, const std::string& target) {
    const Slot slot = *context_.signals.find(target);
    const std::string& unit = context_.signals.info(slot).unit;
    if (unit != "rad") {
      context_.error_at(attribute, "signal '{}' is in '{}'; expected the servo of a hinge, in 'rad'", target,
                        unit);
    } else if (std::find(signals_.targets.begin(), signals_.targets.end(), slot) != signals_.targets.end()) {
      context_.error_at(attribute, "'{}' is named twice", target);
    } else {
      signals_.targets.push_back(slot);
    }
  }

  void make_actions() {
    for (const ReadyMadeAction& action : ready_made_actions()) {
      actions_.push_back({std::string(action.name), action.parameters, no_joints()});
    }
    std::vector<std::string> own;
    for (const GaitActionConfig& config : config_.actions) {
      if (std::find(own.begin(), own.end(), config.name) != own.end()) {
        context_.diagnostics.error(config.place, "{}: action '{}' is there twice", context_.subject(),
                                   config.name);
      }
      own.push_back(config.name);
      GaitAction action = actions_[find_action(config.like, config.place)];
      action.name = config.name;
      redefine(action, config.parameters);
      const auto old = find_named(config.name);
      if (old != actions_.end()) {
        *old = std::move(action);
      } else {
        actions_.push_back(std::move(action));
      }
    }
  }

  std::vector<JointGait> no_joints() const { return std::vector<JointGait>(signals_.targets.size()); }

  std::vector<GaitAction>::iterator find_named(const std::string& name) {
    return std::find_if(actions_.begin(), actions_.end(),
                        [&](const GaitAction& action) { return action.name == name; });
  }

  std::size_t find_action(const std::string& name, const Place& place) {
    const auto found = find_named(name);
    if (found != actions_.end()) return static_cast<std::size_t>(found - actions_.begin());
    std::vector<std::string> names;
    for (const GaitAction& action : actions_) names.push_back(action.name);
    context_.diagnostics.error(place, "{}: unknown action '{}'{}", context_.subject(), name,
                               suggest(name, names));
    return 0;
  }

  void redefine(GaitAction& action, const GaitParametersConfig& given) {
    overlay(action.parameters, given);
    for (const JointGaitConfig& joint : given.joints) {
      const std::optional<std::size_t> index = find_joint(joint);
      if (index) action.joints[*index] = {joint.amplitude, joint.phase, joint.offset, joint.cycle};
    }
  }

  std::optional<std::size_t> find_joint(const JointGaitConfig& joint) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < signals_.targets.size(); ++i) {
      const std::string& target = context_.signals.info(signals_.targets[i]).name;
      const std::string full = target.substr(0, target.rfind('/'));
      names.push_back(context_.short_names({full}).front());
      if (joint.servo == full || joint.servo == names.back()) return i;
    }
    context_.diagnostics.error(joint.place, "{}: <joint>: the gait has no servo '{}'{}", context_.subject(),
                               joint.servo, suggest(joint.servo, names));
    return std::nullopt;
  }

  std::vector<Gait::Change> make_changes() {
    std::vector<Gait::Change> changes;
    for (const GaitChangeConfig& change : config_.changes) {
      if (!changes.empty() && change.time <= changes.back().time) {
        context_.diagnostics.error(change.place, "{}: <at>: time {} s is not after that of the <at> before it",
                                   context_.subject(), to_seconds(change.time));
      }
      changes.push_back({change.time, find_action(change.action, change.place)});
    }
    return changes;
  }

  bool add_signals(std::size_t start) {
    bool is_complete = true;
    const auto add = [&](std::string_view name, std::string_view unit, double initial) {
      const auto slot = context_.add_signal(name, unit, SignalRole::kCommand, initial);
      is_complete &= slot.has_value();
      return slot.value_or(Slot{});
    };
    signals_.action = add("action", "", static_cast<double>(start));
    signals_.direction = add("direction", "", config_.direction);
    signals_.turn = add("turn", "", config_.turn);
    for (std::size_t i = 0; i < signals_.parameters.size(); ++i) {
      const auto& [name, member] = kGaitParameters[i];
      signals_.parameters[i] = add(name, name == "cycle" ? "s" : "rad", actions_[start].parameters.*member);
    }
    return is_complete;
  }

  const GaitConfig& config_;
  BuildContext& context_;
  Gait::Signals signals_;
  std::vector<GaitAction> actions_;
};

}  // namespace

std::unique_ptr<Controller> make_gait(const GaitConfig& config, BuildContext& context) {
  return GaitBuilder(config, context).build();
}

}  // namespace lockstep
