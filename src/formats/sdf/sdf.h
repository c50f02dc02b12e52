#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/common/format.h"
#include "lockstep/math.h"
#include "lockstep/shapes.h"
#include "lockstep/time.h"

/// SDFormat (1.4 to 1.11), the file format of Gazebo: models of links and joints, alone or in a world. SI units.
/// Poses may be relative to any frame; after reading, all are resolved and nested models are part of their model.
namespace lockstep {

struct SdfShape {
  Place place;
  std::string name;
  Geometry geometry;
  std::string mesh;           ///< URI; empty for other shapes
  std::optional<Vec3> radii;  ///< of an ellipsoid
  std::optional<Vec3> plane;  ///< its normal
  Pose pose;                  ///< in the link
  std::optional<Color> color;
  double friction = 1.0;
  double restitution = 0.0;
  std::optional<double> density;  ///< kg/m^3
};

struct SdfSensor {
  Place place;
  std::string name;
  std::string type;
  Pose pose;                          ///< in its link; in the child for that of a joint
  double minimum = 0.0, range = 0.0;  ///< of a ray, m
  double rays = 1.0;
};

struct SdfLink {
  Place place;
  std::string name;  ///< "finger::tip" in a nested model
  Pose pose;         ///< in the outermost model
  std::optional<MassProperties> mass;
  bool has_mass_of_shapes = false;
  std::vector<SdfShape> visuals, collisions;
  std::vector<SdfSensor> sensors;
};

struct SdfMimic {
  std::string joint;
  double multiplier = 1.0, offset = 0.0, reference = 0.0;
};

struct SdfAxis {
  Vec3 direction = Vec3::UnitZ();  ///< in axes of the child
  std::optional<double> lower, upper, effort;
  double damping = 0.0, friction = 0.0, stiffness = 0.0, rest = 0.0;
  std::optional<SdfMimic> mimic;
};

enum class SdfJointType { kFixed, kRevolute, kPrismatic, kBall, kUniversal };

struct SdfJoint {
  Place place;
  std::string name;
  SdfJointType type = SdfJointType::kFixed;
  std::string parent;  ///< empty for the world
  std::string child;
  Pose pose;                  ///< in the child
  std::vector<SdfAxis> axes;  ///< one of revolute and prismatic joints, two of universal ones
  double armature = 0.0;      ///< <lockstep:armature>, which only Lockstep writes
  std::vector<SdfSensor> sensors;
};

/// A <frame>: a site.
struct SdfFrame {
  Place place;
  std::string name;
  std::string link;
  Pose pose;  ///< in the link
};

struct SdfModel {
  Place place;
  std::string name;
  Pose pose;  ///< in the world
  bool is_static = false;
  bool self_collide = false;
  std::vector<SdfLink> links;
  std::vector<SdfJoint> joints;
  std::vector<SdfFrame> frames;
};

struct SdfWorld {
  Place place;
  std::string name;
  std::optional<Vec3> gravity;
  std::optional<Duration> step;
  std::vector<SdfModel> models;
};

/// Throws UserError with all errors, each with its place. Ignored elements are listed in the report.
SdfWorld read_sdf(const ImportSource& source, FormatReport& report);

Imported import_sdf(const ImportSource& source);
Exported export_sdf(const ExportSource& source);

}  // namespace lockstep
