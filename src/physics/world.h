#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/math.h"
#include "base/state.h"
#include "model/model.h"

/// The mechanical state of a simulation, and what its users may rely on whichever engine made it
/// (physics/engine.h). One conformance suite (physics/conformance_testing.h) checks every engine.
///
/// - Positions and velocities describe the instant reached, also right after step(). Accelerations, contact
///   forces, joint forces and joint reactions describe the step that led there, at the instant it began; what
///   is needed to express them in the axes of a body at that instant comes with them.
/// - save → step×N equals save → restore → step×N, bit for bit.
/// - An engine never exits, blocks or prints. A diverged or invalid state is a Status; the state then stays
///   that of the last good instant.
/// - Reading never changes the trajectory.
namespace lockstep {

struct ContactPoint {
  ShapeId a{};
  ShapeId b{};
  Vec3 position = Vec3::Zero();  ///< world, m
  Vec3 normal = Vec3::UnitZ();   ///< from a to b, unit length
  double depth = 0.0;            ///< m; positive when the shapes overlap
  Vec3 force = Vec3::Zero();     ///< on b, world axes, N
  Vec3 torque = Vec3::Zero();    ///< on b from torsional and rolling friction, world axes, N m
};

struct Energy {
  double kinetic = 0.0;    ///< J
  double potential = 0.0;  ///< J: gravity (zero at z = 0), joint springs, springs and ropes
  double total() const { return kinetic + potential; }
};

struct Momentum {
  Vec3 linear = Vec3::Zero();   ///< kg m/s
  Vec3 angular = Vec3::Zero();  ///< about the origin of the world, kg m^2/s
};

struct SolverStatistics {
  std::int64_t iterations = 0;       ///< of the last step
  std::int64_t contacts = 0;         ///< now
  std::int64_t constraint_rows = 0;  ///< now
  double largest_penetration = 0.0;  ///< m, now
  double largest_loop_error = 0.0;   ///< m (rad for rotations), loops, couplings and locks, now
};

/// How a body accelerates, world axes, gravity not included, and how it was turned at that same instant.
struct BodyAcceleration {
  Vec3 linear = Vec3::Zero();            ///< of the origin of B, m/s^2
  Vec3 angular = Vec3::Zero();           ///< rad/s^2
  Vec3 angular_velocity = Vec3::Zero();  ///< w_WB_W, rad/s
  Quat orientation = Quat::Identity();   ///< R_WB
};

/// What a parent hands to its child B through a joint, world axes, and how B was turned at that same instant.
struct JointReaction {
  Vec3 force = Vec3::Zero();            ///< N
  Vec3 torque = Vec3::Zero();           ///< about the anchor, N m
  Quat orientation = Quat::Identity();  ///< R_WB
};

/// What report() is asked for. Each part costs time of its own: energy and momentum a pass over the bodies, the
/// solver's numbers a pass over the contacts.
struct ReportParts {
  bool energy = false;
  bool momentum = false;
  bool solver = false;
};

/// Totals over the whole world, now. Parts that were not asked for are zero.
struct WorldReport {
  Energy energy;
  Momentum momentum;
  SolverStatistics solver;
};

struct RayHit {
  double distance = 0.0;  ///< m
  ShapeId shape{};
};

/// What an engine keeps of the step that led to an instant; costs time, so it is asked for.
struct Tracking {
  bool contact_forces = false;
  bool accelerations = false;
  bool joint_reactions = false;  ///< brings the other two with it
};

inline Tracking operator|(const Tracking& a, const Tracking& b) {
  return {.contact_forces = a.contact_forces || b.contact_forces,
          .accelerations = a.accelerations || b.accelerations,
          .joint_reactions = a.joint_reactions || b.joint_reactions};
}

/// The mechanical world at one instant. Sensors see it const; only actuators, subsystems and step() change it.
class World {
 public:
  virtual ~World() = default;

  const Model& model() const { return *model_; }
  std::int64_t step_count() const { return step_count_; }  ///< since the start of the scenario

  virtual Pose body_pose(BodyId body) const = 0;       ///< X_WB
  virtual Twist body_velocity(BodyId body) const = 0;  ///< of the origin of B
  /// Where the last step began; needs Tracking. Zero, with the body as it is now, before the first step.
  virtual BodyAcceleration body_acceleration(BodyId body) const = 0;
  virtual std::span<const double> joint_position(JointId joint) const = 0;  ///< layout: JointModel
  virtual std::span<const double> joint_velocity(JointId joint) const = 0;
  /// Forces handed to the joint by add_joint_force() in the step that led here, N m or N.
  virtual std::span<const double> joint_force(JointId joint) const = 0;
  /// All that the parent hands to the child through the joint, in the step that led here: what its bearing
  /// carries, its motor, spring, damping, friction and stops. Zero for a free joint and one that is let go;
  /// needs Tracking.
  virtual JointReaction joint_reaction(JointId joint) const = 0;
  virtual bool is_attached(JointId joint) const = 0;

  /// Contacts that carried the last step, with forces; needs Tracking, empty otherwise.
  virtual std::span<const ContactPoint> contacts() const = 0;
  virtual WorldReport report(const ReportParts& parts) const = 0;
  /// First collision shape along a ray that does not belong to one of the `ignored` bodies. `direction` has
  /// unit length.
  virtual std::optional<RayHit> cast_ray(const Vec3& origin, const Vec3& direction, double range,
                                         std::span<const BodyId> ignored) const = 0;

  /// Forces for the coming step only; several add up. NaN is kept and reported by step().
  virtual void add_joint_force(JointId joint, std::span<const double> force) = 0;
  virtual void add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench) = 0;
  /// Lets a detachable joint go, or holds it again where it is closed to its place.
  virtual void set_attached(JointId joint, bool attached) = 0;
  /// Puts a hinge or slide that is not detachable to a position, rad or m, at rest; all it carries goes along,
  /// and so do the joints that follow it.
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
  std::int64_t step_count_ = 0;         ///< step() counts it up, restore() sets it
};

/// X_WS of a site.
inline Pose site_pose(const World& world, SiteId id) {
  const SiteModel& site = world.model().site(id);
  return world.body_pose(site.body) * site.X_BS;
}

/// Velocity of the origin of a site, world axes.
inline Twist site_velocity(const World& world, SiteId id) {
  const SiteModel& site = world.model().site(id);
  Twist velocity = world.body_velocity(site.body);
  velocity.linear += velocity.angular.cross(world.body_pose(site.body).q * site.X_BS.p);
  return velocity;
}

}  // namespace lockstep
