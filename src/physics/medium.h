#pragma once

#include <memory>
#include <vector>

#include "geometry/immersion.h"
#include "lockstep/device.h"
#include "lockstep/world.h"

namespace lockstep {

/// Air and water around everything (Model::medium), the same on every engine. It acts on each shape with a
/// volume, colliding or not, that belongs to a body that moves. The part of the shape above the water's surface
/// meets air, the part below meets water; each part, of volume V and centre C, gets
///
///     buoyancy    -rho V g                              at C
///     drag        -1/2 rho Cd A(v) (V / V_shape) |v| v  at C, v its velocity against wind or current
///     viscosity   -6 pi mu r v (V / V_shape)            at C, r the radius of the ball of the same volume
///     turning     -8 pi mu r^3 w (V / V_shape), and about each axis i of the shape
///                 -1/64 rho Cd d_i (d_j^4 + d_k^4) |w_i| w_i (V / V_shape)
///
/// with A the shadow of the shape along v and d its edge lengths; the last is what strips of a plate feel that
/// turns about its middle. It is zero about an axis of symmetry. A drag that would more than stop the body
/// within one step is cut to what stops it.
class MediumForces final : public Subsystem {
 public:
  explicit MediumForces(const Model& model);  ///< the model must outlive it

  void advance(const Instant& now, Duration step, Row row, World& world) override;

 private:
  /// What a shape is to a fluid.
  struct Piece {
    const ShapeModel* shape = nullptr;
    double volume = 0.0;                   ///< m^3
    Vec3 center_S = Vec3::Zero();          ///< of the volume
    double radius = 0.0;                   ///< of the ball of the same volume, m
    double reach = 0.0;                    ///< nothing of the shape is further from its centre, m
    Vec3 turning = Vec3::Zero();           ///< 1/64 d_i (d_j^4 + d_k^4), m^5
    double largest_damping = 0.0;          ///< kg/s: stops the body within one step
    double largest_turning_damping = 0.0;  ///< kg m^2/s
  };
  struct Fluid {
    double density = 0.0;
    double viscosity = 0.0;
    Vec3 velocity = Vec3::Zero();
  };

  Piece make_piece(const ShapeModel& shape) const;
  Immersion calc_part_below(const Piece& piece, const Pose& X_WS, double level) const;
  double calc_shadow(const Piece& piece, const Vec3& direction_S) const;
  void act(const Fluid& fluid, const Piece& piece, const Pose& X_WS, const Immersion& part, World& world) const;

  const Model* model_;
  std::vector<Piece> pieces_;
  Fluid air_;
  Fluid water_;
};

/// The forces of the air and water of a model; nothing if it has neither.
std::unique_ptr<Subsystem> make_medium(const Model& model);

}  // namespace lockstep
