#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "lockstep/error.h"
#include "lockstep/math.h"
#include "lockstep/model.h"
#include "lockstep/state.h"

/// The mechanical state of a simulation at one instant, whichever physics engine computes it.
///
/// What every engine promises, and one conformance suite checks:
///
/// - Positions and velocities describe the instant reached, also right after step(). Accelerations, contact
///   forces, joint forces and joint reactions describe the step that led there, at the instant it began. They
///   come with the orientation of the body at that instant, to express them in its axes.
/// - save, N steps equals save, restore, N steps, bit for bit.
/// - An engine never exits, blocks or prints. A diverged or invalid state is a Status; the state then stays
///   that of the last good instant.
/// - Reading never changes the trajectory.
///
/// Sensors and observers get a const World; only actuators, subsystems and the step change it. A world belongs
/// to one simulation and is used by its thread alone.
namespace lockstep {

/// Where two shapes touch.
struct ContactPoint {
  ShapeId a{};
  ShapeId b{};
  Vec3 position = Vec3::Zero();  ///< world, m
  Vec3 normal = Vec3::UnitZ();   ///< from a to b, world axes, unit length
  double depth = 0.0;            ///< m; positive when the shapes overlap
  Vec3 force = Vec3::Zero();     ///< on b, world axes, N
  Vec3 torque = Vec3::Zero();    ///< on b from torsional and rolling friction, world axes, N m
};

/// Of all bodies together.
struct Energy {
  double kinetic = 0.0;    ///< J
  double potential = 0.0;  ///< J: gravity (zero at z = 0), joint springs, springs and ropes
  double total() const { return kinetic + potential; }
};

/// Of all bodies together.
struct Momentum {
  Vec3 linear = Vec3::Zero();   ///< kg m/s
  Vec3 angular = Vec3::Zero();  ///< about the origin of the world, kg m^2/s
};

/// Sources of forces, for Work::by_source: events, then the actuators of the simulation in their order, then its
/// subsystems.
inline constexpr std::size_t kEventSource = 0;
inline constexpr std::size_t kFirstActuatorSource = 1;

/// Work done on all bodies since the start, J: positive adds energy, a loss is negative.
struct Work {
  std::span<const double> by_source;  ///< of the forces applied to joints and bodies; see attribute_forces()
  double damping = 0.0;               ///< of joint damping and the dampers of springs and ropes
  double friction = 0.0;              ///< of dry friction in joints
  double contacts = 0.0;              ///< of contacts and impacts, stops, loops, couplings and locks
  double unexplained = 0.0;  ///< change of the energy that none of these explains: errors of integration
};

/// How hard the solver worked, and how well its constraints hold.
struct SolverStatistics {
  std::int64_t iterations = 0;       ///< of the last step
  std::int64_t contacts = 0;         ///< now
  std::int64_t constraint_rows = 0;  ///< now
  double largest_penetration = 0.0;  ///< m, now
  double largest_loop_error = 0.0;   ///< m (rad for rotations), loops, couplings and locks, now
};

/// Acceleration of a body B in world axes, gravity not included, so that a body at rest has zero; and its
/// orientation and angular velocity at the same instant, the start of the last step. With them a sensor
/// computes the acceleration of any other point of the body. In a step with an impact or with substeps the
/// accelerations are means over the step.
struct BodyAcceleration {
  Vec3 linear = Vec3::Zero();            ///< of the origin of B, m/s^2
  Vec3 angular = Vec3::Zero();           ///< rad/s^2
  Vec3 angular_velocity = Vec3::Zero();  ///< w_WB_W, rad/s
  Quat orientation = Quat::Identity();   ///< R_WB
};

/// Force and torque that the parent exerts on the child B through a joint, in world axes, and the orientation
/// of B at the same instant, the start of the last step.
struct JointReaction {
  Vec3 force = Vec3::Zero();            ///< N
  Vec3 torque = Vec3::Zero();           ///< about the anchor of the joint, N m
  Quat orientation = Quat::Identity();  ///< R_WB
};

/// Position and velocity of a hinge or slide at one instant.
struct JointMotion {
  double position = 0.0;  ///< rad or m
  double velocity = 0.0;  ///< rad/s or m/s
};

/// What report() computes. Each costs time of its own: energy, work and momentum a pass over the bodies, the
/// solver's numbers a pass over the contacts.
struct ReportParts {
  bool energy = false;
  bool work = false;
  bool momentum = false;
  bool solver = false;
};

/// Totals over the whole world, now. What was not asked for is zero.
struct WorldReport {
  Energy energy;
  Work work;  ///< borrows from the world
  Momentum momentum;
  SolverStatistics solver;
};

/// What a ray met.
struct RayHit {
  double distance = 0.0;  ///< from the origin of the ray, m
  ShapeId shape{};
};

/// What an engine keeps of the step that led to an instant. It costs time, so devices ask for it (needs()).
struct Tracking {
  bool contact_forces = false;   ///< for World::contacts()
  bool accelerations = false;    ///< for World::body_acceleration()
  bool joint_reactions = false;  ///< for World::joint_reaction(); includes the other two
};

/// What one or the other asks for.
inline Tracking operator|(const Tracking& a, const Tracking& b) {
  return {.contact_forces = a.contact_forces || b.contact_forces,
          .accelerations = a.accelerations || b.accelerations,
          .joint_reactions = a.joint_reactions || b.joint_reactions};
}

/// The force of an actuator along its axis in the coming step.
struct AxisForce {
  double force = 0.0;       ///< now, N m or N
  double damping = 0.0;     ///< its decrease per rad/s or m/s of the axis, N m s/rad or N s/m
  bool is_limited = false;  ///< is at its limit, and so does not change with the speed now
};

/// The mechanical world at one instant. Ids are those of model(); they are not checked. Spans that are returned
/// are borrowed and valid until the world changes.
class World {
 public:
  virtual ~World() = default;

