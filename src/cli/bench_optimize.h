#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assemble/registry.h"
#include "cli/commands.h"

namespace lockstep {

/// Evaluations of a study per second. The study tunes the gait of a chain of eleven joints on the ground by
/// random samples, with everything a study has: the search, the workers, the file of results.
///
/// - eval-10ms, eval-1ms: against a program that does the same on the raw engine: plain threads, each with a
/// model of
///   its own, the same candidates, the same control, the same number of steps, the distance at the end. A
///   candidate takes the raw engine about so long.
/// - threads: two threads against one.
/// - mpi: two processes under mpirun against two threads of one process.
///
/// Both sides take turns, on the wall.
nlohmann::ordered_json bench_optimize(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
