#include "control/gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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
  take_scheduled_action(now, row);
  if (Status status = choose_action(row); !status.ok()) return status;
  if (std::string nonsense = find_nonsense(row); !nonsense.empty()) {
    return {Outcome::kControllerFailed, 0, "", std::move(nonsense)};
  }
  const GaitParameters goal = read_parameters(row);
  // The body is straight at first and takes up the wave from there.
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

void Gait::take_scheduled_action(const Instant& now, Row row) {
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

std::string Gait::find_nonsense(ConstRow row) const {
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
  // A joint that keeps a time of its own runs away from the others, and comes back to them by the shorter way.
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
    throw StateError("a gait has no action or change of that number");
  }
  action_ = static_cast<std::size_t>(action);
  next_change_ = static_cast<std::size_t>(next_change);
}

}  // namespace lockstep
