// The reader of motor characteristics must answer any bytes with points or a UserError, and whatever points it
// read must make a table with finite torques or errors.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "actuators/characteristic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    Diagnostics diagnostics;
    const auto made = Characteristic::make(read_characteristic({data, size}, "fuzz.csv"),
                                           Place{"fuzz.xml", 1, 1}, "motor", diagnostics);
    LOCKSTEP_CHECK(made.has_value() != diagnostics.has_errors());
    if (!made) return 0;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double current : {-kInfinity, -1.0, 0.0, 0.3, kInfinity}) {
      for (const double speed : {-kInfinity, 0.0, 7.0})
        LOCKSTEP_CHECK(std::isfinite(made->torque(current, speed)));
    }
  } catch (const UserError&) {
  }
  return 0;
}
