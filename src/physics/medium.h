#pragma once

#include <memory>
#include <vector>

#include "geometry/immersion.h"
#include "lockstep/device.h"
#include "lockstep/world.h"

namespace lockstep {

/// Forces of air and water (Model::medium), the same on every engine. They act on each shape with a volume,
/// colliding or not, of a body with a joint between it and the world, also a fixed one. The part of the shape
/// above the water surface is in air, the part below in water; on each part, of volume V and centroid C, act
///
///     buoyancy    -rho V g                              at C
///     drag        -1/2 rho Cd A(v) (V / V_shape) |v| v  at C, v its velocity relative to wind or current
///     viscosity   -6 pi mu r v (V / V_shape)            at C, r the radius of the ball of the same volume
///     rotation    -8 pi mu r^3 w (V / V_shape)
///
/// in SI units and world axes, with A the projected area of the shape along v. For a part that rotates, v
/// changes along it: the drag is averaged over strips along each axis of the shape, and the differences from
/// the drag at C are added. So a thin rod of length L and width b that turns about its end gets 1/8 rho Cd b
/// L^4 w^2, and a box that turns about its middle 1/64 rho Cd d_i (d_j^4 + d_k^4) w^2 with its edges d. Round
/// shapes turn about their axis of symmetry without drag. Strips of a mesh have the projected area of an
/// ellipsoid, which is exact along its axes. Drag is limited to what stops the body within one step.
class MediumForces final : public Subsystem {
 public:
  explicit MediumForces(const Model& model);  ///< the model must outlive it

  void advance(const Instant& now, Duration step, Row row, World& world) override;

 private:
  /// The properties of a shape in a fluid.
  struct Piece {
    const ShapeModel* shape = nullptr;
    double volume = 0.0;           ///< m^3
    Vec3 center_S = Vec3::Zero();  ///< of the volume
    double radius = 0.0;           ///< of the ball of the same volume, m
    double reach = 0.0;            ///< bounding radius about its centre, m
    Vec3 size = Vec3::Zero();      ///< edge lengths of its bounding box, m; zero for a ball
    Vec3 areas = Vec3::Zero();     ///< of a mesh, projected along its axes, m^2
    bool round = false;            ///< about z
    bool moves = false;            ///< else its body is fixed to the world
    MassProperties share;  ///< of its rigid assembly, divided by the number of shapes; frame of the body
    Mat3 inverse_inertia = Mat3::Zero();  ///< of the share, 1/(kg m^2)
  };
  struct Fluid {
    double density = 0.0;          ///< kg/m^3
    double viscosity = 0.0;        ///< dynamic, Pa s
    Vec3 velocity = Vec3::Zero();  ///< in the world, m/s
  };

  Piece make_piece(const ShapeModel& shape) const;
  Immersion calc_part_below(const Piece& piece, const Pose& X_WS, double level) const;
  double calc_frontal_area(const Piece& piece, const Vec3& direction_S) const;
  /// A(v) |v| v of a strip in the frame of the shape, m^4/s^2.
  Vec3 calc_flow(const Piece& piece, const Vec3& v_S) const;
  /// What rotation adds to it for a part whose centroid has velocity v and is at an offset from that of the
  /// shape: the mean over strips minus the value at the centroid, and the moment about the centroid.
  Wrench calc_flow_of_rotation(const Piece& piece, const Vec3& offset_S, const Vec3& v_S,
                               const Vec3& w_S) const;
  void act(const Fluid& fluid, const Piece& piece, const Pose& X_WS, const Immersion& part, World& world) const;

  const Model* model_;
  std::vector<Piece> pieces_;
  Fluid air_;
  Fluid water_;
};

/// The forces of the air and water of a model; null if it has neither.
std::unique_ptr<Subsystem> make_medium(const Model& model);

}  // namespace lockstep
