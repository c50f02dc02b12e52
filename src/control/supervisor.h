#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "scenario/controllers_doc.h"
#include "signals/expression.h"

namespace lockstep {

class BuildContext;

/// <when> of a state: a transition to another state.
struct TransitionConfig {
  std::string condition;
  std::string then;
  Duration after{0};
};

template <class V>
void describe(V& v, TransitionConfig& c) {
  v.text("condition", c.condition,
         {.doc = "Condition over signals, such as 'left/distance lt 0.3 m and time_in_state > 1 s'.",
          .required = true});
  v.name("then", c.then, {.doc = "State to go to.", .required = true});
  v.time("after", c.after, {.min = 0.0, .doc = "How long the condition must hold without interruption."});
}

/// <set_signal> of a state.
struct SettingConfig {
  std::string signal;
  double value = 0.0;
};

template <class V>
void describe(V& v, SettingConfig& c) {
  v.text("signal", c.signal, {.doc = "Command signal to set when the state is entered.", .required = true});
  v.number("value", c.value, {.unit = kAnyUnit, .doc = "In the unit of the signal.", .required = true});
}

struct StateConfig {
  Place place;
  std::string name;
  std::vector<SettingConfig> settings;
  std::vector<Element> controllers;
  std::vector<TransitionConfig> transitions;
};

template <class V>
void describe(V& v, StateConfig& c) {
  v.name("name", c.name, {.doc = "Name of the state.", .required = true});
  v.children("set_signal", c.settings, {.doc = "Sets a signal once, when the state is entered."});
  v.container("controllers", c.controllers, {.doc = kControllersDoc});
  v.children("when", c.transitions, {.doc = "Transition to another state. The first that is due is taken."});
}

struct SupervisorConfig {
  std::string initial;
  std::vector<StateConfig> states;
};

template <class V>
void describe(V& v, SupervisorConfig& c) {
  v.name("initial", c.initial, {.doc = "State at the start; the first if omitted."});
  v.children("state", c.states, {.doc = "A state: its controllers and its transitions."}, {.min = 1});
}

/// Switches between controllers: a state machine whose states hold controllers and whose transitions are
/// conditions over signals. At every call, in this order:
///
///     1. the transitions of the current state are evaluated in order, and the first whose condition has held
///        for long enough is taken (at most one);
///     2. a state that is entered sets its signals and restarts its controllers, with their time at zero;
///     3. the controllers of the current state are called.
///
/// A command that the new state does not write keeps its value.
class Supervisor final : public Controller {
 public:
  struct Transition {
    Expression condition;
    std::size_t to = 0;      ///< state
    std::int64_t after = 0;  ///< steps for which the condition must have held without interruption
  };
  struct Setting {
    Slot signal{};
    double value = 0.0;
  };
  struct Member {
    std::unique_ptr<Controller> controller;
    std::int64_t every = 1;  ///< steps between two calls
  };
  struct State {
    std::vector<Setting> settings;
    std::vector<Member> members;
    std::vector<Transition> transitions;
  };

  /// `state_signal` holds the number of the state, from 0 in the order of the list; `time_signal` the seconds
  /// since it was entered.
  Supervisor(std::vector<State> states, std::size_t initial, Slot state_signal, Slot time_signal);

  Status decide(const Instant& now, Row row) override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  static constexpr std::int64_t kNever = -1;

  void enter(std::size_t state, const Instant& now, Row row);
  bool is_due(std::size_t transition, const Instant& now, Row row);

  std::vector<State> states_;
  std::vector<std::vector<std::vector<std::uint8_t>>> fresh_;  // by state and member: its initial state
  Slot state_signal_;
  Slot time_signal_;
  std::size_t current_;
  bool is_running_ = false;
  Instant entered_;
  std::vector<std::int64_t> since_;  // of each transition: the step since which its condition holds
};

std::unique_ptr<Controller> make_supervisor(const SupervisorConfig& config, BuildContext& context);

}  // namespace lockstep
