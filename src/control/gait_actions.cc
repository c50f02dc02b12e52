#include "control/gait_actions.h"

#include <numbers>

namespace lockstep {
namespace {

/// A vertical wave that runs along the body. A bent body needs a shorter wave, or it tips over between two
/// crests.
constexpr GaitParameters crawl(double phase, double yaw_offset = 0.0) {
  return {.pitch_amplitude = 0.5, .pitch_phase = phase, .yaw_offset = yaw_offset, .cycle = 1.0};
}

/// All joints of a kind bend equally, and the bending plane rotates about the body.
constexpr GaitParameters roll(double between) {
  return {.pitch_amplitude = 0.4, .yaw_amplitude = 0.4, .between = between, .cycle = 2.0};
}

/// A lateral wave along the ground, and a vertical wave a quarter of a cycle apart that lifts the body while it
/// moves sideways. A body shorter than one wave would tip over if it were lifted as high as a longer one.
GaitParameters sidewind(double between, std::size_t joints) {
  constexpr double kPhase = 1.2;
  const bool has_whole_wave = 0.5 * static_cast<double>(joints) * kPhase >= 2.0 * std::numbers::pi;
  return {.pitch_amplitude = has_whole_wave ? 0.3 : 0.2,
          .yaw_amplitude = 0.6,
          .pitch_phase = kPhase,
          .yaw_phase = kPhase,
          .between = between,
          .cycle = 2.0};
}

constexpr double kQuarter = std::numbers::pi / 2.0;

}  // namespace

std::vector<BuiltInAction> built_in_actions(std::size_t joints) {
  return {
      {"rest", {}},
      {"forward", crawl(1.2)},
      {"back", crawl(-1.2)},
      {"left", crawl(2.0, 0.3)},
      {"right", crawl(2.0, -0.3)},
      {"roll-left", roll(-kQuarter)},
      {"roll-right", roll(kQuarter)},
      {"sidewind-left", sidewind(kQuarter, joints)},
      {"sidewind-right", sidewind(-kQuarter, joints)},
  };
}

}  // namespace lockstep
