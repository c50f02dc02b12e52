#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/math.h"
#include "lockstep/shapes.h"
#include "scenario/scenario.h"

/// A chain of modules in a robot, as plain structs. It is expanded into links, joints and devices before the
/// scenario is read: see expand_chain.h.
namespace lockstep {

/// <front>, <rear>: the shapes of one of the two frames of a module; origin in the hinge, x forward.
struct ModuleFrame {
  Place place;
  std::vector<Shape> shapes;
};

/// Properties of a module. A <module> inherits what it omits from its <chain>, and the <chain> from
/// default_module().
struct ModuleOptions {
  std::optional<Vec3> size;         ///< length, width, height of both frames together, m
  std::optional<double> mass;       ///< of both frames together, kg
  std::string material;             ///< "" means as in the chain
  std::optional<Color> color;       ///< of the front frame; the rear one is darker
  std::optional<double> lower;      ///< rad
  std::optional<double> upper;      ///< rad
  std::optional<double> initial;    ///< rad
  std::optional<double> gain;       ///< P gain of the servo, 1/s
  std::optional<double> max_speed;  ///< rad/s
  std::optional<double> max_effort;
  std::optional<double> stiffness;
  std::optional<double> damping;           ///< of the servo, N m s/rad
  std::optional<double> joint_damping;     ///< N m s/rad
  std::optional<double> armature;          ///< kg m^2
  std::optional<ModuleFrame> front, rear;  ///< instead of boxes
};

/// The module of MRSim: 78 mm, 200 g, 8 1/s and 3 rad/s. Its servo can hold half of an eleven-module robot
/// stretched out horizontally: the loaded hinge sags by 0.06 rad.
ModuleOptions default_module();
/// `own`, with omitted values taken from `other`.
ModuleOptions completed(ModuleOptions own, const ModuleOptions& other);

enum class ModuleAxis { kPattern, kPitch, kYaw };

/// <module>: two frames and one hinge.
struct ChainModule {
  std::int64_t count = 1;
  ModuleAxis axis = ModuleAxis::kPattern;
  bool detachable = false;  ///< of the lock in front
  bool measured = false;
  ModuleOptions options;
};

enum class Face { kBottom, kLeft, kTop, kRight, kFront, kRear, kFree };

/// Outward normal of a face, in the axes of the sensor module (x forward, y left, z up).
Vec3 outward(Face face);
/// Default size of the plate of a force sensor: the whole face, 2 mm thick.
Vec3 default_pad_size(const Vec3& module_size, Face face);

/// <force_plate>: a plate on a sensor module, and a sensor of the force between the two.
struct ForcePad {
  Place place;
  std::string name;  ///< "": pad<number>_<face>
  Face face = Face::kBottom;
  Pose pose;                 ///< of the middle in the sensor module, for kFree
  std::optional<Vec3> size;  ///< along the axes of the sensor module, m; default: the whole face, 2 mm thick
  double mass = 0.001;       ///< kg
  std::string material;
  std::optional<Color> color;
};

enum class SeenThrough { kNothing, kLink, kRobot };

/// <face_distance>: a distance sensor on a face of a sensor module, along its outward normal.
struct DistanceEye {
  Place place;
  std::string name;  ///< "": eye<number>_<face>
  Face face = Face::kFront;
  Pose pose;  ///< in the sensor module, looking along x, for kFree
  double range = 1.0;
  double angle = 0.0;
  std::int64_t rays = 1;
  SeenThrough ignore = SeenThrough::kRobot;
  double mass = 0.0;               ///< kg; above 0 the sensor has a body, a box without contacts
  Vec3 size = {2e-3, 2e-3, 2e-3};  ///< of that box, m
};

/// <sensor_module>: a box between modules that carries sensors.
struct SensorModule {
  Vec3 size = {0.02, 0.06, 0.06};  ///< length, width, height, m
  double mass = 0.1;               ///< kg
  std::string material;            ///< "" means as in the chain
  std::optional<Color> color;
  bool detachable = false;  ///< of the lock in front
  bool measured = false;
  std::vector<ForcePad> pads;
  std::vector<DistanceEye> eyes;
};

/// One element of a chain.
struct ChainSegment {
  Place place;
  std::variant<ChainModule, SensorModule> module;
};

enum class ChainPoses { kNone, kHead, kAll };

/// <chain>: a row of modules and sensor modules, locked to each other.
struct Chain {
  Place place;
  std::string prefix;                   ///< prepended to every generated name
  std::optional<std::int64_t> modules;  ///< instead of segments
  std::string pattern = "pitch yaw";    ///< axes of the modules, repeated
  std::string parent;                   ///< link the head is fixed to; "": the chain is the root
  Pose pose;                ///< of the front face centre in the parent or the robot; extends along -x
  bool is_fixed = false;    ///< the head is held by the world
  bool detachable = false;  ///< all locks between segments
  bool measured = false;    ///< all locks between segments
  ChainPoses poses = ChainPoses::kHead;
  ModuleOptions options;
  std::vector<ChainSegment> segments;

  bool is_free() const { return parent.empty() && !is_fixed; }  ///< the head has a free joint
};

/// The axes of a pattern such as "pitch yaw"; empty if it is invalid.
inline std::vector<ModuleAxis> read_pattern(std::string_view text) {
  std::vector<ModuleAxis> axes;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return axes;
    const std::string_view word = text.substr(0, text.find(' '));
    if (word != "pitch" && word != "yaw") return {};
    axes.push_back(word == "pitch" ? ModuleAxis::kPitch : ModuleAxis::kYaw);
    text.remove_prefix(word.size());
  }
}

}  // namespace lockstep
