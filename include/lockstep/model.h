#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/math.h"
#include "lockstep/properties.h"
#include "lockstep/shapes.h"
#include "lockstep/time.h"

/// The constant model of a scenario: every name resolved to an id, every default written out, every mass
/// computed. The physics engine is built from it; nothing changes it while a simulation runs, so any number of
/// threads and simulations may share it.
///
/// Objects are in plain vectors, and an id is an index into one of them. Names are full names: "arm/forearm"
/// for the link of a robot, "crate" for an object of the scenario.
namespace lockstep {

/// Ids are types of their own, so that a joint cannot be passed for a site.
enum class BodyId : int {};  ///< kWorldBody is the world itself
enum class JointId : int {};
enum class ShapeId : int {};
enum class SiteId : int {};
enum class MaterialId : int {};
enum class MeshId : int {};
enum class HeightmapId : int {};
enum class TendonId : int {};

/// The world itself, which never moves. Trees of bodies start at it.
inline constexpr BodyId kWorldBody{0};

/// The index of an id in its vector: `model.joints[index(id)]`.
template <typename Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// One rigid body B: a link of a robot, an object or the world. Bodies form trees; a parent always has a smaller
/// id than its children.
struct BodyModel {
  std::string name;              ///< full name: "arm/forearm"
  BodyId parent = kWorldBody;    ///< body P
  Pose X_PB;                     ///< in the parent, with the joint at zero
  std::optional<JointId> joint;  ///< how it moves against the parent; none: welded to it
  MassProperties mass;           ///< all zero for bodies that never move, and for massless ones
  bool massless = false;         ///< a frame between joints: what is on its two sides is parent and child
  Place place;                   ///< where the user wrote it
};

/// How a body moves against its parent. Angles in rad, lengths in m: where two units are given, the first is for
/// joints that turn, the second for those that slide.
struct JointModel {
  std::string name;  ///< "arm/elbow"
  JointType type = JointType::kHinge;
  BodyId body = kWorldBody;      ///< the child; the parent is that body's parent
  Vec3 position = Vec3::Zero();  ///< anchor in the child, m
  Vec3 axis = Vec3::UnitZ();     ///< in the child, unit length
  std::optional<double> lower;   ///< stop, rad or m; none: no stop
  std::optional<double> upper;
  double damping = 0.0;     ///< N m s/rad or N s/m
  double friction = 0.0;    ///< dry friction, N m or N
  double armature = 0.0;    ///< inertia of the rotor seen at the joint, kg m^2 or kg
  double stiffness = 0.0;   ///< spring towards `rest`, N m/rad or N/m
  double rest = 0.0;        ///< where the spring is slack, rad or m
  bool detachable = false;  ///< may be detached and attached while running
  bool driven =
      false;  ///< follows World::drive_joint() exactly, whatever acts on it; has no stops (hinge, slide)
  Firmness firmness;  ///< of stops and dry friction; what it omits is that of the engine
  /// Position and velocity at the start. Hinge, slide: 1 and 1. Ball: quaternion (w, x, y, z) and angular
  /// velocity in the child. Free: position, quaternion and linear velocity in the world, angular in the child.
  std::vector<double> initial_position;
  std::vector<double> initial_velocity;
  Place place;  ///< where the user wrote it
};

/// An infinite plane: z = 0 of the shape's frame, solid below.
struct PlaneGeometry {};
/// A mesh of Model::meshes.
struct MeshGeometry {
  MeshId mesh{};
};
/// A heightmap of Model::heightmaps. The origin of its frame is in its centre, at the lowest height.
struct HeightmapGeometry {
  HeightmapId heightmap{};
  Vec3 size = Vec3::Ones();  ///< extent in x and y, and height of 1 over 0, m
};
using ShapeGeometry =
    std::variant<PlaneGeometry, Box, Sphere, Capsule, Cylinder, MeshGeometry, HeightmapGeometry>;

/// A shape S that is fixed to a body B. A body may have several.
struct ShapeModel {
  std::string name;  ///< "arm/forearm/cover", or "arm/forearm/2" when the user gave it no name
  BodyId body = kWorldBody;
  Pose X_BS;
  ShapeGeometry geometry;
  MaterialId material{};
  Color color{};
  bool collide = true;  ///< touches other shapes; rays hit it
  bool visible = true;  ///< is drawn
  double drag = 1.0;    ///< drag coefficient in air or water
  Place place{};        ///< where the user wrote it
};

/// A named frame S on a body B, where devices sit and springs hold.
struct SiteModel {
  std::string name;  ///< "arm/tip"
  BodyId body = kWorldBody;
  Pose X_BS;
  Place place{};  ///< where the user wrote it
};

/// What happens where two materials touch. Meaning and units as in Material.
struct ContactModel {
  double friction = 0.8;
  double torsional_friction = 0.0;  ///< m
  double rolling_friction = 0.0;    ///< m
  double restitution = 0.0;
  std::optional<double> stiffness;  ///< N/m; none: as stiff as the step allows
  bool collide = true;              ///< false: shapes of these materials pass through each other
  Firmness firmness;                ///< without stiffness; what it omits is that of the engine
};

/// Two sites that are held together, so that links form a closed kinematic loop.
struct LoopModel {
  std::string name;
  LoopType type = LoopType::kPoint;  ///< what is held together
  SiteId a{};
  SiteId b{};
  Firmness firmness = {};
};

/// A joint that follows another, as by a gear: q = ratio * q_followed + offset. Both are hinges or slides that
/// are not detachable.
struct CouplingModel {
  std::string name;
  JointId joint{};
  JointId follows{};    ///< the one that leads; follows none itself
  double ratio = 1.0;   ///< unit of `joint` per unit of `follows`
  double offset = 0.0;  ///< rad or m
  Firmness firmness = {};
};

/// A cable over pulleys on joints: it is the longer by `ratio`, the more a joint moves.
///
///     length = sum of ratio * q,   rad or m as its first joint
///
/// A force F along it, positive if it lengthens it, acts on each joint as ratio * F.
struct TendonModel {
  struct Pulley {
    JointId joint{};     ///< a hinge or slide that is not detachable
    double ratio = 1.0;  ///< unit of the tendon per unit of the joint
  };
  std::string name;  ///< "hand/grip"
  std::vector<Pulley> pulleys;
  std::optional<double> lower;  ///< stop of the length, rad or m; none: no stop
  std::optional<double> upper;
  double damping = 0.0;        ///< N m s/rad or N s/m
  double stiffness = 0.0;      ///< spring towards `rest`, N m/rad or N/m
  double rest = 0.0;           ///< length at which the spring is slack, rad or m
  std::optional<double> held;  ///< length that a constraint keeps, rad or m; none: it may change
  Firmness firmness = {};      ///< of that and of the stops
  Place place{};               ///< where the user wrote it
};

/// What an actuator drives that has one number as position: a hinge or slide, or a tendon.
using Axis = std::variant<JointId, TendonId>;

/// A spring and damper between two sites at distance d: F = stiffness * (d - length) + damping * d', pulling.
struct SpringModel {
  std::string name;
  SiteId a{};
  SiteId b{};
  double length = 0.0;      ///< m, where it is slack
  double stiffness = 0.0;   ///< N/m
  double damping = 0.0;     ///< N s/m
  bool only_pulls = false;  ///< a rope: never pushes
};

/// Everything together.
struct Model {
  std::string name;             ///< of the scenario
  Duration step{1'000'000};     ///< the physics step
  Duration duration{0};         ///< how long `lockstep run` runs it
  Vec3 gravity = Vec3::Zero();  ///< acceleration of free fall, world axes, m/s^2
  std::uint64_t seed = 1;       ///< of all random numbers
  EngineOptions engine;         ///< with time constants written out
  Medium medium;

