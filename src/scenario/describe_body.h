#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "scenario/fields.h"
#include "scenario/scenario.h"

/// Elements that make up bodies: shapes, masses, sites, joints, links and what holds links together.
/// See lockstep/fields.h for how these functions are used.
namespace lockstep {

inline constexpr double kMaxStiffness = 1e12;  ///< N/m, a thousand times that of a steel bar

template <class V>
void describe(V& v, Firmness& f) {
  v.number("time_constant", f.time_constant,
           {.unit = "s",
            .min = 0.0,
            .max = 10.0,
            .above_min = true,
            .doc = "Time constant in which an error is corrected. Default: that of <engine>."});
  v.number("damping_ratio", f.damping_ratio,
           {.min = 0.0, .max = 100.0, .above_min = true, .doc = "Default: that of <engine>."});
}

template <class V>
void describe(V& v, Box& b) {
  v.vector("size", b.size,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "Full edge lengths along x, y and z."});
}

template <class V>
void describe(V& v, Sphere& s) {
  v.number("radius", s.radius, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Radius."});
}

template <class V>
void describe(V& v, Capsule& c) {
  v.number("radius", c.radius, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Radius."});
  v.number("length", c.length,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "Length along z, without the round caps."});
}

template <class V>
void describe(V& v, Cylinder& c) {
  v.number("radius", c.radius, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Radius."});
  v.number("length", c.length, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Length along z."});
}

template <class V>
void describe(V& v, MeshFile& m) {
  v.text("src", m.src, {.doc = "OBJ or STL file, relative to the file this is in.", .required = true});
  v.vector("scale", m.scale,
           {.min = -1e6, .max = 1e6, .doc = "Factors along x, y and z; 0.001 for a file in millimetres."});
  v.check(m.scale.x() != 0.0 && m.scale.y() != 0.0 && m.scale.z() != 0.0, "scale",
          "scale has a zero, which leaves no volume");
}

template <class V>
void describe(V& v, Shape& s) {
  v.name("name", s.name,
         {.doc = "Name within the body, shown in contacts. Without one the shape is numbered."});
  std::visit([&](auto& geometry) { describe(v, geometry); }, s.geometry);
  v.pose(s.pose, {.doc = "Centre of the shape (origin of a mesh) in the body."});
  v.text("material", s.material, {.doc = "Name of a <material>; empty for the built-in one."});
  v.number("mass", s.mass,
           {.unit = "kg", .min = 0.0, .doc = "Mass of this shape. Default: volume times density."});
  v.number("density", s.density,
           {.unit = "kg/m^3", .min = 0.0, .above_min = true, .doc = "Default: the density of the material."});
  v.color("color", s.color, {.doc = "Default: the colour of the material."});
  v.flag("collide", s.collide, {.doc = "Whether it collides."});
  v.flag("visible", s.visible, {.doc = "Whether it is drawn."});
  v.number("drag", s.drag, {.min = 0.0, .max = 1e3, .doc = "Drag coefficient in air and water."});
  v.check(!s.mass || !s.density, "density", "both mass and density are given; expected one of them");
}

template <class G>
constexpr ChildKind<Shape> shape_kind(std::string_view name, std::string_view doc) {
  return {name,
          [] {
            Shape shape;
            shape.geometry = G{};
            return shape;
          },
          [](const Shape& shape) { return std::holds_alternative<G>(shape.geometry); }, doc};
}

inline constexpr std::array kShapeKinds = {
    shape_kind<Box>("box", "A box around its centre."),
    shape_kind<Sphere>("sphere", "A sphere around its centre."),
    shape_kind<Capsule>("capsule", "A cylinder along z with round caps."),
    shape_kind<Cylinder>("cylinder", "A cylinder along z."),
    shape_kind<MeshFile>("mesh", "A triangle mesh from a file. Contacts use its convex hull."),
};

template <class V>
void describe(V& v, Inertial& i) {
  v.number("mass", i.mass, {.unit = "kg", .min = 0.0, .above_min = true, .doc = "Mass.", .required = true});
  v.vector("center", i.center, {.unit = "m", .doc = "Centre of mass in the body."});
  v.vector("diagonal", i.diagonal,
           {.unit = "kg*m^2",
            .min = 0.0,
            .above_min = true,
            .doc = "Ixx, Iyy and Izz about the centre of mass, along the axes of the body.",
            .required = true});
  v.vector("products", i.products,
           {.unit = "kg*m^2", .doc = "Ixy, Ixz and Iyz as entries of the inertia matrix (with sign)."});
}

template <class V>
void describe(V& v, Site& s) {
  v.name("name", s.name, {.doc = "Name within the robot or object.", .required = true});
  v.pose(s.pose, {.doc = "Origin of the frame in the body."});
}

inline constexpr std::array<std::pair<std::string_view, JointType>, 5> kJointTypes = {{
    {"fixed", JointType::kFixed},
    {"hinge", JointType::kHinge},
    {"slide", JointType::kSlide},
    {"ball", JointType::kBall},
    {"free", JointType::kFree},
}};

/// The units of a joint's numbers: angles for hinge and ball, lengths for slide, both in the reference.
struct JointUnits {
  std::string_view position = "rad or m";
  std::string_view velocity = "rad/s or m/s";
  std::string_view force = "N*m or N";
  std::string_view damping = "N*m*s/rad or N*s/m";
  std::string_view stiffness = "N*m/rad or N/m";
  std::string_view inertia = "kg*m^2 or kg";
};
inline constexpr JointUnits kAngularUnits = {"rad", "rad/s", "N*m", "N*m*s/rad", "N*m/rad", "kg*m^2"};
inline constexpr JointUnits kLinearUnits = {"m", "m/s", "N", "N*s/m", "N/m", "kg"};

/// Docs of a joint's anchor and axis.
struct JointDocs {
  std::string_view position = "Anchor in the link's own frame.";
  std::string_view axis = "Direction in the link's own frame, of any length (hinge, slide).";
};

/// A joint whose anchor and axis (Vec3 or optional<Vec3>) are kept by the caller.
template <class V, class Position, class Axis>
void describe_joint(V& v, Joint& j, Position& position, Axis& axis, const JointDocs& docs) {
  v.name("name", j.name, {.doc = "Name within the robot.", .required = true});
  const bool is_type_known = v.choice(
      "type", j.type, kJointTypes,
      {.doc =
           "fixed: does not move. hinge: turns about the axis. slide: moves along the axis. ball: turns about "
           "the anchor in all directions. free: 6 degrees of freedom (root link only)."});
  JointUnits units = j.type == JointType::kSlide ? kLinearUnits : kAngularUnits;
  // The schema lists the attributes of all types. An unknown type is one error, not one per attribute.
  const bool takes_all = V::kIsSchema || !is_type_known;
  if (takes_all) units = {};

  // Attributes that do not apply to the type are rejected, not ignored.
  const std::string holder = fmt::format("a {} joint", kJointTypes[static_cast<std::size_t>(j.type)].first);
  const bool has_axis = takes_all || j.type == JointType::kHinge || j.type == JointType::kSlide;
  const bool has_losses = has_axis || j.type == JointType::kBall;
  const bool has_anchor = takes_all || j.type != JointType::kFree;
  const bool can_detach = takes_all || (j.type != JointType::kSlide && j.type != JointType::kFree);
  const auto number = [&](bool has_meaning, std::string_view name, auto& value, const FieldSpec& spec) {
    has_meaning ? v.number(name, value, spec) : v.no_meaning(name, holder);
  };

  if (has_anchor) {
    v.vector("position", position, {.unit = "m", .doc = docs.position});
  } else {
    v.no_meaning("position", holder);
  }
  if (has_axis) {
    v.vector("axis", axis, {.doc = docs.axis});
  } else {
    v.no_meaning("axis", holder);
  }
  number(has_axis, "lower", j.lower,
         {.unit = units.position, .doc = "Lower limit; default: none (hinge, slide)."});
  number(has_axis, "upper", j.upper,
         {.unit = units.position, .doc = "Upper limit; default: none (hinge, slide)."});
  number(has_losses, "damping", j.damping,
         {.unit = units.damping, .min = 0.0, .doc = "Viscous friction (hinge, slide, ball)."});
  number(has_losses, "friction", j.friction,
         {.unit = units.force, .min = 0.0, .doc = "Dry friction (hinge, slide, ball)."});
  number(
      has_losses, "armature", j.armature,
      {.unit = units.inertia, .min = 0.0, .doc = "Rotor inertia reflected to the joint (hinge, slide, ball)."});
  number(has_losses, "stiffness", j.stiffness,
         {.unit = units.stiffness,
          .min = 0.0,
          .doc = "Spring towards rest (hinge, slide), or towards the initial orientation (ball)."});
  number(has_axis, "rest", j.rest,
         {.unit = units.position, .doc = "Rest position of the spring (hinge, slide)."});
  number(has_axis, "initial", j.initial, {.unit = units.position, .doc = "Initial position (hinge, slide)."});
  number(has_axis, "initial_velocity", j.initial_velocity,
         {.unit = units.velocity, .doc = "Initial velocity (hinge, slide)."});
  if (takes_all || j.type == JointType::kFree) {
    v.vector("velocity", j.velocity,
             {.unit = "m/s", .doc = "Initial velocity of the origin, world axes (free)."});
  } else {
    v.no_meaning("velocity", holder);
  }
  if (takes_all || j.type == JointType::kFree || j.type == JointType::kBall) {
    v.vector(
        "angular_velocity", j.angular_velocity,
        {.unit = "rad/s",
         .doc = "Initial angular velocity relative to the parent, in the parent's axes; of a root, in world "
                "axes (ball, free)."});
  } else {
    v.no_meaning("angular_velocity", holder);
  }
  if (can_detach) {
    v.flag("detachable", j.detachable,
           {.doc = "Whether an event can detach it during a run (fixed, hinge, ball)."});
  } else {
    v.no_meaning("detachable", holder);
  }
  if (has_losses) {
    describe(v, j.firmness);  // of limits and dry friction
    v.engine_children(EngineHost::kJoint, j.firmness.own);
  } else {
    for (const char* name : {"time_constant", "damping_ratio"}) v.no_meaning(name, holder);
  }
}

template <class V>
void describe(V& v, Joint& j) {
  describe_joint(v, j, j.position, j.axis, {});
}

inline constexpr std::string_view kJointDoc =
    "How the link moves relative to its parent; without a joint it is welded to it.";

template <class V>
void describe(V& v, Link& l) {
  v.name("name", l.name, {.doc = "Name within the robot.", .required = true});
  v.text("parent", l.parent, {.doc = "Link that this one is joined to; empty for the root of the robot."});
  v.pose(l.pose, {.doc = "Origin in the parent with the joint at zero; for the root, in the robot."});
  v.flag("massless", l.massless,
         {.doc = "Whether it is only a frame between two joints, without mass and shapes, as the cross of a "
                 "universal joint. The links on its two sides are neighbours."});
  v.child("joint", l.joint, {.doc = kJointDoc});
  v.children(kShapeKinds, l.shapes);
  v.child("inertial", l.inertial, {.doc = "Mass properties, instead of computing them from the shapes."});
  v.children("site", l.sites, {.doc = "A named frame for devices and springs."});
}

inline constexpr std::array<std::pair<std::string_view, LoopType>, 3> kLoopTypes = {{
    {"point", LoopType::kPoint},
    {"hinge", LoopType::kHinge},
    {"weld", LoopType::kWeld},
}};

template <class V>
void describe(V& v, Loop& l) {
  v.name("name", l.name, {.doc = "Name of the loop.", .required = true});
  v.choice("type", l.type, kLoopTypes,
           {.doc = "point: the origins stay together. hinge: also the z axes. weld: the whole frames."});
  v.text("a", l.a, {.doc = "Site.", .required = true});
  v.text("b", l.b, {.doc = "Site that must coincide with a at the start.", .required = true});
  v.number(
      "tolerance", l.tolerance,
      {.unit = "m",
       .min = 0.0,
       .doc = "Maximum distance at the start; the maximum rotation is 10 rad per metre of it. Default: 1 mm."});
  describe(v, l.firmness);
  v.engine_children(EngineHost::kConstraint, l.firmness.own);
}

template <class V>
void describe(V& v, Coupling& c) {
  v.name("name", c.name, {.doc = "Name of the coupling.", .required = true});
  v.text("joint", c.joint, {.doc = "Hinge or slide joint that follows.", .required = true});
  v.text("follows", c.follows,
         {.doc = "Hinge or slide joint that it follows; must not follow another.", .required = true});
  v.number("ratio", c.ratio,
           {.min = -1e6, .max = 1e6, .doc = "Motion of the joint per rad or m of the one it follows."});
  v.number("offset", c.offset,
           {.unit = "rad or m", .doc = "Position of the joint when the one it follows is at zero."});
  describe(v, c.firmness);
  v.engine_children(EngineHost::kConstraint, c.firmness.own);
}

template <class V>
void describe(V& v, Pulley& p) {
  v.text("joint", p.joint, {.doc = "Hinge or slide joint that the pulley turns with.", .required = true});
  v.number("ratio", p.ratio,
           {.min = -1e6,
            .max = 1e6,
            .doc = "Change of the length of the tendon per rad or m of the joint. A force of an actuator that "
                   "lengthens the tendon acts on the joint times this."});
  v.check(p.ratio != 0.0, "ratio", "ratio is zero; expected another number");
}

template <class V>
void describe(V& v, Tendon& t) {
  const JointUnits units;
  v.name("name", t.name, {.doc = "Name within the robot.", .required = true});
  v.children("pulley", t.pulleys,
             {.doc = "Where the tendon acts on a joint. Its length is the sum of ratio times position, in the "
                     "unit of the first joint."});
  v.number("lower", t.lower, {.unit = units.position, .doc = "Smallest length; default: none."});
  v.number("upper", t.upper, {.unit = units.position, .doc = "Largest length; default: none."});
  v.number("damping", t.damping, {.unit = units.damping, .min = 0.0, .doc = "Viscous friction."});
  v.number("stiffness", t.stiffness,
           {.unit = units.stiffness, .min = 0.0, .max = kMaxStiffness, .doc = "Spring towards rest."});
  v.number("rest", t.rest,
           {.unit = units.position, .doc = "Length at which the spring is slack. Default: that at the start."});
  v.number("held", t.held,
           {.unit = units.position,
            .doc = "Length that the tendon keeps, so that its joints are coupled. Default: it may change."});
  describe(v, t.firmness);
  v.engine_children(EngineHost::kConstraint, t.firmness.own);
}

template <class V>
void describe(V& v, Exclusion& e) {
  v.text("a", e.a, {.doc = "Link or object.", .required = true});
  v.text("b", e.b, {.doc = "Link or object that never collides with a.", .required = true});
}

template <class V>
void describe(V& v, Spring& s) {
  v.name("name", s.name, {.doc = "Name of the spring.", .required = true});
  v.text("a", s.a, {.doc = "Site at one end.", .required = true});
  v.text("b", s.b, {.doc = "Site at the other end.", .required = true});
  v.number(
      "length", s.length,
      {.unit = "m", .min = 0.0, .doc = "Length at which it is slack. Default: the distance at the start."});
  v.number("stiffness", s.stiffness, {.unit = "N/m", .min = 0.0, .max = kMaxStiffness, .doc = "Stiffness."});
  v.number("damping", s.damping, {.unit = "N*s/m", .min = 0.0, .doc = "Damping along the line."});
}

template <class V>
void describe(V& v, Rope& r) {
  v.name("name", r.name, {.doc = "Name of the rope.", .required = true});
  v.text("a", r.a, {.doc = "Site at one end.", .required = true});
  v.text("b", r.b, {.doc = "Site at the other end.", .required = true});
  v.number(
      "length", r.length,
      {.unit = "m", .min = 0.0, .doc = "Length at which it goes slack. Default: the distance at the start."});
  v.number("stiffness", r.stiffness,
           {.unit = "N/m", .min = 0.0, .max = kMaxStiffness, .above_min = true, .doc = "Stiffness when taut."});
  v.number("damping", r.damping, {.unit = "N*s/m", .min = 0.0, .doc = "Damping when taut."});
}

}  // namespace lockstep
