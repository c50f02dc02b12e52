#pragma once

#include "assemble/registry.h"

namespace lockstep {

/// The whole `lockstep` command over a registry. A program with parts of its own calls this from main() and is
/// then used exactly as the command is. Returns the exit code: 0 done, 1 the run ended otherwise, 2 wrong
/// input.
int run_command_line(int argc, char** argv, const Registry& registry);

}  // namespace lockstep
