#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/chain.h"
#include "scenario/describe_body.h"
#include "scenario/fields.h"

/// Elements of a chain of modules. See lockstep/fields.h for what these functions are.
namespace lockstep {

inline constexpr std::int64_t kMaxModules = 1'000;

template <class V>
void describe(V& v, ModuleFrame& f) {
  v.children(kShapeKinds, f.shapes);
}

template <class V>
void describe(V& v, ModuleOptions& m) {
  v.vector("size", m.size,
           {.unit = "m",
            .min = 0.0,
            .above_min = true,
            .doc = "Length, width and height of a module. Default: as in the <chain>, and there 78 60 60 mm."});
  v.number("mass", m.mass,
           {.unit = "kg",
            .min = 0.0,
            .above_min = true,
            .doc = "Of a module, half of it in each frame. Default: as in the <chain>, and there 0.2 kg."});
  v.text("material", m.material, {.doc = "Name of a <material>. Default: as in the <chain>."});
  v.color("color", m.color, {.doc = "Of the front frame; the rear one is darker. Default: as in the <chain>."});
  v.number("lower", m.lower,
           {.unit = "rad", .doc = "Lower stop of the hinge. Default: as in the <chain>, and there -90 deg."});
  v.number("upper", m.upper,
           {.unit = "rad", .doc = "Upper stop of the hinge. Default: as in the <chain>, and there 90 deg."});
  v.number("initial", m.initial,
           {.unit = "rad", .doc = "Angle at the start. Default: as in the <chain>, and there 0."});
  v.number("gain", m.gain,
           {.unit = "1/s",
            .min = 0.0,
            .above_min = true,
            .doc = "P gain of the servo. Default: as in the <chain>, and there 8 1/s."});
  v.number("max_speed", m.max_speed,
           {.unit = "rad/s",
            .min = 0.0,
            .above_min = true,
            .doc = "Of the servo. Default: as in the <chain>, and there 3 rad/s."});
  v.number("max_effort", m.max_effort,
           {.unit = "N*m", .min = 0.0, .doc = "Of the servo. Default: as in the <chain>, and there 5 N m."});
  v.number("stiffness", m.stiffness,
           {.unit = "N*m/rad",
            .min = 0.0,
            .doc = "Of the servo. Default: as in the <chain>, and there 40 N m/rad."});
  v.number("damping", m.damping,
           {.unit = "N*m*s/rad",
            .min = 0.0,
            .doc = "Of the servo. Default: as in the <chain>, and there 0.4 N m s/rad."});
  v.number("joint_damping", m.joint_damping,
           {.unit = "N*m*s/rad",
            .min = 0.0,
            .doc = "Viscous friction of the hinge. Default: as in the <chain>, and there 0.1 N m s/rad."});
  v.number("armature", m.armature,
           {.unit = "kg*m^2",
            .min = 0.0,
            .doc = "Inertia of the rotor at the hinge. Default: as in the <chain>, and there 0.001 kg m^2."});
  v.child("front", m.front,
          {.doc = "Shapes of the front frame instead of a box; origin in the hinge, x forward. A single shape "
                  "without mass and density has half the mass of the module."});
  v.child("rear", m.rear, {.doc = "Shapes of the rear frame, likewise."});
}

inline constexpr std::array<std::pair<std::string_view, ModuleAxis>, 3> kModuleAxes = {{
    {"pattern", ModuleAxis::kPattern},
    {"pitch", ModuleAxis::kPitch},
    {"yaw", ModuleAxis::kYaw},
}};

template <class V, class Part>
void describe_lock(V& v, Part& p, std::string_view which_detachable, std::string_view which_measured) {
  v.flag("detachable", p.detachable, {.doc = which_detachable});
  v.flag("measured", p.measured, {.doc = which_measured});
}

inline constexpr std::string_view kDetachableDoc =
    "Whether the lock to the part before can be let go: a <lock> with the signal 'hold'.";
inline constexpr std::string_view kMeasuredDoc =
    "Whether the force in the lock to the part before is measured.";

template <class V>
void describe(V& v, ChainModule& m) {
  v.integer("count", m.count, {.min = 1, .max = kMaxModules, .doc = "So many of these in a row."});
  v.choice(
      "axis", m.axis, kModuleAxes,
      {.doc = "pitch: bends up and down. yaw: bends to the sides. pattern: as the pattern of the <chain> has "
              "it for a module of this number."});
  describe_lock(v, m, kDetachableDoc, kMeasuredDoc);
  describe(v, m.options);
}

inline constexpr std::array<std::pair<std::string_view, Face>, 7> kFaces = {{
    {"bottom", Face::kBottom},
    {"left", Face::kLeft},
    {"top", Face::kTop},
    {"right", Face::kRight},
    {"front", Face::kFront},
    {"rear", Face::kRear},
    {"free", Face::kFree},
}};

/// Where a sensor sits on a sensor module: on a face, or anywhere.
template <class V, class Sensor>
void describe_face(V& v, Sensor& s, std::string_view free_doc) {
  v.choice("place", s.face, kFaces, {.doc = "Face of the sensor module; free: where position and rpy say."});
  if (V::kIsSchema || s.face == Face::kFree) {
    v.pose(s.pose, {.doc = free_doc});
  } else {
    for (const char* name : {"position", "orientation", "rpy"}) v.no_meaning(name, "a place on a face");
  }
}

template <class V>
void describe(V& v, ForcePad& p) {
  v.name("name", p.name, {.doc = "Name of link, lock and sensor. Default: such as pad1_bottom."});
  describe_face(v, p, "Middle of the plate in the sensor module (free).");
  v.vector("size", p.size,
           {.unit = "m",
            .min = 0.0,
            .above_min = true,
            .doc = "Of the plate along its axes. Default: the whole face, 2 mm thick; free: 20 20 2 mm."});
  v.number("mass", p.mass, {.unit = "kg", .min = 0.0, .above_min = true, .doc = "Of the plate."});
  v.text("material", p.material, {.doc = "Name of a <material>. Default: as the sensor module."});
  v.color("color", p.color, {.doc = "Default: as the sensor module."});
}

inline constexpr std::array<std::pair<std::string_view, SeenThrough>, 3> kSeenThrough = {{
    {"nothing", SeenThrough::kNothing},
    {"link", SeenThrough::kLink},
    {"robot", SeenThrough::kRobot},
}};

template <class V>
void describe(V& v, DistanceEye& e) {
  v.name("name", e.name, {.doc = "Name of site and sensor. Default: such as eye1_front."});
  describe_face(v, e, "Where it sits in the sensor module, looking along its x (free).");
  v.number("range", e.range,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "What is farther away is not seen."});
  v.number("angle", e.angle,
           {.unit = "rad", .min = 0.0, .max = 3.141592653589793, .doc = "Full opening angle; 0: one ray."});
  v.integer("rays", e.rays, {.min = 1, .max = 1000, .doc = "Rays that fill the opening."});
  v.choice("ignore", e.ignore, kSeenThrough, {.doc = "What it looks through, as in <distance> of <sensors>."});
  v.number("mass", e.mass,
           {.unit = "kg", .min = 0.0, .doc = "Above 0 it has a body, a box that touches nothing."});
  v.vector("size", e.size, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Of that box."});
}

template <class V>
void describe(V& v, SensorModule& m) {
  v.vector("size", m.size, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Length, width and height."});
  v.number("mass", m.mass, {.unit = "kg", .min = 0.0, .above_min = true, .doc = "Without its sensors."});
  v.text("material", m.material, {.doc = "Name of a <material>. Default: as in the <chain>."});
  v.color("color", m.color, {.doc = "Default: the colour of the material."});
  describe_lock(v, m, kDetachableDoc, kMeasuredDoc);
  v.children("force_plate", m.pads, {.doc = "A plate on a face, and the force between plate and module."});
  v.children("face_distance", m.eyes, {.doc = "A distance sensor that looks out of a face."});
}

template <class V>
void describe(V& v, ChainPart& p) {
  std::visit([&](auto& part) { describe(v, part); }, p.part);
}

template <class P>
constexpr ChildKind<ChainPart> chain_part_kind(std::string_view name, std::string_view doc) {
  return {name,
          [] {
            ChainPart part;
            part.part = P{};
            return part;
          },
          [](const ChainPart& part) { return std::holds_alternative<P>(part.part); }, doc};
}

inline constexpr std::array kChainPartKinds = {
    chain_part_kind<ChainModule>("module", "Two frames and the hinge between them."),
    chain_part_kind<SensorModule>("sensor_module", "A box that carries sensors."),
};

inline constexpr std::array<std::pair<std::string_view, ChainPoses>, 3> kChainPoses = {{
    {"none", ChainPoses::kNone},
    {"head", ChainPoses::kHead},
    {"all", ChainPoses::kAll},
}};

template <class V>
void describe(V& v, Chain& c) {
  v.name("prefix", c.prefix, {.doc = "Before every name it makes, where a robot has several chains."});
  v.integer("modules", c.modules,
            {.min = 1, .max = kMaxModules, .doc = "Number of modules, instead of listing the parts."});
  v.text("pattern", c.pattern, {.doc = "Axes of the modules from the head on, by turns: pitch, yaw."});
  v.text("parent", c.parent, {.doc = "Link that the head is fixed to. Default: the head is the root."});
  v.pose(c.pose, {.doc = "Middle of the front face in the parent or robot; the chain lies along -x."});
  v.flag("fixed", c.is_fixed, {.doc = "Whether the world holds the head of a chain without parent."});
  describe_lock(v, c, "Whether all locks can be let go.", "Whether the forces in all locks are measured.");
  v.choice("poses", c.poses, kChainPoses, {.doc = "Which links have a <pose> sensor: none, the first, all."});
  describe(v, c.options);
  v.children(kChainPartKinds, c.parts);
  v.check(!read_pattern(c.pattern).empty(), "pattern",
          "the pattern is none; expected 'pitch' and 'yaw' in the order of the modules, such as 'pitch yaw'");
  v.check(!c.modules || c.parts.empty(), "modules",
          "both a number of modules and parts are given; expected one");
  v.check(c.modules || !c.parts.empty() || V::kIsSchema, "", "has no modules; give a number or list its parts");
  v.check(c.parent.empty() || !c.is_fixed, "fixed", "means nothing for a chain with a parent");
}

}  // namespace lockstep
