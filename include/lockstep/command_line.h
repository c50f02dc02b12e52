#pragma once

#include "lockstep/registry.h"

namespace lockstep {

/// The whole `lockstep` command over a registry. A program with devices of its own calls it from main() and is
/// then used exactly as the command is: `my_lockstep run`, `check`, `serve`, `optimize`, … with its devices in
/// the scenario files, the reference and the error texts.
///
///     int main(int argc, char** argv) {
///       lockstep::Registry registry = lockstep::default_registry();
///       registry.add_sensor<TiltConfig>("tilt", "Angle between a body and upright.", make_tilt);
///       return lockstep::run_command_line(argc, argv, registry);
///     }
///
/// Prints results on stdout and errors on stderr, and does not throw for wrong input. Returns the exit code: 0
/// done, 1 the run ended early (diverged, controller lost, …), 2 wrong input. The registry is only read.
int run_command_line(int argc, char** argv, const Registry& registry);

}  // namespace lockstep
