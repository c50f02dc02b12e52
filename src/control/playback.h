#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "control/plan.h"
#include "lockstep/device.h"
#include "lockstep/fields.h"

namespace lockstep {

class BuildContext;

struct PlaybackConfig {
  std::string src;
  std::string columns;
  std::string unit;
  std::optional<Duration> interval;
  Interpolation interpolation = Interpolation::kLinear;
  bool loop = false;
  double time_scale = 1.0;
  Duration start{0};
  std::optional<double> max_speed;
  std::optional<double> max_acceleration;
  double max_jump = 0.01;
};

inline constexpr std::array<std::pair<std::string_view, Interpolation>, 3> kInterpolations = {
    {{"linear", Interpolation::kLinear},
     {"cubic", Interpolation::kCubic},
     {"quintic", Interpolation::kQuintic}}};

template <class V>
void describe(V& v, PlaybackConfig& c) {
  v.text("src", c.src, {.doc = "CSV file with the plan, relative to the file this is in.", .required = true});
  v.text("columns", c.columns,
         {.doc = "Names of the columns, instead of a header: 'time', a command signal or its actuator, "
                 "velocity(…) or acceleration(…) of one, or '-' to ignore a column. A unit may follow in "
                 "brackets: 'elbow[deg]'."});
  v.text("unit", c.unit, {.doc = "Unit of the columns that do not give one; SI if omitted."});
  v.time("interval", c.interval,
         {.min = 0.0, .above_min = true, .doc = "Time between two rows, for a plan without a 'time' column."});
  v.choice(
      "interpolation", c.interpolation, kInterpolations,
      {.doc = "Between the rows: linear; cubic, with continuous acceleration; or quintic, which rests at each "
              "row unless the plan gives velocities."});
  v.flag("loop", c.loop, {.doc = "Whether the plan repeats; otherwise its last row is held."});
  v.number("time_scale", c.time_scale,
           {.min = 0.0, .above_min = true, .doc = "Seconds of the plan per second: 2 plays twice as fast."});
  v.time("start", c.start, {.min = 0.0, .doc = "When the plan starts; its first row is held before."});
  v.number("max_speed", c.max_speed,
           {.unit = kAnyUnit,
            .min = 0.0,
            .above_min = true,
            .doc = "Largest allowed speed, in addition to the actuator limits; required if those have none."});
  v.number("max_acceleration", c.max_acceleration,
           {.unit = kAnyUnit,
            .min = 0.0,
            .above_min = true,
            .doc = "Largest allowed acceleration; no limit if omitted."});
  v.number(
      "max_jump", c.max_jump,
      {.unit = kAnyUnit,
       .min = 0.0,
       .doc = "Largest allowed jump from the initial position of a joint to the first row (not checked in a "
              "state of a supervisor, where that position is unknown), and from the last row of a loop back "
              "to the first."});
}

/// Plays a motion plan: each of its curves drives one command signal. It has no state: its output depends on
/// time alone.
class Playback final : public Controller {
 public:
  struct Settings {
    double start = 0.0;  ///< s
    double time_scale = 1.0;
  };

  /// `signals` are the commands that the curves drive; `progress` is 0 at the first row and 1 at the last.
  Playback(Plan plan, std::vector<Slot> signals, Slot progress, const Settings& settings)
      : plan_(std::move(plan)), signals_(std::move(signals)), progress_(progress), settings_(settings) {}

  bool follows_time_alone() const override { return true; }
  Status decide(const Instant& now, Row row) override;

 private:
  Plan plan_;
  std::vector<Slot> signals_;
  Slot progress_;
  Settings settings_;
};

/// Reads the plan, finds the signals of its columns, and checks all of it, also between the rows, against the
/// limits of the joints it drives. Null, with row and joint in the diagnostics, if it cannot be played.
std::unique_ptr<Controller> make_playback(const PlaybackConfig& config, BuildContext& context);

}  // namespace lockstep
