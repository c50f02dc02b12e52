#pragma once

#include <array>

namespace lockstep {

using Color = std::array<double, 4>;  ///< red, green, blue, opacity, each 0…1

}  // namespace lockstep
