#pragma once

#include <memory>
#include <vector>

#include "geometry/immersion.h"
#include "lockstep/device.h"
#include "lockstep/world.h"

namespace lockstep {

/// Forces of air and water (Model::medium), the same on every engine. They act on each shape with a volume,
/// colliding or not, of a moving body. The part of the shape above the water surface is in air, the part below
/// in water; on each part, of volume V and centroid C, act
///
///     buoyancy    -rho V g                              at C
///     drag        -1/2 rho Cd A(v) (V / V_shape) |v| v  at C, v its velocity relative to wind or current
///     viscosity   -6 pi mu r v (V / V_shape)            at C, r the radius of the ball of the same volume
///     rotation    -8 pi mu r^3 w (V / V_shape), and about each axis i of the shape
///                 -1/64 rho Cd d_i (d_j^4 + d_k^4) |w_i| w_i (V / V_shape)
///
/// in SI units and world axes, with A the projected area of the shape along v and d its edge lengths. The last
/// term is the drag on strips of a plate that rotates about its middle; it is zero about an axis of symmetry.
/// Drag is limited to what stops the body within one step.
class MediumForces final : public Subsystem {
 public:
  explicit MediumForces(const Model& model);  ///< the model must outlive it

  void advance(const Instant& now, Duration step, Row row, World& world) override;

 private:
  /// The properties of a shape in a fluid.
  struct Piece {
    const ShapeModel* shape = nullptr;
    double volume = 0.0;                   ///< m^3
    Vec3 center_S = Vec3::Zero();          ///< of the volume
    double radius = 0.0;                   ///< of the ball of the same volume, m
    double reach = 0.0;                    ///< bounding radius about its centre, m
    Vec3 turning = Vec3::Zero();           ///< 1/64 d_i (d_j^4 + d_k^4), m^5
    double largest_damping = 0.0;          ///< kg/s: stops the body within one step
    double largest_turning_damping = 0.0;  ///< kg m^2/s
  };
  struct Fluid {
    double density = 0.0;          ///< kg/m^3
    double viscosity = 0.0;        ///< dynamic, Pa s
    Vec3 velocity = Vec3::Zero();  ///< in the world, m/s
  };

  Piece make_piece(const ShapeModel& shape) const;
  Immersion calc_part_below(const Piece& piece, const Pose& X_WS, double level) const;
  double calc_frontal_area(const Piece& piece, const Vec3& direction_S) const;
  void act(const Fluid& fluid, const Piece& piece, const Pose& X_WS, const Immersion& part, World& world) const;

  const Model* model_;
  std::vector<Piece> pieces_;
  Fluid air_;
  Fluid water_;
};

/// The forces of the air and water of a model; null if it has neither.
std::unique_ptr<Subsystem> make_medium(const Model& model);

}  // namespace lockstep
