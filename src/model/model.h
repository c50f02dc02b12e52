#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/math.h"
#include "base/time.h"
#include "geometry/heightmap.h"
#include "geometry/mesh.h"
#include "scenario/scenario.h"

/// The constant model of a scenario: every name resolved to an id, every default written out, every mass
/// computed. Engines are built from it and share it; nothing changes it while a simulation runs.
namespace lockstep {

enum class BodyId : int {};  ///< kWorldBody is the world itself
enum class JointId : int {};
enum class ShapeId : int {};
enum class SiteId : int {};
enum class MaterialId : int {};
enum class MeshId : int {};
enum class HeightmapId : int {};

inline constexpr BodyId kWorldBody{0};

template <typename Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// One rigid body. Bodies form trees; a parent always has a smaller id than its children.
struct BodyModel {
  std::string name;  ///< full name: "arm/forearm", or "crate" for an object
  BodyId parent = kWorldBody;
  Pose X_PB;                     ///< in the parent, with the joint at zero
  std::optional<JointId> joint;  ///< none: welded to the parent
  MassProperties mass;           ///< all zero for bodies that never move
  Place place;
};

struct JointModel {
  std::string name;  ///< "arm/elbow"
  JointType type = JointType::kHinge;
  BodyId body = kWorldBody;      ///< the child; the parent is that body's parent
  Vec3 position = Vec3::Zero();  ///< anchor in the child, m
  Vec3 axis = Vec3::UnitZ();     ///< in the child, unit length
  std::optional<double> lower;
  std::optional<double> upper;
  double damping = 0.0;
  double friction = 0.0;
  double armature = 0.0;
  double stiffness = 0.0;
  double rest = 0.0;
  bool detachable = false;
  Firmness firmness;  ///< of stops and dry friction; what it omits is that of the engine
  /// Position and velocity at the start. Hinge, slide: 1 and 1. Ball: quaternion (w, x, y, z) and angular
  /// velocity in the child. Free: position, quaternion and linear velocity in the world, angular in the child.
  std::vector<double> initial_position;
  std::vector<double> initial_velocity;
  Place place;
};

struct PlaneGeometry {};  ///< z = 0 of the shape's frame, solid below
struct MeshGeometry {
  MeshId mesh{};
};
struct HeightmapGeometry {
  HeightmapId heightmap{};
  Vec3 size = Vec3::Ones();
};  ///< origin: centre, lowest height
using ShapeGeometry =
    std::variant<PlaneGeometry, Box, Sphere, Capsule, Cylinder, MeshGeometry, HeightmapGeometry>;

struct ShapeModel {
  std::string name;  ///< "arm/forearm/cover", or "arm/forearm/2" when it has no name
  BodyId body = kWorldBody;
  Pose X_BS;
  ShapeGeometry geometry;
  MaterialId material{};
  Color color{};
  bool collide = true;
  bool visible = true;
  double drag = 1.0;
};

struct SiteModel {
  std::string name;  ///< "arm/tip"
  BodyId body = kWorldBody;
  Pose X_BS;
  Place place{};
};

/// What happens where two materials touch.
struct ContactModel {
  double friction = 0.8;
  double torsional_friction = 0.0;  ///< m
  double rolling_friction = 0.0;    ///< m
  double restitution = 0.0;
  std::optional<double> stiffness;  ///< N/m; none: as stiff as the step allows
  bool collide = true;
  Firmness firmness;  ///< without stiffness; what it omits is that of the engine
};

struct LoopModel {
  std::string name;
  LoopType type = LoopType::kPoint;
  SiteId a{};
  SiteId b{};
  Firmness firmness = {};
};

/// q = ratio * q_followed + offset, both hinges or slides that cannot be detached.
struct CouplingModel {
  std::string name;
  JointId joint{};
  JointId follows{};  ///< follows none itself
  double ratio = 1.0;
  double offset = 0.0;
  Firmness firmness = {};
};

struct SpringModel {
  std::string name;
  SiteId a{};
  SiteId b{};
  double length = 0.0;      ///< m, where it is slack
  double stiffness = 0.0;   ///< N/m
  double damping = 0.0;     ///< N s/m
  bool only_pulls = false;  ///< a rope
};

struct Model {
  std::string name;
  Duration step{1'000'000};
  Duration duration{0};
  Vec3 gravity = Vec3::Zero();
  std::uint64_t seed = 1;
  EngineOptions engine;  ///< with time constants written out
  Medium medium;

  std::vector<Material> materials;     ///< [0] is "default"
  std::vector<ContactModel> contacts;  ///< materials × materials, symmetric
  std::vector<BodyModel> bodies;       ///< [0] is the world
  std::vector<JointModel> joints;
  std::vector<ShapeModel> shapes;
  std::vector<SiteModel> sites;
  std::vector<LoopModel> loops;
  std::vector<CouplingModel> couplings;
  std::vector<SpringModel> springs;
  std::vector<Mesh> meshes;
  std::vector<Heightmap> heightmaps;
  /// Pairs of bodies that never touch each other, beside parent and child.
  std::vector<std::pair<BodyId, BodyId>> excluded;

  const ContactModel& contact(MaterialId a, MaterialId b) const {
    return contacts[index(a) * materials.size() + index(b)];
  }
  const BodyModel& body(BodyId id) const { return bodies[index(id)]; }
  const JointModel& joint(JointId id) const { return joints[index(id)]; }
  const SiteModel& site(SiteId id) const { return sites[index(id)]; }

  /// Whether a joint lies between the body and the world.
  bool can_move(BodyId id) const;

  std::optional<BodyId> find_body(std::string_view full_name) const;
  std::optional<JointId> find_joint(std::string_view full_name) const;
  std::optional<SiteId> find_site(std::string_view full_name) const;
  std::vector<std::string> body_names() const;
  std::vector<std::string> joint_names() const;
  std::vector<std::string> site_names() const;
};

/// Numbers of positions and velocities a joint has.
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
