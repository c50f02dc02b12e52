#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assemble/build_context.h"
#include "base/field.h"
#include "base/units.h"
#include "control/controller.h"
#include "scenario/element.h"

namespace lockstep {

/// <when> of a state: where to go from there, and when.
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
  v.time("after", c.after, {.min = 0.0, .doc = "How long the condition must hold without a break."});
}

/// <set> of a state.
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
  v.children("set", c.settings, {.doc = "Sets a signal once, when the state is entered."});
  v.container(
      "controllers", c.controllers,
      {.doc = "Controllers that run while the state lasts. They start anew whenever it is entered, with their "
              "time at zero."});
  v.children("when", c.transitions,
             {.doc = "Leaves the state for another. The first one that is due is taken."});
}

struct SupervisorConfig {
  std::string initial;
  std::vector<StateConfig> states;
};

template <class V>
void describe(V& v, SupervisorConfig& c) {
  v.name("initial", c.initial, {.doc = "State at the start; the first if left out."});
  v.children("state", c.states, {.doc = "What to do for a while, and when to do something else."}, {.min = 1});
}

std::unique_ptr<Controller> make_supervisor(const SupervisorConfig& config, BuildContext& context);

}  // namespace lockstep
