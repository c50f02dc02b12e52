#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/world.h"

namespace lockstep {

/// What became of the energy of all bodies since the start of a simulation, J. Work is positive if it adds energy.
struct EnergyBalance {
  Energy energy;  ///< now
  std::vector<std::pair<std::string, double>>
      work;  ///< by actuator and subsystem; the last one is that of events
  double damping = 0.0;
  double friction = 0.0;
  double contacts = 0.0;
  double unexplained = 0.0;

  double total_work() const;
  double change() const { return total_work() + damping + friction + contacts + unexplained; }
};

/// Steps between two checks that the energy of a simulation has not grown without a cause; it is also checked at the end.
inline constexpr std::int64_t kEnergyCheckPeriod = 50;

/// Energy that was created since the start, J: what is unexplained, and what contacts and other constraints have
/// added, which in reality only take energy.
double calc_gained_energy(const Work& work);

/// The largest gain that is accepted, J: `bound` times the energy that bodies have and have exchanged, and 0.1 J for
/// each kg that moves, so that bodies at rest are not judged by rounding errors. 0.1 J/kg is 1 cm of height.
double calc_largest_gain(const WorldReport& report, double bound, double moving_mass);

/// Mass of all bodies that are not fixed to the world, kg.
double calc_moving_mass(const Model& model);

}  // namespace lockstep
