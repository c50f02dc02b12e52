#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/math.h"
#include "lockstep/properties.h"
#include "lockstep/shapes.h"
#include "lockstep/time.h"
#include "scenario/study.h"

/// A scenario as plain structs: the user's input converted to SI units, with every default filled in.
/// Nothing is resolved yet: names are still text. `model/` turns it into a constant model.
namespace lockstep {

/// <material_pair a b>: contact of two materials, where it differs from the combination rule (friction:
/// geometric mean; restitution: the larger; stiffness: in series).
struct ContactPair {
  Place place;
  std::string a;
  std::string b;
  std::optional<double> friction;
  std::optional<double> torsional_friction;
  std::optional<double> rolling_friction;
  std::optional<double> restitution;
  std::optional<double> stiffness;
  bool collide = true;
  Firmness firmness;  ///< without stiffness
};

struct MeshFile {
  std::string src;  ///< OBJ or STL, relative to the root folder of the document
  Vec3 scale = Vec3::Ones();
};
using Geometry = std::variant<Box, Sphere, Capsule, Cylinder, MeshFile>;

/// A shape of a body: <box>, <sphere>, <capsule>, <cylinder>, <mesh>. A body with several is a compound.
struct Shape {
  Place place;
  Geometry geometry;
  std::string name;               ///< optional
  Pose pose;                      ///< X_BS in the body
  std::string material;           ///< "" means the built-in material "default"
  std::optional<double> mass;     ///< kg; overrides density
  std::optional<double> density;  ///< kg/m^3; overrides the material's
  std::optional<Color> color;
  bool collide = true;
  bool visible = true;
  double drag = 1.0;  ///< drag coefficient in air or water
};

/// <inertial>: mass properties, instead of computing them from the shapes.
struct Inertial {
  Place place;
  double mass = 1.0;             ///< kg
  Vec3 center = Vec3::Zero();    ///< p_BC_B, m
  Vec3 diagonal = Vec3::Ones();  ///< Ixx Iyy Izz about the centre, body axes, kg m^2
  Vec3 products = Vec3::Zero();  ///< Ixy Ixz Iyz as matrix entries
};

/// <site>: a named frame on a body, for devices and springs.
struct Site {
  Place place;
  std::string name;
  Pose pose;  ///< X_BS
};

/// <ground>: an infinite plane.
struct Ground {
  Place place;
  std::string name = "ground";
  std::string material;
  double height = 0.0;  ///< z, m
};

/// <terrain>: heights from a grey or colour PNG, 8 or 16 bit. White is the highest.
struct Terrain {
  Place place;
  std::string name = "terrain";
  std::string src;
  Vec3 size = Vec3::Ones();      ///< extent in x and y, and height of white over black, m
  Vec3 position = Vec3::Zero();  ///< of the centre, at the height of black
  std::string material;
};

/// <object>: a body that is not a robot.
struct Object {
  Place place;
  std::string name;
  bool is_static = false;
  Pose pose;                             ///< X_WB
  Vec3 velocity = Vec3::Zero();          ///< of the origin, world axes, m/s
  Vec3 angular_velocity = Vec3::Zero();  ///< world axes, rad/s
  std::vector<Shape> shapes;
  std::optional<Inertial> inertial;
  std::vector<Site> sites;
};

/// <joint> inside a link: how the link moves relative to its parent (a link without a joint is welded to it).
struct Joint {
  Place place;
  std::string name;
  JointType type = JointType::kHinge;
  Vec3 position = Vec3::Zero();  ///< anchor in the link's own frame, m
  Vec3 axis = Vec3::UnitZ();     ///< in the link's own frame; any length
  std::optional<double> lower;   ///< rad or m
  std::optional<double> upper;
  double damping = 0.0;           ///< N m s/rad or N s/m
  double friction = 0.0;          ///< dry friction, N m or N
  double armature = 0.0;          ///< rotor inertia reflected to the joint, kg m^2 or kg
  double stiffness = 0.0;         ///< spring towards rest, N m/rad or N/m
  double rest = 0.0;              ///< rest position of the spring, rad or m
  double initial = 0.0;           ///< rad or m
  double initial_velocity = 0.0;  ///< hinge, slide: rad/s or m/s
  /// Initial velocities of ball and free joints: of the link's origin, relative to the parent and in its axes; the
  /// parent of a root is the world.
  Vec3 velocity = Vec3::Zero();          ///< free: m/s
  Vec3 angular_velocity = Vec3::Zero();  ///< ball, free: rad/s
  bool detachable = false;               ///< can be detached during a run (fixed, hinge, ball)
  Firmness firmness;                     ///< of limits and dry friction
};

/// <link>: one rigid body of a robot.
struct Link {
  Place place;
  std::string name;
  std::string parent;  ///< "" for the root
  Pose pose;           ///< X_PB in the parent with the joint at zero; in the robot for the root
  std::optional<Joint> joint;
  bool massless = false;  ///< between two joints, as the cross of a universal joint
  std::vector<Shape> shapes;
  std::optional<Inertial> inertial;
  std::vector<Site> sites;
};

/// <loop>: closes a kinematic loop between two links (or a link and the world).
struct Loop {
  Place place;
  std::string name;
  LoopType type = LoopType::kPoint;
  std::string a;  ///< site; its frame must coincide with that of b at the start (hinge: axis z)
  std::string b;  ///< site
  std::optional<double> tolerance;  ///< maximum distance at the start, m; default 1 mm
  Firmness firmness;
};

/// <coupling>: a joint follows another, like a gear or linkage: q = ratio * q_followed + offset.
struct Coupling {
  Place place;
  std::string name;
  std::string joint;    ///< the one that follows
  std::string follows;  ///< the leader; must not follow another joint
  double ratio = 1.0;
  double offset = 0.0;  ///< rad or m
  Firmness firmness;
};

/// <pulley>: where a tendon acts on a joint.
struct Pulley {
  Place place;
  std::string joint;
  double ratio = 1.0;  ///< change of the length per rad or m of the joint
};

/// <tendon>: a cable over pulleys on joints: length = sum of ratio * q.
struct Tendon {
  Place place;
  std::string name;
  std::vector<Pulley> pulleys;
  std::optional<double> lower;  ///< rad or m
  std::optional<double> upper;
  double damping = 0.0;        ///< N m s/rad or N s/m
  double stiffness = 0.0;      ///< spring towards rest, N m/rad or N/m
  std::optional<double> rest;  ///< rad or m; default: the length at the start
  std::optional<double> held;  ///< rad or m; default: it may change
  Firmness firmness;           ///< of that and of the limits
};

/// <exclude a b>: two links or objects that never collide.
struct Exclusion {
  Place place;
  std::string a;
  std::string b;
};

/// <spring>: a spring and damper between two sites. It pulls and pushes.
struct Spring {
  Place place;
  std::string name;
  std::string a;
  std::string b;
  std::optional<double> length;  ///< rest length, m; default: the distance at the start
  double stiffness = 0.0;        ///< N/m
  double damping = 0.0;          ///< N s/m
};

/// <rope>: like a spring, but it only pulls.
struct Rope {
  Place place;
  std::string name;
  std::string a;
  std::string b;
  std::optional<double> length;
  double stiffness = 1e5;
  double damping = 0.0;
};

/// The devices of one robot or of the scenario, unparsed: the registry defines the kinds and their attributes.
struct Devices {
  std::vector<Element> sensors;
  std::vector<Element> actuators;
  std::vector<Element> controllers;
  std::vector<Element> connections;
  std::vector<Element> subsystems;
  std::vector<Element> observers;
};

struct Robot {
  Place place;
  std::string name;
  Pose pose;                 ///< X_WR
  bool self_collide = true;  ///< neighbouring links never collide
  std::vector<Link> links;
  std::vector<Loop> loops;
  std::vector<Coupling> couplings;
  std::vector<Tendon> tendons;
  std::vector<Exclusion> exclusions;
  std::vector<Spring> springs;
  std::vector<Rope> ropes;
  Devices devices;
};

enum class EventAction { kSetSignal, kDetach, kAttach, kPush, kStop, kFault, kRepair };

/// <event>: an action at a given time. Handled like a click in the page or a command from a socket.
struct ScheduledEvent {
  Place place;
  Duration at{0};
  EventAction action = EventAction::kSetSignal;
  std::int64_t priority = 0;   ///< larger first among events of the same step
  std::string target;          ///< signal, joint, body or fault
  double value = 0.0;          ///< for set
  Vec3 force = Vec3::Zero();   ///< for push: at the centre of mass, world axes, N
  Vec3 torque = Vec3::Zero();  ///< for push, N m
  Duration length{0};          ///< for push: 0 means one step; for fault: 0 means permanently
};

/// <file>: an embedded asset, as written by `lockstep pack`.
struct EmbeddedFile {
  Place place;
  std::string path;  ///< the path that src attributes use
  std::string data;  ///< base64
};

struct Scenario {
  Place place;
  std::string name;
  std::string description;
  Duration step{1'000'000};
  Duration duration{10'000'000'000};
  Vec3 gravity = {0.0, 0.0, -9.81};
  std::uint64_t seed = 1;
  EngineOptions engine;
  Medium medium;
  std::vector<Material> materials;
  std::vector<ContactPair> contacts;
  std::vector<Ground> grounds;
  std::vector<Terrain> terrains;
  std::vector<Object> objects;
  std::vector<Robot> robots;
  std::vector<Loop> loops;  ///< between robots or objects; sites by full name
  std::vector<Exclusion> exclusions;
  std::vector<Spring> springs;
  std::vector<Rope> ropes;
  std::vector<ScheduledEvent> events;
  Devices devices;
  std::vector<Element> faults;  ///< faults that can be injected, unparsed
  std::vector<Study> studies;
  std::vector<EmbeddedFile> files;
};

}  // namespace lockstep
