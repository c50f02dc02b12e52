#pragma once

#include <vector>

#include "formats/urdf/urdf.h"
#include "lockstep/model.h"

namespace lockstep {

/// A hinge or slide of the scenario and the joint of the file it comes from.
struct DrivenJoint {
  std::size_t robot = 0;  ///< index in Scenario::robots
  std::string name;       ///< in the robot
  const UrdfJoint* from = nullptr;
  bool is_passive = false;  ///< never has a drive, unless the user asks for one
};

/// Adds the actuators of these joints, with the limits of the file, and sets step and integrator of the scenario.
/// `model` is that of the scenario; shapes may be missing. The kind of a drive is that of the options, else that of
/// its interface in the file; if the file has no interfaces, it is a servo that holds the initial position.
void add_urdf_drives(const std::vector<DrivenJoint>& joints, const UrdfRobot& from,
                     const ImportOptions& options, const Model& model, Scenario& scenario,
                     FormatReport& report);

}  // namespace lockstep
