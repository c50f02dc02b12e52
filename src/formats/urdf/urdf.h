#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/common/format.h"
#include "lockstep/math.h"
#include "lockstep/shapes.h"

/// URDF, the robot description of ROS: links and joints in a tree. SI units; a link's frame is that of its
/// parent joint, and the axis of a joint goes through its origin.
namespace lockstep {

struct UrdfShape {
  Place place;
  Geometry geometry;
  std::string mesh;  ///< path as in the file; empty for other shapes
  Pose pose;
  std::optional<Color> color;
};

struct UrdfInertial {
  Place place;
  double mass = 0.0;
  Pose pose;                    ///< of the centre of mass and the axes of the inertia
  Mat3 inertia = Mat3::Zero();  ///< about the centre, those axes
};

struct UrdfLink {
  Place place;
  std::string name;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfShape> visuals;
  std::vector<UrdfShape> collisions;
  std::optional<Material> contact;  ///< <contact> of Bullet; its name is empty
};

enum class UrdfJointType { kFixed, kRevolute, kContinuous, kPrismatic, kPlanar, kFloating, kSpherical };

struct UrdfMimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

struct UrdfJoint {
  Place place;
  std::string name;
  UrdfJointType type = UrdfJointType::kFixed;
  std::string parent;
  std::string child;
  Pose pose;  ///< of the child in the parent at zero
  Vec3 axis = Vec3::UnitX();
  std::optional<double> lower, upper;
  std::optional<double> effort;    ///< N m or N; 0: the joint cannot be driven
  std::optional<double> velocity;  ///< maximum, rad/s or m/s
  double damping = 0.0;
  double friction = 0.0;
  double armature = 0.0;  ///< an attribute of <dynamics> that only Lockstep writes
  std::optional<UrdfMimic> mimic;
};

/// How a joint is commanded, by a <transmission> or in <ros2_control>.
struct UrdfInterface {
  std::optional<DriveKind> kind;  ///< none: not said
  std::optional<double> initial;  ///< initial_value of the position, rad or m
};

struct UrdfRobot {
  Place place;
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::map<std::string, UrdfInterface> interfaces;  ///< by joint
};

/// Throws UserError with all errors, each with its place. Ignored elements are listed in the report.
UrdfRobot read_urdf(const ImportSource& source, FormatReport& report);

Imported import_urdf(const ImportSource& source);
Exported export_urdf(const ExportSource& source);

/// Roll, pitch and yaw about fixed axes, as in URDF: R = Rz Ry Rx.
Quat from_rpy(const Vec3& rpy);
Vec3 to_rpy(const Quat& q);

}  // namespace lockstep
