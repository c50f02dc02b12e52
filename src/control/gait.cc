#include "control/gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control/gait_actions.h"
#include "device/context.h"
#include "signals/selection.h"

namespace lockstep {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

double rate_of(double cycle, double direction) {
  return kTurn * direction / cycle;
}

}  // namespace

Gait::Gait(Signals signals, std::vector<GaitAction> actions, Settings settings)
    : signals_(std::move(signals)),
      actions_(std::move(actions)),
      settings_(std::move(settings)),
      joints_(signals_.targets.size()),
      action_(settings_.start) {}

Status Gait::decide(const Instant& now, Row row) {
  apply_scheduled_action(now, row);
  if (Status status = choose_action(row); !status.ok()) return status;
  if (std::string invalid = find_invalid_signal(row); !invalid.empty()) {
    return {Outcome::kControllerFailed, 0, "", std::move(invalid)};
  }
  const GaitParameters goal = read_parameters(row);
  // The body starts straight and blends into the wave.
  if (is_running_) {
    psi_ = std::remainder(psi_ + rate_.value() * settings_.period, kTurn);
    rate_.advance(rate_of(goal.cycle, row[signals_.direction]), settings_.period, settings_.blend);
  } else {
    rate_.jump(rate_of(goal.cycle, row[signals_.direction]));
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    move(i, goal, row, rate_.value());
    const Joint& joint = joints_[i];
    row[signals_.targets[i]] =
        joint.amplitude.value() * std::sin(psi_ + joint.phase.value() + joint.lead.value()) +
        joint.offset.value();
  }
  is_running_ = true;
  return {};
}

void Gait::apply_scheduled_action(const Instant& now, Row row) {
  const std::vector<Change>& changes = settings_.changes;
  for (; next_change_ < changes.size() && changes[next_change_].time <= now.time; ++next_change_) {
    row[signals_.action] = static_cast<double>(changes[next_change_].action);
  }
}

Status Gait::choose_action(Row row) {
  const double chosen = row[signals_.action];
  if (chosen == static_cast<double>(action_)) return {};
  if (!(chosen >= 0.0 && chosen < static_cast<double>(actions_.size())) || chosen != std::floor(chosen)) {
    return {Outcome::kControllerFailed, 0, "",
            fmt::format("there is no action {}; expected 0 to {}", chosen, actions_.size() - 1)};
  }
  action_ = static_cast<std::size_t>(chosen);
  for (std::size_t i = 0; i < signals_.parameters.size(); ++i) {
    row[signals_.parameters[i]] = actions_[action_].parameters.*kGaitParameters[i].second;
  }
  return {};
}

std::string Gait::find_invalid_signal(ConstRow row) const {
  for (const auto& [name, slot] : {std::pair("direction", signals_.direction), {"turn", signals_.turn}}) {
    if (!(std::abs(row[slot]) <= 1.0)) return fmt::format("{} is {}; expected -1 to 1", name, row[slot]);
  }
  for (std::size_t i = 0; i < signals_.parameters.size(); ++i) {
    const double value = row[signals_.parameters[i]];
    const std::string_view name = kGaitParameters[i].first;
    if (!std::isfinite(value)) return fmt::format("{} is {}; expected a number", name, value);
    if (name == "cycle" && value <= 0.0) return fmt::format("cycle is {} s; expected more than 0", value);
  }
  return "";
}

GaitParameters Gait::read_parameters(ConstRow row) const {
  GaitParameters parameters;
  for (std::size_t i = 0; i < signals_.parameters.size(); ++i) {
    parameters.*kGaitParameters[i].second = row[signals_.parameters[i]];
  }
  return parameters;
}

