#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/state.h"

/// Seeded random numbers: the same on every machine, independent of the order in which devices run.
namespace lockstep {

/// xoshiro256++ seeded through SplitMix64. One per device, seeded from the scenario's seed and the device's
/// full name, so that adding a device changes nobody else's numbers.
class Random {
 public:
  Random(std::uint64_t seed, std::string_view stream);

  std::uint64_t bits();  ///< 64 random bits
  double uniform();      ///< in [0, 1), 53 bits
  double normal();       ///< mean 0, standard deviation 1 (polar method; remembers its second number)

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace lockstep
