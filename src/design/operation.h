#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "design/design.h"
#include "design/where.h"

/// The operations on a design, as plain structs: one for each element of a design script.
/// describe_operation.h defines their syntax, apply.h applies them.
namespace lockstep {

/// A joint with its anchor and axis given, or derived from shapes. Given values take precedence.
struct JointSetting {
  Place place;
  Joint joint;
  std::optional<Vec3> position;  ///< in A, m
  std::optional<Vec3> axis;      ///< in A
  std::optional<Where> at;       ///< anchor, and the axis if nothing else gives it
  std::optional<Where> along;    ///< axis
};

struct MakeLink {
  std::string name;
  std::string parent;
  std::string parts;
  std::string material;
  std::optional<JointSetting> joint;
};

struct ChangeJoint {
  std::string link;
  std::optional<JointSetting> joint;  ///< none: welded
};

/// The empty link at the end of a chain, whose frame is that of the tool. An existing one is moved.
struct MoveEnd {
  std::string name;
  std::string parent;
  std::optional<Vec3> position;
  std::optional<Where> at;
};

struct MergeLink {
  std::string link;
  std::string into;
};

struct SplitLink {
  std::string link;
  std::string name;
  std::string parts;
  std::optional<JointSetting> joint;
};

/// Splits a part into its connected pieces.
struct SplitPart {
  std::string part;
};

struct Rename {
  std::string link;
  std::string joint;
  std::string part;
  std::string to;
};

/// A mirror image of a link and its descendants.
struct MirrorLink {
  std::string link;
  std::string find;
  std::string replace;
  Vec3 normal = Vec3::UnitY();
  Vec3 point = Vec3::Zero();
};

struct SetMaterial {
  std::string links;
  std::string material;
};

struct SetMass {
  std::string link;
  GivenMass mass;
};

struct SetCollision {
  std::string links;
  CollisionChoice choice;
};

enum class Alignment { kX, kY, kZ };

struct AddSite {
  std::string name;
  std::string link;
  Pose pose;
  std::optional<Where> at;  ///< instead of the pose
  Alignment align = Alignment::kZ;
};

struct CloseLoop {
  std::string name;
  LoopType type = LoopType::kHinge;
  std::string a;
  std::string b;
  std::optional<Vec3> position;
  std::optional<Vec3> axis;
  std::optional<Where> at;
};

struct MakeObject {
  std::string name;
  std::string parts;
  std::string material;
  bool is_static = false;
};

struct IgnoreParts {
  std::string parts;
};

struct AttachDevices {
  Devices devices;
};

/// Makes links, joints and devices from the names of parts, by a file of rules (name_rules.h).
struct ApplyRules {
  std::string src;      ///< a file beside the script
  std::string bundled;  ///< or the name of bundled rules
};

using OperationKind = std::variant<MakeLink, ChangeJoint, MoveEnd, MergeLink, SplitLink, SplitPart, Rename,
                                   MirrorLink, SetMaterial, SetMass, SetCollision, AddSite, CloseLoop,
                                   MakeObject, IgnoreParts, AttachDevices, ApplyRules>;

struct Operation {
  Place place;
  OperationKind what;
};

}  // namespace lockstep
