#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assemble/build_context.h"
#include "base/field.h"
#include "control/controller.h"

namespace lockstep {

/// <joint> of a gait or of an action.
struct JointGaitConfig {
  Place place;
  std::string servo;
  std::optional<double> amplitude;
  std::optional<double> phase;
  std::optional<double> offset;
  std::optional<double> cycle;
};

template <class V>
void describe(V& v, JointGaitConfig& c) {
  v.text("servo", c.servo, {.doc = "Servo that does otherwise, one of the gait's.", .required = true});
  v.number("amplitude", c.amplitude, {.unit = "rad", .doc = "Instead of that of its sort."});
  v.number("phase", c.phase,
           {.unit = "rad", .doc = "How far it is ahead of the wave, instead of what its place gives."});
  v.number("offset", c.offset, {.unit = "rad", .doc = "Instead of that of its sort."});
  v.number("cycle", c.cycle,
           {.unit = "s", .min = 0.0, .above_min = true, .doc = "Time of one oscillation of this joint."});
}

/// What <gait> and <action> have in common. What is left out is that of the action it begins with.
struct GaitParametersConfig {
  std::optional<double> pitch_amplitude, yaw_amplitude;
  std::optional<double> pitch_phase, yaw_phase, between;
  std::optional<double> pitch_offset, yaw_offset;
  std::optional<double> cycle;
  std::vector<JointGaitConfig> joints;
};

template <class V>
void describe(V& v, GaitParametersConfig& c) {
  v.number("pitch_amplitude", c.pitch_amplitude, {.unit = "rad", .doc = "Amplitude of the pitch joints."});
  v.number("yaw_amplitude", c.yaw_amplitude, {.unit = "rad", .doc = "Amplitude of the yaw joints."});
  v.number("pitch_phase", c.pitch_phase,
           {.unit = "rad", .doc = "Phase from one pitch joint to the next along the chain."});
  v.number("yaw_phase", c.yaw_phase,
           {.unit = "rad", .doc = "Phase from one yaw joint to the next along the chain."});
  v.number("between", c.between, {.unit = "rad", .doc = "Phase of the yaw wave ahead of the pitch wave."});
  v.number("pitch_offset", c.pitch_offset, {.unit = "rad", .doc = "Angle about which the pitch joints swing."});
  v.number("yaw_offset", c.yaw_offset, {.unit = "rad", .doc = "Angle about which the yaw joints swing."});
  v.number("cycle", c.cycle, {.unit = "s", .min = 0.0, .above_min = true, .doc = "Time of one oscillation."});
  v.children("joint", c.joints, {.doc = "A joint that does otherwise than the others of its sort."});
}

struct GaitActionConfig {
  Place place;
  std::string name;
  std::string like = "rest";
  GaitParametersConfig parameters;
};

template <class V>
void describe(V& v, GaitActionConfig& c) {
  v.name("name", c.name,
         {.doc = "Name of the action; one that is there already is replaced.", .required = true});
  v.name("like", c.like, {.doc = "Action from which it takes what is not given here."});
  describe(v, c.parameters);
}

/// <at> of a gait.
struct GaitChangeConfig {
  Place place;
  Duration time{0};
  std::string action;
};

template <class V>
void describe(V& v, GaitChangeConfig& c) {
  v.time("time", c.time, {.min = 0.0, .doc = "When to change.", .required = true});
  v.name("action", c.action, {.doc = "Action from then on.", .required = true});
}

struct GaitConfig {
  std::string pitch;
  std::string yaw;
  std::string action = "forward";
  Duration blend{1'000'000'000};
  double turn_offset = 0.3;
  double direction = 1.0;
  double turn = 0.0;
  GaitParametersConfig parameters;
  std::vector<GaitActionConfig> actions;
  std::vector<GaitChangeConfig> changes;
};

template <class V>
void describe(V& v, GaitConfig& c) {
  v.text("pitch", c.pitch,
         {.doc = "Servos of the joints that bend up and down, from the head to the tail; * and ? stand for any "
                 "text."});
  v.text("yaw", c.yaw, {.doc = "Servos of the joints that bend sideways, likewise."});
  v.name("action", c.action, {.doc = "Action to begin with. The parameters given here are changes to it."});
  v.time("blend", c.blend,
         {.min = 0.0, .doc = "Time in which the joints go over to new parameters, without a jump."});
  v.number("turn_offset", c.turn_offset,
           {.unit = "rad", .doc = "Angle that the signal 'turn' adds to the yaw joints when it is 1."});
  v.number("direction", c.direction,
           {.min = -1.0, .max = 1.0, .doc = "At the start: 1 onwards, -1 backwards, 0 stands still."});
  v.number("turn", c.turn, {.min = -1.0, .max = 1.0, .doc = "At the start: 1 to the left, -1 to the right."});
  describe(v, c.parameters);
  v.children("action", c.actions, {.doc = "An action of one's own."});
  v.children("at", c.changes, {.doc = "Changes the action at a time."});
}

std::unique_ptr<Controller> make_gait(const GaitConfig& config, BuildContext& context);

}  // namespace lockstep
