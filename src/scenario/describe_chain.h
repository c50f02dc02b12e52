#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/chain.h"
#include "scenario/describe_body.h"
#include "scenario/fields.h"

/// Elements of a chain of modules. See lockstep/fields.h for how these functions are used.
namespace lockstep {

/// On flat ground a module has four contacts. The memory that MuJoCo can address holds those of 740 modules.
inline constexpr std::int64_t kMaxModules = 700;

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
            .doc = "Length, width and height of a module. Default: as in the <chain>, there 78 60 60 mm."});
  v.number("mass", m.mass,
           {.unit = "kg",
            .min = 0.0,
            .above_min = true,
            .doc = "Of a module, half of it in each frame. Default: as in the <chain>, there 0.2 kg."});
  v.text("material", m.material, {.doc = "Name of a <material>. Default: as in the <chain>."});
  v.color("color", m.color, {.doc = "Of the front frame; the rear one is darker. Default: as in the <chain>."});
  v.number("lower", m.lower,
           {.unit = "rad", .doc = "Lower limit of the hinge. Default: as in the <chain>, there -90 deg."});
  v.number("upper", m.upper,
           {.unit = "rad", .doc = "Upper limit of the hinge. Default: as in the <chain>, there 90 deg."});
  v.number("initial", m.initial, {.unit = "rad", .doc = "Initial angle. Default: as in the <chain>, there 0."});
  v.number("gain", m.gain,
           {.unit = "1/s",
            .min = 0.0,
            .above_min = true,
            .doc = "P gain of the servo. Default: as in the <chain>, there 8 1/s."});
  v.number("max_speed", m.max_speed,
           {.unit = "rad/s",
            .min = 0.0,
            .above_min = true,
            .doc = "Of the servo. Default: as in the <chain>, there 3 rad/s."});
  v.number("max_effort", m.max_effort,
           {.unit = "N*m", .min = 0.0, .doc = "Of the servo. Default: as in the <chain>, there 5 N m."});
  v.number(
      "stiffness", m.stiffness,
      {.unit = "N*m/rad", .min = 0.0, .doc = "Of the servo. Default: as in the <chain>, there 40 N m/rad."});
  v.number("damping", m.damping,
           {.unit = "N*m*s/rad",
            .min = 0.0,
            .doc = "Of the servo. Default: as in the <chain>, there 0.4 N m s/rad."});
  v.number("joint_damping", m.joint_damping,
           {.unit = "N*m*s/rad",
            .min = 0.0,
            .doc = "Viscous friction of the hinge. Default: as in the <chain>, there 0.1 N m s/rad."});
  v.number("armature", m.armature,
           {.unit = "kg*m^2",
            .min = 0.0,
            .doc = "Inertia of the rotor at the hinge. Default: as in the <chain>, there 0.001 kg m^2."});
  v.child("front", m.front,
          {.doc = "Shapes of the front frame instead of a box; origin in the hinge, x forward. A single shape "
                  "without mass and density has half the mass of the module."});
  v.child("rear", m.rear, {.doc = "Shapes of the rear frame, as for <front>."});
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
    "Whether the lock in front can be detached: adds a <lock> with the signal 'hold'. Not for the head of a "
    "free "
    "chain.";
inline constexpr std::string_view kMeasuredDoc =
    "Whether the force in the lock in front is measured. Not for the head of a free chain.";

