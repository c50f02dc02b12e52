#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "lockstep/math.h"

namespace lockstep {

/// Counts the substeps in which a step must be taken so that no body passes through another one between two
/// instants, and so that no free or ball joint rotates further than its integration is exact; almost always 1.
///
/// Collision detection separates two shapes to the correct side as long as they move by at most half the sum of
/// their thicknesses. If the centre of a shape moves further than that relative to another shape in a step, and the
/// other shape is in its path, each substep covers at most half of that distance. How far a shape reaches by
/// rotating about its own centre is not considered.
class SubstepCounter {
 public:
  explicit SubstepCounter(const mjModel& m);

  int count(const mjModel& m, const mjData& d, double step) const;

 private:
  /// A shape that moves and may collide.
  struct Mover {
    int geom = 0;
    int body = 0;
    double half_thickness = 0.0;
  };
  struct Tree {
    int root = 0;  // body
    std::size_t first_mover = 0, end_mover = 0;
    int first_dof = 0, end_dof = 0;
    double thinnest = 0.0;  // half thickness of a mover
  };

  /// The same for a shape on a path that is longer than half its thickness.
  static double count_for(const mjModel& m, const mjData& d, double step, const Mover& mover, const Vec3& path);

  std::vector<Mover> movers_;
  std::vector<Tree> trees_;         // with movers
  std::vector<double> reaches_;     // by degree of freedom: largest speed of a mover at velocity 1
  std::vector<int> rotation_dofs_;  // the first of three, of free and ball joints
};

/// Limit of the number of substeps at any speed.
inline constexpr int kMaxSubsteps = 1000;

}  // namespace lockstep
