#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/common/mesh_collector.h"
#include "formats/common/xml_values.h"
#include "formats/mjcf/mjcf.h"
#include "lockstep/shapes.h"
#include "physics/mujoco/options.h"

/// Internals of import_mjcf(): the file with includes and defaults applied, then its bodies as plain structs.
namespace lockstep {

/// <compiler>: how to interpret the numbers of the file. The defaults are those of MuJoCo 2.2.
struct MjcfCompiler {
  bool is_in_degrees = true;
  std::string euler_sequence = "xyz";
  bool has_automatic_limits = false;
  enum class InertiaFrom { kAuto, kGeoms, kFile } inertia_from = InertiaFrom::kAuto;
  std::string mesh_folder;
  bool strips_paths = false;
  bool is_global = false;  ///< positions and orientations are in the world, not in the parent
  double least_mass = 0.0, least_inertia = 0.0;
  bool balances_inertia = false;
  bool has_exact_mesh_mass = false;
  std::optional<double> total_mass;  ///< total mass that bodies are scaled to, kg
  std::array<int, 2> inertia_groups = {0, 5};
};

/// The file as one tree, with access to the defaults of classes.
class MjcfSource {
 public:
  MjcfSource(const ImportSource& source, MeshCollector& meshes, FormatReport& report, Diagnostics& diagnostics);

  const Element& root() const { return root_; }
  const MjcfCompiler& compiler() const { return compiler_; }
  XmlValues& values() { return values_; }

  /// The children of all sections of that name: <asset>, <worldbody>, …
  std::vector<const Element*> section(std::string_view name) const;

  /// The element with the defaults of its class (else `childclass`) for elements of that `kind`.
  Element resolved(const Element& element, std::string_view kind, const std::string& childclass);

  Quat orientation(const Element& element);
  Pose pose(const Element& element);
  double angle(double value) const;  ///< in rad
  bool is_on(const Element& element, std::string_view name, bool usual);
  /// Whether a range applies, by an attribute such as "ctrllimited"; `has_range` decides with automatic limits.
  bool is_limited(const Element& element, std::string_view name, bool has_range) const;

  /// Whether <flag> disables something: is_disabled("limit").
  bool is_disabled(std::string_view flag) const;

  /// Whether a step has several stages: integrator RK4.
  bool has_stages() const;

  /// Reports what a scenario does not support, if the motion is the same without it.
  void lose(const std::string& what) { ++lost_[what]; }
  /// Reports what makes the motion different from that in MuJoCo.
  void differ(const Place& place, const std::string& what);
  void report_losses();

 private:
  void expand_includes(Element& element, int depth);
  void read_compiler();
  void read_defaults(const Element& element, const std::string& parent);

  using Attributes = std::map<std::string, Attribute>;
  AssetFinder& finder_;
  FormatReport& report_;
  Diagnostics& diagnostics_;
  XmlValues values_;
  Element root_;
  MjcfCompiler compiler_;
  std::map<std::string, std::map<std::string, Attributes>> defaults_;  // by class and kind
  std::set<std::string> outermost_;                                    // names of the class "main"
  std::set<std::string> included_;
  std::map<std::string, int> lost_;
};

/// solref and solimp, with MuJoCo's defaults.
struct MjcfSoftness {
  std::array<double, 2> reference = {0.02, 1.0};
  std::array<double, 5> impedance = {0.9, 0.95, 0.001, 0.5, 2.0};
  bool operator==(const MjcfSoftness&) const = default;
};

enum class MjcfJointType { kHinge, kSlide, kBall, kFree };

struct MjcfJoint {
  Place place;
  std::string name;  ///< may be empty
  MjcfJointType type = MjcfJointType::kHinge;
  Vec3 position = Vec3::Zero();
  Vec3 axis = Vec3::UnitZ();
  std::optional<std::array<double, 2>> range;
  double reference = 0.0, spring_reference = 0.0;
  double stiffness = 0.0, damping = 0.0, friction = 0.0, armature = 0.0;
  MjcfSoftness limit, loss;
};

/// Contact properties of a geom.
struct MjcfContact {
  int type = 1, affinity = 1, dimension = 3, priority = 0;
  Vec3 friction = {1.0, 0.005, 0.0001};
  double mix = 1.0;
  double margin = 0.0, gap = 0.0;  ///< m
  MjcfSoftness softness;
  std::string paired_geom;  ///< name of the geom if an explicit <pair> uses it; it then needs its own material
  bool operator==(const MjcfContact&) const = default;
};

struct MjcfGeom {
  Place place;
  std::string name;
  std::string type = "sphere";
  Geometry geometry;  ///< not of planes and height fields
  std::string mesh;   ///< by name
  std::string hfield;
  Vec3 radii = Vec3::Ones();  ///< of an ellipsoid
  Pose pose;
  std::optional<double> mass;
  double density = 1000.0;
  Color color = {0.5, 0.5, 0.5, 1.0};
  int group = 0;
  MjcfContact contact;
};

struct MjcfSite {
  Place place;
  std::string name;
  Pose pose;
};

struct MjcfBody {
  Place place;
  std::string name;  ///< may be empty
  int parent = -1;   ///< before it in the list; -1 for the world
  Pose pose;         ///< in the parent, in MuJoCo's default position
  bool has_position = false;
  std::vector<MjcfJoint> joints;
  std::vector<MjcfGeom> geoms;
  std::vector<MjcfSite> sites;
  std::optional<MassProperties> inertial;
};

/// All bodies in the order of the file, [0] is the world. Parents come before children.
std::vector<MjcfBody> read_mjcf_bodies(MjcfSource& source);

MjcfSoftness read_softness(MjcfSource& source, const Element& element, const std::string& which);

/// A margin or gap, m. (contacts.cc)
double read_distance(MjcfSource& source, const Element& element, const char* name);

/// Softness of a constraint, with MuJoCo's own parameters.
struct MjcfFirmness {
  std::optional<double> time_constant;  ///< s
  std::optional<double> damping_ratio;
  std::optional<Vec3> impedance;

  /// As written in a scenario for a contact, loop or coupling.
  Firmness of_constraint() const {
    return {time_constant, damping_ratio, write_own(MujocoConstraintOptions{impedance})};
  }
};

/// Converts it for a scenario, with a line in the report for losses.
MjcfFirmness to_firmness(const MjcfSoftness& softness, MjcfSource& source, const Place& place,
                         const std::string& subject);

/// The materials of geoms, and their pairs by MuJoCo's combination rules.
class MjcfMaterials {
 public:
  /// The name of the material, added if there is no equal one.
  std::string find(const MjcfContact& contact, const Place& place);
  /// Adds the contact of two geoms from a <pair>, with its defaults applied.
  void add_pair(Element pair) { pairs_.push_back(std::move(pair)); }
  void write(Scenario& scenario, MjcfSource& source) const;

 private:
  const Element* find_pair(const MjcfContact& a, const MjcfContact& b) const;

  std::vector<MjcfContact> contacts_;
  std::vector<Place> places_;  // of the first geom of each
  std::vector<Element> pairs_;
};

/// Maps elements of the file to the scenario.
struct MjcfNames {
  struct Part {
    std::size_t robot = 0;
    std::string name;
  };
  std::map<std::string, Part> bodies, joints, sites, tendons;
};

/// Actuators and sensors. `control` is ctrl of the keyframe, empty for zero.
void add_mjcf_devices(MjcfSource& source, const MjcfNames& names, const std::vector<double>& control,
                      Scenario& scenario);

}  // namespace lockstep
