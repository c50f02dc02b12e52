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

/// A chain of modules in a robot, as plain structs. It stands for links, joints and devices and is gone before
/// a scenario is read: see expand_chain.h.
namespace lockstep {

/// <front>, <rear>: the shapes of one of the two frames of a module; origin in the hinge, x forward.
struct ModuleFrame {
  Place place;
  std::vector<Shape> shapes;
};

/// What a module of a chain is like. What is omitted of a <module> is as in its <chain>, and what is omitted
/// there is as in default_module().
struct ModuleOptions {
  std::optional<Vec3> size;         ///< length, width, height of both frames together, m
  std::optional<double> mass;       ///< of both frames together, kg
  std::string material;             ///< "" means as in the chain
  std::optional<Color> color;       ///< of the front frame; the rear one is darker
  std::optional<double> lower;      ///< rad
  std::optional<double> upper;      ///< rad
  std::optional<double> initial;    ///< rad
  std::optional<double> gain;       ///< of the servo's P regulator, 1/s
  std::optional<double> max_speed;  ///< rad/s
  std::optional<double> max_effort;
  std::optional<double> stiffness;
  std::optional<double> damping;           ///< of the servo, N m s/rad
  std::optional<double> joint_damping;     ///< N m s/rad
  std::optional<double> armature;          ///< kg m^2
  std::optional<ModuleFrame> front, rear;  ///< instead of boxes
};

/// A module of a robot of MRSim: 78 mm, 200 g, 8 1/s and 3 rad/s. The rest is strong enough for half of a robot
/// of eleven: stretched out level, it turns the hinge that carries it by 0.06 rad.
ModuleOptions default_module();
/// `own` with what it omits taken from `other`.
ModuleOptions completed(ModuleOptions own, const ModuleOptions& other);

enum class ModuleAxis { kPattern, kPitch, kYaw };

/// <module>: two frames and one hinge.
struct ChainModule {
  std::int64_t count = 1;
  ModuleAxis axis = ModuleAxis::kPattern;
  bool detachable = false;  ///< of the lock to the part before
  bool measured = false;
  ModuleOptions options;
};

enum class Face { kBottom, kLeft, kTop, kRight, kFront, kRear, kFree };

/// Out of a face, in the axes of the sensor module (x forward, y left, z up).
Vec3 outward(Face face);
/// Of the plate of a force sensor that says nothing else: the whole face, 2 mm thick.
Vec3 default_pad_size(const Vec3& module_size, Face face);

/// <force>: a plate on a sensor module, and the force between the two.
struct ForcePad {
  Place place;
  std::string name;  ///< "" means pad and number and face
  Face face = Face::kBottom;
  Pose pose;                 ///< of the middle in the sensor module, for kFree
  std::optional<Vec3> size;  ///< along the axes of the sensor module, m; default: the whole face, 2 mm thick
  double mass = 0.001;       ///< kg
  std::string material;
  std::optional<Color> color;
};

enum class SeenThrough { kNothing, kLink, kRobot };

/// <distance>: looks out of a face of a sensor module.
struct DistanceEye {
  Place place;
  std::string name;  ///< "" means eye and number and face
  Face face = Face::kFront;
  Pose pose;  ///< in the sensor module, looking along x, for kFree
  double range = 1.0;
  double angle = 0.0;
  std::int64_t rays = 1;
  SeenThrough ignore = SeenThrough::kRobot;
  double mass = 0.0;               ///< kg; above 0 the sensor has a body, a box that touches nothing
  Vec3 size = {2e-3, 2e-3, 2e-3};  ///< of that box, m
};

/// <sensor_module>: a box between modules that carries sensors.
struct SensorModule {
  Vec3 size = {0.02, 0.06, 0.06};  ///< length, width, height, m
  double mass = 0.1;               ///< kg
  std::string material;            ///< "" means as in the chain
  std::optional<Color> color;
  bool detachable = false;  ///< of the lock to the part before
  bool measured = false;
  std::vector<ForcePad> pads;
  std::vector<DistanceEye> eyes;
};

struct ChainPart {
  Place place;
  std::variant<ChainModule, SensorModule> part;
};

enum class ChainPoses { kNone, kHead, kAll };

/// <chain>: a row of modules and sensor modules, locked to each other.
struct Chain {
  Place place;
  std::string prefix;                   ///< before every name it makes
  std::optional<std::int64_t> modules;  ///< instead of parts
  std::string pattern = "pitch yaw";    ///< axes of the modules by turns
  std::string parent;                   ///< link the head is fixed to; "": the chain is the root
  Pose pose;                ///< of the middle of the front face in the parent or the robot; it lies along -x
  bool is_fixed = false;    ///< the head is held by the world
  bool detachable = false;  ///< all locks
  bool measured = false;    ///< all locks
  ChainPoses poses = ChainPoses::kHead;
  ModuleOptions options;
  std::vector<ChainPart> parts;
};

/// The axes that a pattern such as "pitch yaw" names; empty if it is none.
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
