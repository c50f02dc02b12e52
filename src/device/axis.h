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

/// A tendon has the words of its first joint.
inline const AxisWords& words_for(const Model& model, const Axis& axis) {
  const auto* tendon = std::get_if<TendonId>(&axis);
  const JointId joint =
      tendon != nullptr ? model.tendon(*tendon).pulleys.front().joint : std::get<JointId>(axis);
  return model.joint(joint).type == JointType::kSlide ? kSlideWords : kHingeWords;
}

/// Position at the start, rad or m.
inline double calc_initial_position(const Model& model, const Axis& axis) {
  if (const auto* joint = std::get_if<JointId>(&axis)) return model.joint(*joint).initial_position[0];
  double length = 0.0;
  for (const TendonModel::Pulley& pulley : model.tendon(std::get<TendonId>(axis)).pulleys)
    length += pulley.ratio * model.joint(pulley.joint).initial_position[0];
  return length;
}

}  // namespace lockstep
