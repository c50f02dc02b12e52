#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "assemble/registry.h"

/// Comparisons with the raw engine, the raw wire or a bare loop, in one run, so that the ratios mean the same
/// on any machine. Each gives {"bench": NAME, "cases": [{"case": NAME, "ratio": R, …}]}.
namespace lockstep {

struct BenchCommand {
  std::string name = "engine";
  bool json = false;
  bool thorough = false;
  std::optional<double> seconds;  ///< for each case
  std::string only;               ///< name of the one case to measure; all if empty
};
/// Steps the platform and plain mj_step() on the same compiled model with the same forces, by turns, and
/// compares the CPU time. Both follow the same trajectory, bit for bit, which is checked.
nlohmann::ordered_json bench_engine(const BenchCommand& command, const Registry& registry);

/// Exchanges of a connection in lock step, with a controller on the C client in another process, against a raw
/// ping-pong of as many bytes on the same transport between the same cores: by turns, in real time.
///
/// The connection is that of an assembled simulation and is called as its step calls it, but nothing else of
/// the step is run. So there is no physics to take out: what a step costs beside its connection is many times
/// what is measured where ends spin, and its difference between two runs would drown it.
///
/// Where ends wait for each other in the operating system both are on one core: waking another core costs
/// several times as much, differs from time to time, and would hide what the connection itself costs. Ends that
/// spin have a core each.
nlohmann::ordered_json bench_connection(const BenchCommand& command, const Registry& registry);

/// The delta robot in real time at 2 kHz, with its controller at the other end of a shared memory, against a
/// bare loop of clock_nanosleep() with the same period and priority: by turns, in stretches of five seconds.
nlohmann::ordered_json bench_realtime(const BenchCommand& command, const Registry& registry);

/// The step rate of a run that takes all the CPU it can, with four viewers that read and one that never does,
/// over the rate without any, by turns. Viewers are processes of their own.
nlohmann::ordered_json bench_serve(const BenchCommand& command, const Registry& registry);

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
/// Both sides take turns, in real time.
nlohmann::ordered_json bench_optimize(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
