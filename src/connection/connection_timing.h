#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection/connection.h"
#include "lockstep/fields.h"
#include "lockstep/state.h"
#include "lockstep/time.h"

/// Timing of a connection: when it waits, what happens when no command arrives, and how commands are
/// interpolated between exchanges.
namespace lockstep {

/// What a connection does when no command arrives for `timeout`.
enum class Silence {
  kHold,   ///< keeps the last commands
  kZero,   ///< sets all commands to zero, at once
  kPause,  ///< pauses simulated time until a command arrives
  kStop,   ///< ends the run
};

/// Interpolation of commands between exchanges. With u the fraction of the period since the exchange, 0…1,
/// a command is old + (new - old) s(u):
enum class CommandShape {
  kHold,    ///< s = 1: the new value at once
  kLinear,  ///< s = u: continuous
  kSmooth,  ///< s = 2 u² for u ≤ 1/2, then 1 - 2 (1 - u)²: continuous rate, zero at both ends
};

inline constexpr std::array<std::pair<std::string_view, ConnectionMode>, 2> kConnectionModes = {
    {{"lockstep", ConnectionMode::kLockStep}, {"realtime", ConnectionMode::kRealTime}}};
inline constexpr std::array<std::pair<std::string_view, Silence>, 4> kSilences = {
    {{"hold", Silence::kHold}, {"zero", Silence::kZero}, {"pause", Silence::kPause}, {"stop", Silence::kStop}}};
inline constexpr std::array<std::pair<std::string_view, CommandShape>, 3> kCommandShapes = {
    {{"hold", CommandShape::kHold}, {"linear", CommandShape::kLinear}, {"smooth", CommandShape::kSmooth}}};

/// What happens to commands of a silent controller, in stages: held, then a ramp to a safe value, then the end of the
/// run if asked for.
///
///     last command ── hold ──►│ ramp ──► safe value ── stop: the run ends
struct WatchdogConfig {
  std::string signals;
  Duration hold{0};
  Duration ramp{0};
  double safe = 0.0;
  bool stop = false;
};

template <class V>
void describe(V& v, WatchdogConfig& c) {
  constexpr double kMax = 3600.0;  // s
  v.text("signals", c.signals,
         {.doc = "Commands of this connection: names or patterns, as in 'writes'.", .required = true});
  v.time(
      "hold", c.hold,
      {.min = 0.0, .max = kMax, .doc = "Simulated time since the last command for which it is held at most."});
  v.time("ramp", c.ramp,
         {.min = 0.0, .max = kMax, .doc = "Simulated time from there to the safe value, in a straight line."});
  v.number("safe", c.safe, {.unit = "any", .doc = "Safe value of the commands."});
  v.flag("stop", c.stop, {.doc = "The run ends with 'controller lost' when the safe value is reached."});
}

/// Attributes shared by all kinds of connections.
struct ConnectionTiming {
  ConnectionMode mode = ConnectionMode::kLockStep;
  Duration timeout = std::chrono::seconds(1);
  Duration connect_timeout = std::chrono::seconds(10);
  Silence silence = Silence::kStop;
  CommandShape interpolation = CommandShape::kHold;
  std::vector<WatchdogConfig> watchdogs{};
};

template <class V>
void describe(V& v, ConnectionTiming& c) {
  // One hour: longer than any reasonable wait, and far below the range of nanoseconds.
  constexpr double kMax = 3600.0;
  v.choice("mode", c.mode, kConnectionModes,
           {.doc = "lockstep: the simulation waits for every command. realtime: it never waits, and uses the "
                   "newest received command."});
  v.time("timeout", c.timeout,
         {.min = 0.0,
          .max = kMax,
          .above_min = true,
          .doc = "Time without a command after which the controller counts as silent: real time in mode "
                 "lockstep, simulated time in mode realtime."});
  v.time("connect_timeout", c.connect_timeout,
         {.min = 0.0,
          .max = kMax,
          .doc = "Real time that the first exchange waits for a controller to connect and answer."});
  v.choice("silence", c.silence, kSilences,
           {.doc = "What happens when the controller is silent. hold: keep its last commands. zero: set all "
                   "commands to zero. pause: pause simulated time until it answers. stop: end the run."});
  v.choice("interpolation", c.interpolation, kCommandShapes,
           {.doc = "Interpolation of commands between exchanges. hold: new value at once. linear: ramp over "
                   "one period. smooth: over one period with a continuous rate."});
  v.children(
      "watchdog", c.watchdogs,
      {.doc = "With silence 'hold' or 'zero': what happens to single commands when the controller is silent."});
}

/// Reads a count of steps or messages, at least `least`, from a state. Throws StateError.
std::int64_t read_connection_count(StateReader& reader, std::int64_t least);

}  // namespace lockstep
