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
/// moves sideways.
constexpr GaitParameters sidewind(double between) {
  return {.pitch_amplitude = 0.3,
          .yaw_amplitude = 0.6,
          .pitch_phase = 1.2,
          .yaw_phase = 1.2,
          .between = between,
          .cycle = 2.0};
}

constexpr double kQuarter = std::numbers::pi / 2.0;

constexpr BuiltInAction kActions[] = {
    {"rest", {}},
    {"forward", crawl(1.2)},
    {"back", crawl(-1.2)},
    {"left", crawl(2.0, 0.3)},
    {"right", crawl(2.0, -0.3)},
    {"roll-left", roll(-kQuarter)},
    {"roll-right", roll(kQuarter)},
    {"sidewind-left", sidewind(kQuarter)},
    {"sidewind-right", sidewind(-kQuarter)},
};

}  // namespace

std::span<const BuiltInAction> built_in_actions() {
  return kActions;
}

}  // namespace lockstep
