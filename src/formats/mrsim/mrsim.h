#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/common/format.h"
#include "lockstep/error.h"
#include "lockstep/math.h"

/// The scenario file of MRSim, a simulator of modular snake robots: its objects as written by the XML
/// serialiser of .NET. Numbers have no unit; y is up, and a robot faces along z with x to its left.
namespace lockstep {

struct MrsimFrame {
  std::string guid;
  double scale = 10.0;    ///< of the frame's mesh, which is usually not in the file
  bool has_mesh = false;  ///< the file has its vertices
  Vec3 position = Vec3::Zero();
  double mass = 100.0;
  std::string material;
};

struct MrsimModule {
  Place place;
  int number = 0;  ///< counted from the head, starting at 0
  bool is_pitch = true;
  MrsimFrame frames[2];                                            ///< front, rear
  double lower = -1.5707963267948966, upper = 1.5707963267948966;  ///< rad
  double gain = 8.0;                                               ///< 1/s
  double max_speed = 3.0;                                          ///< rad/s
};

struct MrsimForceSensor {
  int face = 0;              ///< bottom, left, top, right
  Vec3 size = Vec3::Zero();  ///< half edges
  double mass = 1.0;
  std::string material;
};

struct MrsimDistanceSensor {
  Vec3 position = Vec3::Zero();
  Vec3 size = Vec3::Zero();  ///< half edges
  double mass = 1.0;
  double range = 10.0;
  Vec3 direction = Vec3::UnitZ();
};

struct MrsimSensorModule {
  Place place;
  int before = -1;  ///< number of the module in front of it; -1 for none
  int after = 0;    ///< number of the module behind it, or that of the last module plus one
  Vec3 position = Vec3::Zero();
  Vec3 size = Vec3::Zero();  ///< half edges
  double mass = 100.0;
  std::string material;
  std::optional<MrsimForceSensor> force;
  std::vector<MrsimDistanceSensor> distances;
};

struct MrsimObject {
  Place place;
  bool is_sphere = false;
  Vec3 size = Vec3::Ones();  ///< half edges of a box; x is the radius of a sphere
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  double mass = 10.0;
  bool is_static = false;
  std::string material;
};

struct MrsimContact {
  Place place;
  std::string material1, material2;
  double restitution = 0.0, friction = 0.5;
};

/// Heights over the x-z plane, one pixel per unit.
struct MrsimScene {
  Place place;
  std::string image;  ///< bytes of a PNG, or a square of bytes
  double height = 1.0;
  Vec3 position = Vec3::Zero();  ///< of the first pixel, at the height of black
  std::string material;
};

struct MrsimScenario {
  std::vector<MrsimModule> modules;
  std::vector<MrsimSensorModule> sensor_modules;
  std::optional<MrsimScene> scene;
  std::vector<MrsimObject> objects;
  std::vector<MrsimContact> contacts;
};

/// Throws UserError with all errors, each with its place.
MrsimScenario read_mrsim(const ImportSource& source);
std::string write_mrsim(const MrsimScenario& scenario);

Imported import_mrsim(const ImportSource& source);
Exported export_mrsim(const ExportSource& source);

/// Length, width and height of a module of MRSim at scale 1.
inline const Vec3 kMrsimModuleSize = {0.078, 0.06, 0.06};

/// x forward, y left, z up from MRSim's z forward, x left, y up; and back.
inline Vec3 from_mrsim(const Vec3& v) {
  return {v.z(), v.x(), v.y()};
}
inline Vec3 to_mrsim(const Vec3& v) {
  return {v.y(), v.z(), v.x()};
}

/// Twelve digits: more than the precision of the file, and few enough that multiplying and dividing by a unit
/// restores the same number.
double rounded(double value);
Vec3 rounded(const Vec3& value);

}  // namespace lockstep
