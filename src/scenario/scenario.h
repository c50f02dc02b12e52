#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/math.h"
#include "base/time.h"
#include "geometry/primitives.h"
#include "scenario/color.h"
#include "scenario/element.h"
#include "scenario/study.h"

/// A scenario as plain structs: what the user wrote, with units turned into SI and every default in place.
/// Nothing is resolved yet: names are still text. `model/` turns it into a constant model.
namespace lockstep {

enum class Integrator { kEuler, kImplicit, kRk4 };

/// <engine>: which physics engine, and how it solves, as far as that means the same for every engine. An
/// optional value is derived from the step size.
struct EngineOptions {
  Place place;
  std::string name = "mujoco";
  Integrator integrator = Integrator::kEuler;
  std::int64_t iterations = 100;
  double tolerance = 1e-10;
  std::optional<double> contact_time_constant;  ///< s; default 2 steps
  double contact_damping_ratio = 2.0;
  std::optional<double> constraint_time_constant;  ///< s, loops, limits, locks; default 2 steps
  double constraint_damping_ratio = 1.0;
  /// Options that only this engine has: a child element of its name, as written. The engine reads it.
  std::vector<Element> own = {};
};

struct Material {
  Place place;
  std::string name;
  double density = 1000.0;          ///< kg/m^3
  double friction = 0.8;            ///< Coulomb coefficient against the same material
  double torsional_friction = 0.0;  ///< m
  double rolling_friction = 0.0;    ///< m
  double restitution = 0.0;         ///< 0…1
  std::optional<double> stiffness;  ///< N/m; default: as stiff as the step allows
  Color color = {0.6, 0.62, 0.65, 1.0};
};

/// How firmly a constraint holds, where that differs from what <engine> says for all.
struct Firmness {
  std::optional<double> time_constant;  ///< s, in which an error goes away
  std::optional<double> damping_ratio;
  std::vector<Element> own = {};  ///< as EngineOptions::own, for this joint or constraint
};

/// <contact a b>: what two materials do to each other, where it differs from the combination rule (friction:
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

/// A piece of a body: <box>, <sphere>, <capsule>, <cylinder>, <mesh>. A body made of several is a compound.
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

/// <inertial>: mass properties given instead of computed from the shapes.
struct Inertial {
  Place place;
  double mass = 1.0;             ///< kg
  Vec3 center = Vec3::Zero();    ///< p_BC_B, m
  Vec3 diagonal = Vec3::Ones();  ///< Ixx Iyy Izz about the centre, body axes, kg m^2
  Vec3 products = Vec3::Zero();  ///< Ixy Ixz Iyz as matrix entries
};

/// <site>: a named frame on a body where devices sit and springs hold.
struct Site {
  Place place;
  std::string name;
  Pose pose;  ///< X_BS
};

/// <ground>: a plane without end.
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

enum class JointType { kFixed, kHinge, kSlide, kBall, kFree };

/// <joint> inside a link: how the link moves against its parent (a link without one is welded to it).
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
  double armature = 0.0;          ///< inertia of the rotor seen at the joint, kg m^2 or kg
  double stiffness = 0.0;         ///< spring towards rest, N m/rad or N/m
  double rest = 0.0;              ///< where the spring is slack, rad or m
  double initial = 0.0;           ///< rad or m
  double initial_velocity = 0.0;  ///< hinge, slide: rad/s or m/s
  /// Ball and free: at the start, of the link's origin against its parent and in its axes; of a root, the world.
  Vec3 velocity = Vec3::Zero();          ///< free: m/s
  Vec3 angular_velocity = Vec3::Zero();  ///< ball, free: rad/s
  bool detachable = false;               ///< can be let go while running (fixed, hinge, ball)
  Firmness firmness;                     ///< of stops and dry friction
};

/// <link>: one rigid body of a robot.
struct Link {
  Place place;
  std::string name;
  std::string parent;  ///< "" for the root
  Pose pose;           ///< X_PB in the parent with the joint at zero; in the robot for the root
  std::optional<Joint> joint;
  std::vector<Shape> shapes;
  std::optional<Inertial> inertial;
  std::vector<Site> sites;
};

enum class LoopType { kPoint, kHinge, kWeld };

/// <loop>: closes a kinematic loop between two links (or a link and the world).
struct Loop {
  Place place;
  std::string name;
  LoopType type = LoopType::kPoint;
  std::string a;  ///< site; its frame must lie on that of b at the start (hinge: turns about z)
  std::string b;  ///< site
  std::optional<double> tolerance;  ///< how far apart they may be at the start, m; default 1 mm
  Firmness firmness;
};

/// <coupling>: a joint follows another, as by a gear or a linkage: q = ratio * q_followed + offset.
struct Coupling {
  Place place;
  std::string name;
  std::string joint;    ///< the one that follows
  std::string follows;  ///< the one that leads; follows none itself
  double ratio = 1.0;
  double offset = 0.0;  ///< rad or m
  Firmness firmness;
};

/// <exclude a b>: two links or objects that never touch each other.
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
  std::optional<double> length;  ///< where it is slack, m; default: the distance at the start
  double stiffness = 0.0;        ///< N/m
  double damping = 0.0;          ///< N s/m
};

/// <rope>: as a spring, but it only ever pulls.
struct Rope {
  Place place;
  std::string name;
  std::string a;
  std::string b;
  std::optional<double> length;
  double stiffness = 1e5;
  double damping = 0.0;
};

/// The devices of one robot or of the whole scenario, still as written: which kinds exist and what attributes
/// they take is known to the registry.
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
  std::vector<Exclusion> exclusions;
  std::vector<Spring> springs;
  std::vector<Rope> ropes;
  Devices devices;
};

/// <medium>: what surrounds everything. Above `water_level` is air, below it water.
struct Medium {
  Place place;
  double air_density = 0.0;           ///< kg/m^3; 0 means vacuum
  double air_viscosity = 0.0;         ///< Pa s
  Vec3 wind = Vec3::Zero();           ///< m/s
  std::optional<double> water_level;  ///< z, m; none: no water
  double water_density = 1000.0;
  double water_viscosity = 1.0e-3;
  Vec3 current = Vec3::Zero();  ///< of the water, m/s
};

enum class EventAction { kSetSignal, kDetach, kAttach, kPush, kStop, kFault, kRepair };

/// <event>: something that happens at a given time, by the same door as a click or a command from a socket.
struct ScheduledEvent {
  Place place;
  Duration at{0};
  EventAction action = EventAction::kSetSignal;
  std::int64_t priority = 0;   ///< larger first among events of the same step
  std::string target;          ///< signal, joint, body or fault
  double value = 0.0;          ///< for set
  Vec3 force = Vec3::Zero();   ///< for push: at the centre of mass, world axes, N
  Vec3 torque = Vec3::Zero();  ///< for push, N m
  Duration length{0};          ///< for push; 0 means one step. For fault; 0 means for good
};

/// <file>: an asset inside the scenario, as `lockstep pack` writes it.
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
  std::vector<Element> faults;  ///< what can be made to go wrong, still as written
  std::vector<Study> studies;
  std::vector<EmbeddedFile> files;
};

}  // namespace lockstep
