#pragma once

#include "lockstep/model.h"

namespace lockstep {

/// Names of the quantities of a joint: a hinge has an angle in rad, a slide a position in m.
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
