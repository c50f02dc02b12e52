#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "device/context.h"
#include "lockstep/math.h"
#include "lockstep/signals.h"

/// Helpers that several sensors use to write vector signals.
namespace lockstep {

using Slots3 = std::array<Slot, 3>;
inline constexpr std::array<const char*, 3> kXyz = {"x", "y", "z"};

/// Adds one signal per quantity, all of one unit. Nothing, with the error in the diagnostics, if a name is
/// taken.
template <std::size_t kCount>
std::optional<std::array<Slot, kCount>> add_measurements(const std::array<const char*, kCount>& quantities,
                                                         std::string_view unit, BuildContext& context) {
  std::array<Slot, kCount> slots{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto slot = context.add_signal(quantities[i], unit, SignalRole::kMeasurement);
    if (!slot) return std::nullopt;
    slots[i] = *slot;
  }
  return slots;
}

inline void write(Row row, const Slots3& slots, const Vec3& value) {
  row[slots[0]] = value.x();
  row[slots[1]] = value.y();
  row[slots[2]] = value.z();
}

/// The axes in which a vector is expressed.
enum class Axes { kWorld, kOwn };
inline constexpr std::array<std::pair<std::string_view, Axes>, 2> kAxes = {
    {{"world", Axes::kWorld}, {"own", Axes::kOwn}}};

/// Components of v_W in the given axes; R_WS is the orientation of the sensor frame in the world.
inline Vec3 in_axes(Axes axes, const Quat& R_WS, const Vec3& v_W) {
  return axes == Axes::kOwn ? Vec3(R_WS.conjugate() * v_W) : v_W;
}

}  // namespace lockstep
