#pragma once

namespace lockstep {

inline constexpr int kExitDone = 0;
inline constexpr int kExitOutcome = 1;  ///< the run failed or ended early
inline constexpr int kExitUser = 2;     ///< the input is wrong

}  // namespace lockstep
