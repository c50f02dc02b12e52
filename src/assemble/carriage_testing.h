#pragma once

#include <cstdint>
#include <string>

#include "assemble/simulation_testing.h"

/// A scenario with a known solution, for faults: a carriage of 1 kg on a level rail, 2 m/s at the start, with
/// two sensors of which one can fail; the step is 1 ms.
namespace lockstep {

inline constexpr const char* kCarriage = R"(<robot name="r"><link name="base"/>
<link name="carriage" parent="base"><joint name="rail" type="slide" axis="1 0 0" initial_velocity="2"/>
<inertial mass="1" diagonal="1 1 1"/></link>
<sensors><joint_state name="truth" joint="rail"/><joint_state name="encoder" joint="rail"/></sensors>
<actuators><torque name="drive" joint="rail"/></actuators></robot>
)";
/// Pulls it with 3 N from the start.
inline constexpr const char* kPull = R"(<event at="0 s" action="set" target="r/drive/force" value="3"/>)";

inline std::string carriage_text(const std::string& inside) {
  return "<scenario name='s' step='1 ms' gravity='0 0 0'>" + (kCarriage + inside) + "</scenario>";
}
inline Simulation simulate_carriage(const std::string& inside) {
  return simulate_text(carriage_text(inside));
}
inline std::string carriage_errors(const std::string& inside) {
  return errors_of_text(carriage_text(inside));
}

/// Runs up to and including the step that begins at `step`, so that the row describes this instant.
inline void run_to_step(Simulation& simulation, std::int64_t step) {
  ASSERT_TRUE(simulation.run(step + 1 - simulation.now().step).ok());
}

inline double carriage_speed(const Simulation& simulation) {
  return simulation.world().joint_velocity(JointId{0})[0];
}

}  // namespace lockstep
