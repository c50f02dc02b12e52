#pragma once

#include <limits>

#include "assemble/registry.h"

/// The parts that come with Lockstep, one file per sort.
namespace lockstep {

void add_builtin_sensors(Registry& registry);
void add_builtin_actuators(Registry& registry);
void add_builtin_controllers(Registry& registry);
void add_builtin_links(Registry& registry);
void add_imperisim(Registry& registry);
void add_builtin_observers(Registry& registry);

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The words for a joint that turns and for one that slides.
struct AxisWords {
  const char* position;
  const char* position_unit;
  const char* speed_unit;
  const char* effort;
  const char* effort_unit;
  const char* stiffness_unit;
  const char* damping_unit;
};
inline constexpr AxisWords kHingeWords = {"angle", "rad", "rad/s", "torque", "N*m", "N*m/rad", "N*m*s/rad"};
inline constexpr AxisWords kSlideWords = {"position", "m", "m/s", "force", "N", "N/m", "N*s/m"};

inline const AxisWords& words_for(const Model& model, JointId joint) {
  return model.joint(joint).type == JointType::kSlide ? kSlideWords : kHingeWords;
}

}  // namespace lockstep
