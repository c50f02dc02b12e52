#include "control/gait_actions.h"

#include <numbers>

namespace lockstep {
namespace {

/// A wave that lifts the body and runs along it. A bent body needs a shorter one: it falls over between two
/// crests.
constexpr GaitParameters crawl(double phase, double yaw_offset = 0.0) {
  return {.pitch_amplitude = 0.5, .pitch_phase = phase, .yaw_offset = yaw_offset, .cycle = 1.0};
}

/// All joints of a kind bend alike, and the plane in which the body is bent goes round.
constexpr GaitParameters roll(double between) {
  return {.pitch_amplitude = 0.4, .yaw_amplitude = 0.4, .between = between, .cycle = 2.0};
}

/// A wave along the ground, and one a quarter of a cycle from it that lifts what it carries to the side.
constexpr GaitParameters sidewind(double between) {
  return {.pitch_amplitude = 0.3,
          .yaw_amplitude = 0.6,
          .pitch_phase = 1.2,
          .yaw_phase = 1.2,
          .between = between,
          .cycle = 2.0};
}

constexpr double kQuarter = std::numbers::pi / 2.0;

constexpr ReadyMadeAction kActions[] = {
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

std::span<const ReadyMadeAction> ready_made_actions() {
  return kActions;
}

}  // namespace lockstep
