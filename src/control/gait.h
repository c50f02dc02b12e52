#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/blend.h"
#include "lockstep/device.h"
#include "lockstep/fields.h"

namespace lockstep {

class BuildContext;

/// <override> of a gait or of an action.
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
  v.text("servo", c.servo, {.doc = "Servo to override, one of the gait's.", .required = true});
  v.number("amplitude", c.amplitude, {.unit = "rad", .doc = "Replaces that of its joint kind."});
  v.number("phase", c.phase,
           {.unit = "rad", .doc = "Phase ahead of the wave; replaces the one from its place in the chain."});
  v.number("offset", c.offset, {.unit = "rad", .doc = "Replaces that of its joint kind."});
  v.number("cycle", c.cycle,
           {.unit = "s", .min = 0.0, .above_min = true, .doc = "Period of one oscillation of this joint."});
}

/// What <gait> and <action> have in common. Omitted values are those of the action it is based on.
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
  v.number("cycle", c.cycle, {.unit = "s", .min = 0.0, .above_min = true, .doc = "Period of one oscillation."});
  v.children("override", c.joints, {.doc = "A joint that differs from the others of its kind."});
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
         {.doc = "Name of the action; replaces a built-in action of that name.", .required = true});
  v.name("like", c.like, {.doc = "Action that supplies what is not given here."});
  describe(v, c.parameters);
}

/// <change_action> of a gait.
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
         {.doc = "Servos of the joints that bend up and down, from the head to the tail; * and ? are "
                 "wildcards."});
  v.text("yaw", c.yaw, {.doc = "Servos of the joints that bend sideways, likewise."});
  v.name("action", c.action, {.doc = "Action at the start. The parameters given here are changes to it."});
  v.time("blend", c.blend,
         {.min = 0.0, .doc = "Time in which the joints blend to new parameters, without a jump."});
  v.number("turn_offset", c.turn_offset,
           {.unit = "rad", .doc = "Angle that the signal 'turn' adds to the yaw joints when it is 1."});
  v.number("direction", c.direction,
           {.min = -1.0, .max = 1.0, .doc = "At the start: 1 forward, -1 backward, 0 stops the wave."});
  v.number("turn", c.turn, {.min = -1.0, .max = 1.0, .doc = "At the start: 1 to the left, -1 to the right."});
  describe(v, c.parameters);
  v.children("action", c.actions, {.doc = "A user-defined action."});
  v.children("change_action", c.changes, {.doc = "Changes the action at a time."});
}

/// The parameters of a gait, for the two kinds of joints of a chain robot.
struct GaitParameters {
  double pitch_amplitude = 0.0;  ///< rad
  double yaw_amplitude = 0.0;    ///< rad
  double pitch_phase = 0.0;      ///< rad from one pitch joint to the next
  double yaw_phase = 0.0;        ///< rad from one yaw joint to the next
  double between = 0.0;          ///< rad by which the yaw wave is ahead of the pitch wave
  double pitch_offset = 0.0;     ///< rad
  double yaw_offset = 0.0;       ///< rad
  double cycle = 1.0;            ///< period of one oscillation, s
};

/// The parameters in the order of the signals that hold them, with their names.
inline constexpr std::pair<std::string_view, double GaitParameters::*> kGaitParameters[] = {
    {"pitch_amplitude", &GaitParameters::pitch_amplitude},
    {"yaw_amplitude", &GaitParameters::yaw_amplitude},
    {"pitch_phase", &GaitParameters::pitch_phase},
    {"yaw_phase", &GaitParameters::yaw_phase},
    {"between", &GaitParameters::between},
    {"pitch_offset", &GaitParameters::pitch_offset},
    {"yaw_offset", &GaitParameters::yaw_offset},
    {"cycle", &GaitParameters::cycle},
};

/// Where one joint differs from its kind.
struct JointGait {
  std::optional<double> amplitude;
  std::optional<double> phase;  ///< rad ahead of the wave; replaces the one from its place in the chain
  std::optional<double> offset;
  std::optional<double> cycle;
};

/// A named set of gait parameters, selected by its number.
struct GaitAction {
  std::string name;
  GaitParameters parameters;
  std::vector<JointGait> joints;  ///< by joint, pitch joints first
};

/// Gait generator: moves a chain of pitch and yaw joints in travelling waves. With k = 0, 1, … along the joints
/// of a kind,
///
///     pitch joint k: amplitude sin(psi + k phase) + offset
///     yaw joint k:   amplitude sin(psi + k phase + between) + offset + turn turn_offset
///
/// in rad, where psi grows by 2 pi direction / cycle per second. psi is integrated, so that a change of cycle
/// or direction does not make the wave jump. The parameters are signals that may change at any time; selecting
/// an action writes its parameters into them. The joints follow smoothly, within the time `blend`.
class Gait final : public Controller {
 public:
  struct Signals {
    std::vector<Slot> targets;  ///< rad, pitch joints first
    std::size_t pitch_count = 0;
    Slot action{};     ///< number of the action
    Slot direction{};  ///< -1…1
    Slot turn{};       ///< -1…1, to the left if positive
    std::array<Slot, std::size(kGaitParameters)> parameters{};
  };
  struct Change {
    Duration time{0};
    std::size_t action = 0;
  };
  struct Settings {
    double period = 0.0;          ///< s between two calls
    double blend = 1.0;           ///< s
    double turn_offset = 0.0;     ///< rad of the yaw joints at turn 1
    std::size_t start = 0;        ///< action
    std::vector<Change> changes;  ///< by time
  };

  Gait(Signals signals, std::vector<GaitAction> actions, Settings settings);

  Status decide(const Instant& now, Row row) override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  /// The current parameters of one joint, on their way to their goals.
  struct Joint {
    Blend amplitude, phase, offset;
    Blend lead;  // rad ahead of psi; not 0 for a joint that has, or had, its own cycle
  };

  void apply_scheduled_action(const Instant& now, Row row);
  Status choose_action(Row row);
  std::string find_invalid_signal(ConstRow row) const;
  GaitParameters read_parameters(ConstRow row) const;
  void move(std::size_t joint, const GaitParameters& goal, ConstRow row, double rate);

  Signals signals_;
  std::vector<GaitAction> actions_;
  Settings settings_;
  std::vector<Joint> joints_;
  Blend rate_;        // of psi, rad/s
  double psi_ = 0.0;  // rad, within one turn
  bool is_running_ = false;
  std::size_t action_ = 0;
  std::size_t next_change_ = 0;
};

std::unique_ptr<Controller> make_gait(const GaitConfig& config, BuildContext& context);

}  // namespace lockstep
