#pragma once

#include <array>
#include <string_view>
#include <utility>

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

/// Attributes shared by all kinds of connections.
struct ConnectionTiming {
  ConnectionMode mode = ConnectionMode::kLockStep;
  Duration timeout = std::chrono::seconds(1);
  Duration connect_timeout = std::chrono::seconds(10);
  Silence silence = Silence::kStop;
  CommandShape interpolation = CommandShape::kHold;
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
}

/// Reads a count of steps or messages, at least `least`, from a state. Throws StateError.
std::int64_t read_connection_count(StateReader& reader, std::int64_t least);

}  // namespace lockstep
