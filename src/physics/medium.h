#pragma once

#include <vector>

#include "physics/subsystem.h"

namespace lockstep {

/// Air and water around everything, for every engine alike. Above the water level is air, below it water; a shape
/// that is in both feels each by the part of its volume that is in it. On each shape with volume act
///
///     buoyancy       -rho V g                         at the centre of the displaced volume
///     drag           -1/2 rho c A |v| v               c: drag coefficient, A: area of the shadow along v
///     viscous drag   -6 pi mu r v, -8 pi mu r^3 w     r: radius of the ball of the same volume (Stokes)
///     turning drag   -rho c b_i (b_j^4 + b_k^4) |w_i| w_i / 64   b: edges of the bounding box; none for balls
///
/// where v is the velocity against the wind or the current. The forces are held over a step.
class MediumForces final : public Subsystem {
 public:
  explicit MediumForces(const Model& model);

  void advance(const Instant& now, Duration step, Row row, World& world) override;

 private:
  /// One of the two fluids.
  struct Fluid {
    double density = 0.0;
    double viscosity = 0.0;
    Vec3 velocity = Vec3::Zero();
  };
  struct ImmersedShape {
    ShapeId shape{};
    double volume = 0.0;            ///< m^3
    Vec3 center = Vec3::Zero();     ///< of the volume, in the shape, m
    Vec3 edges = Vec3::Zero();      ///< of the bounding box, m; zero for balls
    double radius = 0.0;            ///< of the ball of the same volume, m
  };

  void act(const ImmersedShape& immersed, World& world) const;
  Wrench calc_drag(const ImmersedShape& immersed, const ShapeModel& shape, const Fluid& fluid, const Pose& X_WS,
                   const Twist& velocity) const;

  const Model* model_;
  Fluid air_;
  Fluid water_;
  std::vector<ImmersedShape> shapes_;
};

}  // namespace lockstep
