#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

#include "physics/mujoco/compile.h"

namespace lockstep {

/// A free joint of the model whose body is not the root of its tree in MuJoCo.
struct MovedBase {
  JointId joint{};
  int body = 0;        ///< MuJoCo's id of its body
  int root_joint = 0;  ///< MuJoCo's id of the free joint of the root
  std::array<double, 7> position{};
  std::array<double, 6> velocity{};
};

/// The free joints of trees that have another root in MuJoCo (tree_layout.h). This class provides what a joint
/// of the tree would: position and velocity.
class MovedBases {
 public:
  MovedBases(const Model& model, const CompiledModel& compiled);

  bool empty() const { return bases_.empty(); }
  const MovedBase* find(JointId joint) const;  ///< null if there is none

  /// Updates positions and velocities at a new instant.
  void update(const mjModel& m, const mjData& d);
  /// After other joints of its tree were set: moves the tree so that position and velocity of the base are
  /// those of the last update.
  void hold(const mjModel& m, mjData& d) const;

 private:
  std::vector<MovedBase> bases_;
};

}  // namespace lockstep