  const Model& model() const { return *model_; }
  std::int64_t step_count() const { return step_count_; }  ///< since the start of the scenario

  // Reading.

  virtual Pose body_pose(BodyId body) const = 0;       ///< X_WB
  virtual Twist body_velocity(BodyId body) const = 0;  ///< of the origin of B, world axes, m/s and rad/s
  /// At the start of the last step. Before the first step, or without Tracking, the accelerations are zero and
  /// orientation and angular velocity are the current ones.
  virtual BodyAcceleration body_acceleration(BodyId body) const = 0;
  /// Position and velocity in the layout of JointModel::initial_position.
  virtual std::span<const double> joint_position(JointId joint) const = 0;
  virtual std::span<const double> joint_velocity(JointId joint) const = 0;
  /// Forces handed to the joint by add_joint_force() in the step that led here, N m or N. Of a driven joint, plus
  /// the mean force of the drive in that step.
  virtual std::span<const double> joint_force(JointId joint) const = 0;
  /// All that the parent exerts on the child through the joint, in the step that led here: what its bearing
  /// carries, its motor, spring, damping, friction and stops. Torque about the joint's anchor. Zero for a free
  /// joint and for one that is detached. Needs Tracking.
  virtual JointReaction joint_reaction(JointId joint) const = 0;
  virtual bool is_attached(JointId joint) const = 0;

  /// Contacts that carried the last step, with forces. Needs Tracking, empty otherwise.
  virtual std::span<const ContactPoint> contacts() const = 0;
  /// Totals that are computed now.
  virtual WorldReport report(const ReportParts& parts) const = 0;
  /// The first collision shape along a ray of length `range`, m, except those of the `ignored` bodies; nothing
  /// if it meets none. Origin and direction in world axes; the direction has unit length.
  virtual std::optional<RayHit> cast_ray(const Vec3& origin, const Vec3& direction, double range,
                                         std::span<const BodyId> ignored) const = 0;

  // Changing: for actuators, subsystems and the loop.

  /// Forces for the coming step only; several add up. One number per degree of freedom, N m or N. NaN is kept
  /// and reported by step() as kInvalidInput.
  virtual void add_joint_force(JointId joint, std::span<const double> force) = 0;
  /// The same for an actuator whose force depends on the speed. The implicit integrator uses the force at the end of
  /// the step, so that strong damping is stable; the others use the force of now.
  virtual void add_axis_force(const Axis& axis, const AxisForce& force) = 0;
  /// The same for a body: a force through a point of the world, and a torque, world axes.
  virtual void add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench) = 0;
  /// Where a driven joint is at the end of the coming step, whatever acts on it; in between it moves smoothly. In a
  /// step without this call it stops where it is. NaN is reported by step() as kInvalidInput.
  virtual void drive_joint(JointId joint, const JointMotion& end) = 0;
  /// Says whose work (Work::by_source) the forces and changes from now on are; kEventSource at the start.
  virtual void attribute_forces(std::size_t source) = 0;
  /// Detaches a detachable joint, or attaches it again where it is close to its place.
  virtual void set_attached(JointId joint, bool attached) = 0;
  /// Puts a hinge or slide that is not detachable to a position, rad or m, at rest; everything it carries moves
  /// along, and so do the joints that follow it.
  virtual void set_joint_position(JointId joint, double position) = 0;
  /// From the next step on; what was kept of the last step and is still wanted stays.
  virtual void track(Tracking tracking) = 0;

  /// Advances by one physics step.
  virtual Status step() = 0;

  /// Everything that the future depends on. restore() throws StateError if the bytes are of another model.
  virtual void save(StateWriter& writer) const = 0;
  virtual void restore(StateReader& reader) = 0;

 protected:
  explicit World(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;  ///< never null
  std::int64_t step_count_ = 0;         ///< step() increments it, restore() sets it
};

/// X_WS of a site: X_WB X_BS.
inline Pose site_pose(const World& world, SiteId id) {
  const SiteModel& site = world.model().site(id);
  return world.body_pose(site.body) * site.X_BS;
}

/// Velocity of the origin of a site, world axes: v_WS = v_WB + w_WB × (R_WB p_BS).
inline Twist site_velocity(const World& world, SiteId id) {
  const SiteModel& site = world.model().site(id);
  Twist velocity = world.body_velocity(site.body);
  velocity.linear += velocity.angular.cross(world.body_pose(site.body).q * site.X_BS.p);
  return velocity;
}

/// Position of a hinge or slide, or length of a tendon, rad or m.
inline double axis_position(const World& world, const Axis& axis) {
  if (const auto* joint = std::get_if<JointId>(&axis)) return world.joint_position(*joint)[0];
  double length = 0.0;
  for (const TendonModel::Pulley& pulley : world.model().tendon(std::get<TendonId>(axis)).pulleys)
    length += pulley.ratio * world.joint_position(pulley.joint)[0];
  return length;
}

/// Its speed, rad/s or m/s.
inline double axis_speed(const World& world, const Axis& axis) {
  if (const auto* joint = std::get_if<JointId>(&axis)) return world.joint_velocity(*joint)[0];
  double speed = 0.0;
  for (const TendonModel::Pulley& pulley : world.model().tendon(std::get<TendonId>(axis)).pulleys)
    speed += pulley.ratio * world.joint_velocity(pulley.joint)[0];
  return speed;
}

}  // namespace lockstep
