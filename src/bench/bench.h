#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "assemble/registry.h"

/// Benchmarks against the raw engine, a raw connection or a bare loop, in one run, so that the ratios are
/// comparable between machines. Each gives {"bench": NAME, "cases": [{"case": NAME, "ratio": R, …}]}.
namespace lockstep {

struct BenchCommand {
  std::string name = "engine";
  bool json = false;
  bool thorough = false;
  std::optional<double> seconds;  ///< for each case
  std::string only;               ///< name of the case to measure; all if empty
};
/// Steps Lockstep and plain mj_step() alternately on the same compiled model with the same forces, and compares
/// CPU time. Checks that both follow the same trajectory, bit for bit.
nlohmann::ordered_json bench_engine(const BenchCommand& command, const Registry& registry);

/// Exchanges of a connection in lock step, with a controller that uses the C client in another process, against
/// a raw ping-pong of the same number of bytes on the same transport and cores: alternately, in real time.
///
/// The connection belongs to an assembled simulation and is called as in a step, but nothing else of the step
/// runs: the rest of a step takes many times as long as an exchange between spinning ends, and its variation
/// would hide the result.
///
/// If the ends wait in the operating system, both run on one core: waking another core costs several times as
/// much, varies, and would hide the cost of the connection itself. Ends that spin have a core each.
nlohmann::ordered_json bench_connection(const BenchCommand& command, const Registry& registry);

/// The delta robot in real time at 2 kHz, with its controller connected by shared memory, against a bare loop
/// of clock_nanosleep() with the same period and priority: alternately, five seconds each.
nlohmann::ordered_json bench_realtime(const BenchCommand& command, const Registry& registry);

/// The step rate of a run as fast as possible with four viewers that read and one that never does, relative to
/// the rate without viewers, alternately. Each viewer is a separate process.
nlohmann::ordered_json bench_serve(const BenchCommand& command, const Registry& registry);

/// Evaluations of a study per second. The study tunes the gait of a chain of eleven joints on the ground by
/// random sampling, with all of a study: search, workers, results file.
///
/// - eval-10ms, eval-1ms: against a program that does the same on the raw engine: plain threads, each with its
/// own
///   model, the same candidates, control and number of steps, the distance at the end. A candidate takes the raw engine
///   about 10 ms or 1 ms.
/// - threads: two threads against one.
/// - mpi: two processes under mpirun against two threads of one process.
///
/// Both sides alternate, in real time.
nlohmann::ordered_json bench_optimize(const BenchCommand& command, const Registry& registry);

/// Botball programs on the demobot, in simulated time per real time, beside the robot without a program: one that sleeps
/// between commands, and one that polls sensors without sleeping.
nlohmann::ordered_json bench_botball(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