void Gait::move(std::size_t index, const GaitParameters& goal, ConstRow row, double rate) {
  Joint& joint = joints_[index];
  const JointGait& own = actions_[action_].joints[index];
  const bool is_pitch = index < signals_.pitch_count;
  const double place = static_cast<double>(is_pitch ? index : index - signals_.pitch_count);
  const double phase = is_pitch ? place * goal.pitch_phase : place * goal.yaw_phase + goal.between;
  const double turned = is_pitch ? 0.0 : row[signals_.turn] * settings_.turn_offset;

  const double dt = is_running_ ? settings_.period : 0.0;
  if (!is_running_) joint.phase.jump(own.phase.value_or(phase));
  joint.amplitude.advance(own.amplitude.value_or(is_pitch ? goal.pitch_amplitude : goal.yaw_amplitude), dt,
                          settings_.blend);
  joint.phase.advance(own.phase.value_or(phase), dt, settings_.blend);
  joint.offset.advance(own.offset.value_or(is_pitch ? goal.pitch_offset : goal.yaw_offset) + turned, dt,
                       settings_.blend);
  // A joint with its own cycle drifts away from the others, and returns to them by the shorter way.
  if (own.cycle) {
    const double own_rate = rate_of(*own.cycle, row[signals_.direction]);
    joint.lead.jump(std::remainder(joint.lead.value() + (own_rate - rate) * dt, kTurn));
  } else {
    joint.lead.advance(0.0, dt, settings_.blend);
  }
}

void Gait::save(StateWriter& writer) const {
  for (const Joint& joint : joints_) {
    for (const Blend* blend : {&joint.amplitude, &joint.phase, &joint.offset, &joint.lead}) blend->save(writer);
  }
  rate_.save(writer);
  writer.write(psi_);
  writer.write(is_running_);
  writer.write(static_cast<std::uint64_t>(action_));
  writer.write(static_cast<std::uint64_t>(next_change_));
}

void Gait::restore(StateReader& reader) {
  for (Joint& joint : joints_) {
    for (Blend* blend : {&joint.amplitude, &joint.phase, &joint.offset, &joint.lead}) blend->restore(reader);
  }
  rate_.restore(reader);
  psi_ = reader.read<double>();
  is_running_ = reader.read<bool>();
  const auto action = reader.read<std::uint64_t>();
  const auto next_change = reader.read<std::uint64_t>();
  if (action >= actions_.size() || next_change > settings_.changes.size()) {
    throw StateError("a gait has an action or change number that is out of range");
  }
  action_ = static_cast<std::size_t>(action);
  next_change_ = static_cast<std::size_t>(next_change);
}

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
      context_.diagnostics.error(context_.element().place, "{}: needs 'pitch' or 'yaw', the servos to move",
                                 context_.subject());
    }
  }

  /// Word by word, so that the joints are in the order in which they are named.
  void add_servos(std::string_view attribute, const std::string& patterns) {
    const std::vector<std::string> names = command_names(context_.signals);
    for (const std::string& word : split_words(patterns)) {
      const auto found = select_names(word + "/target", names, context_.scope);
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
      context_.error_at(attribute, "'{}' appears twice", target);
    } else {
      signals_.targets.push_back(slot);
    }
  }

  void make_actions() {
    for (const BuiltInAction& action : built_in_actions(signals_.targets.size())) {
      actions_.push_back({std::string(action.name), action.parameters, no_joints()});
    }
    std::vector<std::string> own;
    for (const GaitActionConfig& config : config_.actions) {
      if (std::find(own.begin(), own.end(), config.name) != own.end()) {
        context_.diagnostics.error(config.place, "{}: action '{}' appears twice", context_.subject(),
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
    context_.diagnostics.error(joint.place, "{}: <override>: the gait has no servo '{}'{}", context_.subject(),
                               joint.servo, suggest(joint.servo, names));
    return std::nullopt;
  }

  std::vector<Gait::Change> make_changes() {
    std::vector<Gait::Change> changes;
    for (const GaitChangeConfig& change : config_.changes) {
      if (!changes.empty() && change.time <= changes.back().time) {
        context_.diagnostics.error(change.place,
                                   "{}: <change_action>: time {} s is not after the previous <change_action>",
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