template <class V>
void describe(V& v, ChainModule& m) {
  v.integer("count", m.count,
            {.min = 1, .max = kMaxModules, .doc = "Number of consecutive modules like this."});
  v.choice(
      "axis", m.axis, kModuleAxes,
      {.doc = "pitch: bends up and down. yaw: bends to the sides. pattern: from the pattern of the <chain>."});
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

/// Placement of a sensor on a sensor module: on a face, or free.
template <class V, class Sensor>
void describe_face(V& v, Sensor& s, std::string_view free_doc) {
  v.choice("place", s.face, kFaces, {.doc = "Face of the sensor module; free: given by position and rpy."});
  if (V::kIsSchema || s.face == Face::kFree) {
    v.pose(s.pose, {.doc = free_doc});
  } else {
    for (const char* name : {"position", "orientation", "rpy"}) v.no_meaning(name, "a place on a face");
  }
}

template <class V>
void describe(V& v, ForcePad& p) {
  v.name("name", p.name, {.doc = "Name of link, lock and sensor. Default: such as pad1_bottom."});
  describe_face(v, p, "Centre of the plate in the sensor module (free).");
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
  describe_face(v, e, "Pose in the sensor module; it measures along x (free).");
  v.number("range", e.range, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Maximum distance."});
  v.number("angle", e.angle,
           {.unit = "rad", .min = 0.0, .max = 3.141592653589793, .doc = "Full opening angle; 0: one ray."});
  v.integer("rays", e.rays, {.min = 1, .max = 1000, .doc = "Number of rays in the cone."});
  v.choice("ignore", e.ignore, kSeenThrough, {.doc = "What its rays ignore, as in <distance> of <sensors>."});
  v.number("mass", e.mass,
           {.unit = "kg", .min = 0.0, .doc = "Above 0 the sensor has a body: a box without contacts."});
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
  v.children("face_distance", m.eyes, {.doc = "A distance sensor on a face, along its normal."});
}

template <class V>
void describe(V& v, ChainSegment& p) {
  std::visit([&](auto& module) { describe(v, module); }, p.module);
}

template <class P>
constexpr ChildKind<ChainSegment> chain_segment_kind(std::string_view name, std::string_view doc) {
  return {name,
          [] {
            ChainSegment segment;
            segment.module = P{};
            return segment;
          },
          [](const ChainSegment& segment) { return std::holds_alternative<P>(segment.module); }, doc};
}

inline constexpr std::array kChainSegmentKinds = {
    chain_segment_kind<ChainModule>("module", "Two frames and the hinge between them."),
    chain_segment_kind<SensorModule>("sensor_module", "A box that carries sensors."),
};

inline constexpr std::array<std::pair<std::string_view, ChainPoses>, 3> kChainPoses = {{
    {"none", ChainPoses::kNone},
    {"head", ChainPoses::kHead},
    {"all", ChainPoses::kAll},
}};

template <class V>
void describe(V& v, Chain& c) {
  v.name("prefix", c.prefix, {.doc = "Prefix of every generated name, for robots with several chains."});
  v.integer("modules", c.modules,
            {.min = 1, .max = kMaxModules, .doc = "Number of modules, instead of listing them."});
  v.text("pattern", c.pattern, {.doc = "Axes of the modules from the head backwards, repeated: pitch, yaw."});
  v.text("parent", c.parent, {.doc = "Link that the head is fixed to. Default: the head is the root."});
  v.pose(c.pose, {.doc = "Centre of the front face in the parent or robot; the chain extends along -x."});
  v.flag("fixed", c.is_fixed, {.doc = "Whether the head is fixed to the world, for a chain without parent."});
  describe_lock(v, c, "Whether all locks between modules can be detached.",
                "Whether the forces in all locks between modules are measured.");
  v.choice("poses", c.poses, kChainPoses, {.doc = "Which links have a <pose> sensor: none, the first, all."});
  describe(v, c.options);
  v.children(kChainSegmentKinds, c.segments);
  v.check(!read_pattern(c.pattern).empty(), "pattern",
          "invalid pattern; expected 'pitch' and 'yaw' in the order of the modules, such as 'pitch yaw'");
  v.check(!c.modules || c.segments.empty(), "modules",
          "both a number and a list of modules are given; expected one of them");
  v.check(c.modules || !c.segments.empty() || V::kIsSchema, "",
          "has no modules; give their number or list them");
  v.check(c.parent.empty() || !c.is_fixed, "fixed", "does not apply to a chain with a parent");
}

}  // namespace lockstep
