#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "design/operation.h"
#include "scenario/describe.h"

/// Operations of a design script. See lockstep/fields.h for how these functions are used.
namespace lockstep {

inline constexpr std::string_view kAtDoc =
    "Derives a point and a direction from the shape of parts, instead of given numbers.";

inline constexpr std::string_view kPartsDoc =
    "Parts, as patterns separated by ';': '*' matches any text, '?' one character. A pattern matches a "
    "whole name or its end after a '/'; a group includes all parts in it. Patterns with '*' or '?' select "
    "only parts that are in no body yet.";

template <class V>
void describe(V& v, JointSetting& j) {
  describe_joint(v, j.joint, j.position, j.axis,
                 {.position = "Anchor in the assembly. Default: from <at>.",
                  .axis = "Direction in the assembly. Default: from <along>, else from <at> (hinge, slide)."});
  v.child("at", j.at, {.doc = kAtDoc});
  v.child("along", j.along, {.doc = "Derives a direction from the shape of parts."});
}

template <class V>
void describe(V& v, MakeLink& o) {
  v.name("name", o.name, {.doc = "Name of the new link.", .required = true});
  v.text("parent", o.parent, {.doc = "Link that it is joined to; empty for the root of the robot."});
  v.text("parts", o.parts, {.doc = kPartsDoc, .required = true});
  v.text("material", o.material, {.doc = "Name of a <material> of the <scenario>."});
  v.child("joint", o.joint, {.doc = kJointDoc});
}

template <class V>
void describe(V& v, ChangeJoint& o) {
  v.text("link", o.link, {.doc = "Link whose joint is set.", .required = true});
  v.child("joint", o.joint, {.doc = kJointDoc});
}

template <class V>
void describe(V& v, MoveEnd& o) {
  v.name("name", o.name, {.doc = "Name of the empty link; an existing one is moved.", .required = true});
  v.text("parent", o.parent, {.doc = "Link that it is the end of; required for a new one."});
  v.vector("position", o.position, {.unit = "m", .doc = "Its origin in the assembly. Default: from <at>."});
  v.child("at", o.at, {.doc = kAtDoc});
}

template <class V>
void describe(V& v, MergeLink& o) {
  v.text("link", o.link, {.doc = "Link to remove.", .required = true});
  v.text("into", o.into, {.doc = "Link that gets its parts, sites and child links.", .required = true});
}

template <class V>
void describe(V& v, SplitLink& o) {
  v.text("link", o.link, {.doc = "Link to split.", .required = true});
  v.name("name", o.name, {.doc = "Name of the new link, a child of the split one.", .required = true});
  v.text("parts", o.parts, {.doc = "Parts that move to the new link, as patterns.", .required = true});
  v.child("joint", o.joint, {.doc = kJointDoc});
}

template <class V>
void describe(V& v, SplitPart& o) {
  v.text("part", o.part,
         {.doc = "A part that is in no link yet. Its pieces are named NAME/1, NAME/2 …", .required = true});
}

template <class V>
void describe(V& v, Rename& o) {
  v.text("link", o.link, {.doc = "Link to rename. Give one of link, joint and part."});
  v.text("joint", o.joint, {.doc = "Joint to rename."});
  v.text("part", o.part, {.doc = "Part to rename; parts below it keep their names."});
  v.name("to", o.to, {.doc = "The new name.", .required = true});
  const int given = static_cast<int>(!o.link.empty()) + static_cast<int>(!o.joint.empty()) +
                    static_cast<int>(!o.part.empty());
  v.check(given == 1, "to", "expected exactly one of 'link', 'joint' and 'part'");
}

template <class V>
void describe(V& v, MirrorLink& o) {
  v.text("link", o.link, {.doc = "Link to mirror, with its descendants.", .required = true});
  v.text("find", o.find,
         {.doc = "Text in the names of links, joints and sites that changes.", .required = true});
  v.text("replace", o.replace, {.doc = "Replacement in the names of the mirror image.", .required = true});
  v.vector("normal", o.normal, {.min = -1e6, .max = 1e6, .doc = "Normal of the mirror, in the assembly."});
  v.vector("point", o.point, {.unit = "m", .doc = "A point of the mirror, in the assembly."});
  v.check(o.normal.norm() > 1e-9, "normal", "normal has no length; expected a direction such as '0 1 0'");
}

template <class V>
void describe(V& v, SetMaterial& o) {
  v.text("links", o.links, {.doc = "Links and objects, as patterns.", .required = true});
  v.text("name", o.material, {.doc = "Name of a <material> of the <scenario>.", .required = true});
}

template <class V>
void describe(V& v, SetMass& o) {
  v.text("link", o.link, {.doc = "Link or object.", .required = true});
  v.number("mass", o.mass.mass,
           {.unit = "kg", .min = 0.0, .above_min = true, .doc = "Mass.", .required = true});
  v.vector("center", o.mass.center,
           {.unit = "m", .doc = "Centre of mass in the assembly. Default: that of the volumes."});
  v.vector(
      "diagonal", o.mass.diagonal,
      {.unit = "kg*m^2",
       .min = 0.0,
       .above_min = true,
       .doc = "Ixx, Iyy and Izz about the centre of mass, along the axes of the assembly. Default: those of "
              "the volumes, scaled to the mass."});
  v.vector("products", o.mass.products,
           {.unit = "kg*m^2", .doc = "Ixy, Ixz and Iyz as entries of the inertia matrix."});
  v.check(o.mass.diagonal || o.mass.products.isZero(), "products", "products without a diagonal; give both");
}

inline constexpr std::array<std::pair<std::string_view, CollisionRule>, 8> kCollisionRules = {{
    {"best", CollisionRule::kBest},
    {"box", CollisionRule::kBox},
    {"sphere", CollisionRule::kSphere},
    {"capsule", CollisionRule::kCapsule},
    {"cylinder", CollisionRule::kCylinder},
    {"hull", CollisionRule::kHull},
    {"bounding-capsule", CollisionRule::kBoundingCapsule},
    {"none", CollisionRule::kNone},
}};

template <class V>
void describe(V& v, SetCollision& o) {
  v.text("links", o.links, {.doc = "Links and objects, as patterns.", .required = true});
  v.choice(
      "shape", o.choice.rule, kCollisionRules,
      {.doc = "best: the cheapest shapes that fit well enough. box, sphere, capsule, cylinder, hull: the "
              "smallest enclosing one. bounding-capsule: along the longest edge of the bounding box, as thick "
              "as its shortest. none: no contacts."});
  v.flag("each_part", o.choice.each_part, {.doc = "Whether shapes are fitted to every part separately."});
  v.number(
      "max_error", o.choice.max_error,
      {.min = 0.0, .max = 1.0, .above_min = true, .doc = "For best: maximum error, relative to the size."});
  v.integer("max_shapes", o.choice.max_shapes,
            {.min = 1.0, .max = 64.0, .doc = "For best: maximum number of shapes."});
}

inline constexpr std::array<std::pair<std::string_view, Alignment>, 3> kAlignments = {
    {{"x", Alignment::kX}, {"y", Alignment::kY}, {"z", Alignment::kZ}}};

template <class V>
void describe(V& v, AddSite& o) {
  v.name("name", o.name, {.doc = "Name of the site.", .required = true});
  v.text("link", o.link, {.doc = "Link of the site.", .required = true});
  v.pose(o.pose, {.doc = "Origin of the frame in the assembly."});
  v.child("at", o.at, {.doc = kAtDoc});
  v.choice("align", o.align, kAlignments, {.doc = "With <at>: which axis of the site is along the direction."});
}

template <class V>
void describe(V& v, CloseLoop& o) {
  v.name("name", o.name, {.doc = "Name of the loop; its sites are NAME_a and NAME_b.", .required = true});
  v.choice("type", o.type, kLoopTypes,
           {.doc = "point: the points stay together. hinge: also the axis. weld: the whole frames."});
  v.text("a", o.a, {.doc = "Link.", .required = true});
  v.text("b", o.b, {.doc = "Link.", .required = true});
  v.vector("position", o.position,
           {.unit = "m", .doc = "Where they meet, in the assembly. Default: from <at>."});
  v.vector("axis", o.axis, {.doc = "Axis of a hinge, in the assembly. Default: from <at>."});
  v.child("at", o.at, {.doc = kAtDoc});
}

template <class V>
void describe(V& v, MakeObject& o) {
  v.name("name", o.name, {.doc = "Name of the new object.", .required = true});
  v.text("parts", o.parts, {.doc = kPartsDoc, .required = true});
  v.text("material", o.material, {.doc = "Name of a <material> of the <scenario>."});
  v.flag("static", o.is_static, {.doc = "Whether it never moves."});
}

template <class V>
void describe(V& v, IgnoreParts& o) {
  v.text("parts", o.parts, {.doc = kPartsDoc, .required = true});
}

template <class V>
void describe(V& v, AttachDevices& o) {
  describe(v, o.devices);
}

template <class V>
void describe(V& v, ApplyRules& o) {
  v.text("src", o.src, {.doc = "File of rules, relative to the script. Give this or 'bundled'."});
  v.text("bundled", o.bundled, {.doc = "Bundled rules: 'imperisim' or 'botball'."});
  v.check(o.src.empty() != o.bundled.empty(), "src", "expected one of 'src' and 'bundled'");
}

template <class V>
void describe(V& v, Operation& o) {
  std::visit([&](auto& what) { describe(v, what); }, o.what);
}

template <class T>
constexpr ChildKind<Operation> operation_kind(std::string_view name, std::string_view doc) {
  return {name,
          [] {
            return Operation{{}, T{}};
          },
          [](const Operation& operation) { return std::holds_alternative<T>(operation.what); }, doc};
}

inline constexpr std::array kOperationKinds = {
    operation_kind<MakeLink>("make_link", "Makes a link of parts, as a child of another link."),
    operation_kind<ChangeJoint>("set_joint", "Changes the joint of a link."),
    operation_kind<MoveEnd>("end", "Makes or moves the empty link at the end of a chain."),
    operation_kind<MergeLink>("merge", "Merges two links."),
    operation_kind<SplitLink>("split", "Moves parts of a link to a new link."),
    operation_kind<SplitPart>("split_part", "Splits a part into its connected pieces."),
    operation_kind<Rename>("rename", "Renames a link, a joint or a part."),
    operation_kind<MirrorLink>("mirror",
                               "Adds a mirror image of a link and its descendants. Equal joint positions "
                               "then are mirror images of each other."),
    operation_kind<SetMaterial>("set_material", "Sets the material of links and objects."),
    operation_kind<SetMass>("set_mass", "Sets the mass of a link instead of computing it from its volume."),
    operation_kind<SetCollision>("collision", "Selects how the collision shapes of links are made."),
    operation_kind<AddSite>("add_site", "Adds a named frame for devices and springs."),
    operation_kind<CloseLoop>("close_loop", "Closes a kinematic loop between two links."),
    operation_kind<MakeObject>("make_object", "Makes an object of parts, separate from the robot."),
    operation_kind<IgnoreParts>("ignore", "Parts that are not simulated."),
    operation_kind<AttachDevices>("attach",
                                  "Adds sensors, actuators, controllers and connections to the robot."),
    operation_kind<ApplyRules>("rules", "Makes links, joints and devices from the names of parts."),
};

}  // namespace lockstep
