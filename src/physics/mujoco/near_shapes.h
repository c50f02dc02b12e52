#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <vector>

namespace lockstep {

/// Whether MuJoCo looks for contacts between these two shapes at all.
bool can_collide(const mjModel& m, int geom1, int geom2);

/// Tells quickly that no two shapes are near each other, as in an arm that touches nothing. mj_collision() finds no
/// contacts then, but only after it has sorted all bodies along an axis, which takes up to a third of a step.
///
/// Shapes are near each other if their bounding spheres meet; MuJoCo compares these spheres, too, before it compares
/// shapes.
class NearShapes {
 public:
  explicit NearShapes(const mjModel& m);

  /// With the current frames and margins: false only if mj_collision() would find no contact.
  bool any(const mjModel& m, const mjData& d);

 private:
  struct Pair {
    int geom1 = 0, geom2 = 0;
    bool is_plane = false;  // geom1, which has no bounding sphere
    double reach = 0.0;     // sum of the radii, m
  };
  static Pair make_pair(const mjModel& m, int geom1, int geom2);
  static bool are_near(const mjModel& m, const mjData& d, const Pair& pair);

  bool is_known_ = false;  // whether pairs_ has all pairs
  std::vector<Pair> pairs_;
  std::size_t nearest_ = 0;  // the pair that was near last; it probably still is
};

}  // namespace lockstep
