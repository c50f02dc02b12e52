#include "control/supervisor.h"

#include <algorithm>
#include <set>

#include "device/kinds.h"

namespace lockstep {

Supervisor::Supervisor(std::vector<State> states, std::size_t initial, Slot state_signal, Slot time_signal)
    : states_(std::move(states)), state_signal_(state_signal), time_signal_(time_signal), current_(initial) {
  std::size_t most = 0;
  for (const State& state : states_) {
    most = std::max(most, state.transitions.size());
    auto& fresh = fresh_.emplace_back();
    for (const Member& member : state.members) {
      StateWriter writer;
      member.controller->save(writer);
      fresh.emplace_back(writer.bytes().begin(), writer.bytes().end());
    }
  }
  since_.assign(most, kNever);
}

Status Supervisor::decide(const Instant& now, Row row) {
  if (!is_running_) {
    is_running_ = true;
    enter(current_, now, row);
  } else {
    row[time_signal_] = to_seconds(now.time - entered_.time);
    const std::vector<Transition>& transitions = states_[current_].transitions;
    std::optional<std::size_t> next;
    // Evaluate all of them, because each tracks since when its condition holds.
    for (std::size_t i = 0; i < transitions.size(); ++i) {
      if (is_due(i, now, row) && !next) next = transitions[i].to;
    }
    if (next) enter(*next, now, row);
  }
  const Instant inside{now.step - entered_.step, now.time - entered_.time,
                       to_seconds(now.time - entered_.time)};
  for (Member& member : states_[current_].members) {
    if (inside.step % member.every != 0) continue;
    if (Status status = member.controller->decide(inside, row); !status.ok()) return status;
  }
  return {};
}

bool Supervisor::is_due(std::size_t index, const Instant& now, Row row) {
  const Transition& transition = states_[current_].transitions[index];
  if (!transition.condition.is_true(row)) {
    since_[index] = kNever;
    return false;
  }
  if (since_[index] == kNever) since_[index] = now.step;
  return now.step - since_[index] >= transition.after;
}

void Supervisor::enter(std::size_t state, const Instant& now, Row row) {
  current_ = state;
  entered_ = now;
  std::fill(since_.begin(), since_.end(), kNever);
  row[state_signal_] = static_cast<double>(state);
  row[time_signal_] = 0.0;
  for (const Setting& setting : states_[state].settings) row[setting.signal] = setting.value;
  for (std::size_t i = 0; i < states_[state].members.size(); ++i) {
    StateReader reader(fresh_[state][i]);
    states_[state].members[i].controller->restore(reader);
  }
}

void Supervisor::save(StateWriter& writer) const {
  writer.write(static_cast<std::uint64_t>(current_));
  writer.write(is_running_);
  writer.write(entered_.step);
  writer.write(entered_.time.count());
  writer.write(std::span<const std::int64_t>(since_));
  // The controllers of other states restart when their state is entered.
  for (const Member& member : states_[current_].members) member.controller->save(writer);
}

void Supervisor::restore(StateReader& reader) {
  const auto current = reader.read<std::uint64_t>();
  if (current >= states_.size()) throw StateError("a supervisor has a state number that is out of range");
  current_ = static_cast<std::size_t>(current);
  is_running_ = reader.read<bool>();
  entered_.step = reader.read<std::int64_t>();
  entered_.time = Duration(reader.read<Duration::rep>());
  entered_.seconds = to_seconds(entered_.time);
  reader.read_into(std::span<std::int64_t>(since_));
  for (const Member& member : states_[current_].members) member.controller->restore(reader);
}

namespace {

class SupervisorBuilder {
 public:
  SupervisorBuilder(const SupervisorConfig& config, BuildContext& context)
      : config_(config),
        context_(context),
        inner_(context.model, context.signals, context.diagnostics, context.services, context.scope) {
    inner_.begins_at_start = false;
    inner_.default_every = context.every();
  }

  std::unique_ptr<Controller> build() {
    const std::size_t errors = context_.diagnostics.error_count();
    for (const StateConfig& state : config_.states) {
      if (std::find(names_.begin(), names_.end(), state.name) != names_.end()) {
        context_.diagnostics.error(state.place, "{}: state '{}' appears twice", context_.subject(), state.name);
      }
      names_.push_back(state.name);
    }
    const std::size_t initial = config_.initial.empty() ? 0 : find_state(config_.initial, context_, "initial");
    const auto state_signal =
        context_.add_signal("state", "", SignalRole::kInternal, static_cast<double>(initial));
    const auto time_signal = context_.add_signal("time_in_state", "s", SignalRole::kInternal);
    if (!state_signal || !time_signal) return nullptr;
    time_signal_ = *time_signal;

    std::vector<Supervisor::State> states(config_.states.size());
    // Controllers first: conditions may use their signals.
    for_each_state([&](std::size_t i, const Element&) { states[i].members = make_members(config_.states[i]); });
    for_each_state([&](std::size_t i, const Element& element) {
      states[i].settings = make_settings(config_.states[i], element);
      states[i].transitions = make_transitions(config_.states[i], element);
    });
    if (context_.diagnostics.error_count() > errors) return nullptr;
    return std::make_unique<Supervisor>(std::move(states), initial, *state_signal, *time_signal);
  }

