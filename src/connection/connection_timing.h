#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "connection/connection.h"
#include "lockstep/fields.h"
#include "lockstep/state.h"
#include "lockstep/time.h"

/// When a connection waits, what it does when no command comes, and how commands go from one exchange to the
/// next.
namespace lockstep {

/// What a connection does when no command comes for `timeout`.
enum class Silence {
  kHold,   ///< keeps the last commands
  kZero,   ///< sets all commands to zero, at once
  kPause,  ///< lets simulated time stand still until a command comes
  kStop,   ///< ends the run
};

/// How commands go from one exchange to the next. With u the fraction of the period since the exchange, 0…1,
/// a command is old + (new - old) s(u):
enum class CommandShape {
  kHold,    ///< s = 1: the new value at once
  kLinear,  ///< s = u: continuous
  kSmooth,  ///< s = 2 u² up to the middle, then 1 - 2 (1 - u)²: with a continuous rate, zero at both ends
};

inline constexpr std::array<std::pair<std::string_view, ConnectionMode>, 2> kConnectionModes = {
    {{"lockstep", ConnectionMode::kLockStep}, {"realtime", ConnectionMode::kRealTime}}};
inline constexpr std::array<std::pair<std::string_view, Silence>, 4> kSilences = {
    {{"hold", Silence::kHold}, {"zero", Silence::kZero}, {"pause", Silence::kPause}, {"stop", Silence::kStop}}};
inline constexpr std::array<std::pair<std::string_view, CommandShape>, 3> kCommandShapes = {
    {{"hold", CommandShape::kHold}, {"linear", CommandShape::kLinear}, {"smooth", CommandShape::kSmooth}}};

/// What the elements of all connections have in common.
struct ConnectionTiming {
  ConnectionMode mode = ConnectionMode::kLockStep;
  Duration timeout = std::chrono::seconds(1);
  Duration connect_timeout = std::chrono::seconds(10);
  Silence silence = Silence::kStop;
  CommandShape interpolation = CommandShape::kHold;
};

template <class V>
void describe(V& v, ConnectionTiming& c) {
  // An hour is longer than any controller is waited for, and far from where nanoseconds end.
  constexpr double kMax = 3600.0;
  v.choice("mode", c.mode, kConnectionModes,
           {.doc = "lockstep: the simulation waits for every command. realtime: it never waits, and uses the "
                   "newest command that has come."});
  v.time("timeout", c.timeout,
         {.min = 0.0,
          .max = kMax,
          .above_min = true,
          .doc = "How long no command may come before the controller counts as silent: real time in lock "
                 "step, of simulated time in real time."});
  v.time("connect_timeout", c.connect_timeout,
         {.min = 0.0,
          .max = kMax,
          .doc = "How long, in real time, the first exchange waits for a controller to connect and answer."});
  v.choice("silence", c.silence, kSilences,
           {.doc = "What happens when the controller is silent. hold: its last commands stay. zero: all become "
                   "zero. pause: simulated time stands still until it answers. stop: the run ends."});
  v.choice("interpolation", c.interpolation, kCommandShapes,
           {.doc = "How commands go from one exchange to the next. hold: at once. linear: in a straight line "
                   "over one period. smooth: over one period with a continuous rate."});
}

/// Reads a count of steps or messages, at least `least`, of a state. Throws StateError.
std::int64_t read_connection_count(StateReader& reader, std::int64_t least);

}  // namespace lockstep