  std::vector<Material> materials;     ///< by MaterialId; [0] is "default"
  std::vector<ContactModel> contacts;  ///< materials × materials, symmetric; see contact()
  std::vector<BodyModel> bodies;       ///< by BodyId; [0] is the world
  std::vector<JointModel> joints;      ///< by JointId
  std::vector<ShapeModel> shapes;      ///< by ShapeId
  std::vector<SiteModel> sites;        ///< by SiteId
  std::vector<LoopModel> loops;
  std::vector<CouplingModel> couplings;
  std::vector<TendonModel> tendons;  ///< by TendonId
  std::vector<SpringModel> springs;
  std::vector<Mesh> meshes;           ///< by MeshId
  std::vector<Heightmap> heightmaps;  ///< by HeightmapId
  /// Pairs of bodies that never touch each other, in addition to parent and child.
  std::vector<std::pair<BodyId, BodyId>> excluded;

  /// By id. Not checked: an id must be one of this model.
  const ContactModel& contact(MaterialId a, MaterialId b) const {
    return contacts[index(a) * materials.size() + index(b)];
  }
  const BodyModel& body(BodyId id) const { return bodies[index(id)]; }
  const JointModel& joint(JointId id) const { return joints[index(id)]; }
  const SiteModel& site(SiteId id) const { return sites[index(id)]; }
  const TendonModel& tendon(TendonId id) const { return tendons[index(id)]; }

  /// Whether a joint is between the body and the world.
  bool can_move(BodyId id) const;

  /// By full name, in linear time; nothing if there is none of that name.
  std::optional<BodyId> find_body(std::string_view full_name) const;
  std::optional<JointId> find_joint(std::string_view full_name) const;
  std::optional<SiteId> find_site(std::string_view full_name) const;
  std::optional<TendonId> find_tendon(std::string_view full_name) const;
  /// All full names, in the order of their ids; for error texts.
  std::vector<std::string> body_names() const;
  std::vector<std::string> joint_names() const;
  std::vector<std::string> site_names() const;
  std::vector<std::string> tendon_names() const;
};

/// How many numbers the position of a joint has. Fixed 0, hinge and slide 1, ball 4 (a quaternion), free 7
/// (position and quaternion).
constexpr std::size_t position_count(JointType type) {
  switch (type) {
    case JointType::kFixed:
      return 0;
    case JointType::kHinge:
    case JointType::kSlide:
      return 1;
    case JointType::kBall:
      return 4;
    case JointType::kFree:
      return 7;
  }
  return 0;
}
/// The same for its velocity: one number per degree of freedom.
constexpr std::size_t velocity_count(JointType type) {
  switch (type) {
    case JointType::kFixed:
      return 0;
    case JointType::kHinge:
    case JointType::kSlide:
      return 1;
    case JointType::kBall:
      return 3;
    case JointType::kFree:
      return 6;
  }
  return 0;
}

}  // namespace lockstep