 private:
  /// The configuration structs hold the values, the elements their places in the file.
  static std::vector<const Element*> children_of(const Element& element, std::string_view name) {
    std::vector<const Element*> found;
    for (const Element& child : element.children) {
      if (child.name == name) found.push_back(&child);
    }
    return found;
  }

  template <typename Visit>
  void for_each_state(Visit visit) {
    const std::vector<const Element*> elements = children_of(context_.element(), "state");
    for (std::size_t i = 0; i < elements.size(); ++i) visit(i, *elements[i]);
  }

  std::size_t find_state(const std::string& name, BuildContext& context, std::string_view attribute) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    context.error_at(attribute, "unknown state '{}'{}", name, suggest(name, names_));
    return 0;
  }

  /// Points the inner context at an element of this supervisor.
  void select(const Element& element) {
    inner_.begin(element, context_.name().substr(context_.scope.empty() ? 0 : context_.scope.size() + 1),
                 Duration{0});
  }

  std::vector<Supervisor::Member> make_members(const StateConfig& state) {
    std::vector<Supervisor::Member> members;
    for (const Element& element : state.controllers) {
      const auto* kind = context_.services.controllers.find(element.name);
      if (kind == nullptr || element.name == context_.element().name) {
        context_.diagnostics.error(element.place, "there is no controller <{}> for a state{}", element.name,
                                   suggest(element.name, context_.services.controllers.names()));
        continue;
      }
      const Attribute* name = element.find_attribute("name");
      if (name != nullptr && !controllers_.insert(name->value).second) {
        context_.diagnostics.error(name->place, "{}: another controller has the name '{}'", context_.subject(),
                                   name->value);
        continue;
      }
      std::unique_ptr<Controller> controller = kind->make(element, inner_);
      if (!controller) continue;
      if (inner_.every() % context_.every() != 0) {
        inner_.error_at("period", "its period is not a multiple of that of {}", context_.subject());
      }
      members.push_back({std::move(controller), inner_.every()});
    }
    return members;
  }

  std::vector<Supervisor::Setting> make_settings(const StateConfig& state, const Element& element) {
    std::vector<Supervisor::Setting> settings;
    const std::vector<const Element*> elements = children_of(element, "set_signal");
    for (std::size_t i = 0; i < elements.size(); ++i) {
      select(*elements[i]);
      const auto signal = inner_.find_command(state.settings[i].signal);
      if (!signal || !inner_.require_unit("value", context_.signals.info(*signal).unit)) continue;
      settings.push_back({*signal, state.settings[i].value});
    }
    return settings;
  }

  std::vector<Supervisor::Transition> make_transitions(const StateConfig& state, const Element& element) {
    std::vector<Supervisor::Transition> transitions;
    const std::vector<const Element*> elements = children_of(element, "when");
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const TransitionConfig& config = state.transitions[i];
      select(*elements[i]);
      const std::size_t to = find_state(config.then, inner_, "then");
      const std::int64_t step = context_.model.step.count();
      if (config.after.count() % step != 0) {
        inner_.error_at("after", "after {} s is not a multiple of the physics step ({} s)",
                        to_seconds(config.after), to_seconds(context_.model.step));
      }
      Result<Expression, ExpressionError> parsed =
          parse_expression(config.condition, Expression::Kind::kTruth,
                           {.signals = context_.signals,
                            .find = [&](const std::string& name) { return find_signal(name); },
                            .known = context_.short_names(context_.signals.names()),
                            .functions = plain_functions()});
      if (!parsed) {
        inner_.error_at("condition", "condition, character {}: {}", parsed.error().character,
                        parsed.error().text);
        continue;
      }
      transitions.push_back({*std::move(parsed), to, config.after.count() / step});
    }
    return transitions;
  }

  std::optional<Slot> find_signal(const std::string& name) const {
    if (name == "time_in_state") return time_signal_;
    const auto own = context_.scope.empty() ? std::nullopt : context_.signals.find(context_.scope + "/" + name);
    return own ? own : context_.signals.find(name);
  }

  const SupervisorConfig& config_;
  BuildContext& context_;
  BuildContext inner_;
  std::vector<std::string> names_;
  std::set<std::string> controllers_;
  Slot time_signal_{};
};

}  // namespace

std::unique_ptr<Controller> make_supervisor(const SupervisorConfig& config, BuildContext& context) {
  return SupervisorBuilder(config, context).build();
}

}  // namespace lockstep
