#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "assemble/assemble.h"
#include "scenario/read.h"

/// Simulations of scenarios given as text, for the tests of all devices.
namespace lockstep {

/// The simulation of a scenario named s.xml. Files are relative to the folder.
inline Simulation simulate_text(const std::string& scenario, const AssembleOptions& options = {},
                                const Registry& registry = default_registry(),
                                const std::filesystem::path& folder = ".") {
  const Scenario read = read_scenario(Document::read_text(scenario, "s.xml", folder));
  Diagnostics diagnostics;
  return assemble(read, Assets(read, folder), registry, diagnostics, options);
}

/// The simulation of a scenario with this content and a step of 1 ms.
inline Simulation simulate(const std::string& inside, const Registry& registry = default_registry(),
                           const std::filesystem::path& folder = ".") {
  return simulate_text("<scenario name='s' step='1 ms'>" + inside + "</scenario>", {}, registry, folder);
}

/// The errors of a scenario; "" if there are none.
inline std::string errors_of_text(const std::string& scenario, const AssembleOptions& options = {}) {
  try {
    (void)simulate_text(scenario, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// A value of the row of the last step, which describes the instant before it.
inline double read_signal(const Simulation& simulation, const std::string& signal) {
  const auto slot = simulation.signals().find(signal);
  EXPECT_TRUE(slot.has_value()) << signal;
  return slot ? simulation.row()[*slot] : std::nan("");
}

inline Vec3 read_vector(const Simulation& simulation, const std::string& device,
                        const std::string& prefix = "") {
  return {read_signal(simulation, device + "/" + prefix + "x"),
          read_signal(simulation, device + "/" + prefix + "y"),
          read_signal(simulation, device + "/" + prefix + "z")};
}

/// Runs up to and including the step that begins at this time, so that the row describes this instant.
inline void run_to(Simulation& simulation, double seconds) {
  const auto steps = std::llround(seconds / to_seconds(simulation.step_size())) + 1;
  ASSERT_TRUE(simulation.run(steps - simulation.now().step).ok());
}

}  // namespace lockstep
