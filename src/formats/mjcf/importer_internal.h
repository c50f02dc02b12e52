#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/common/names.h"
#include "formats/mjcf/mjcf_internal.h"

/// The stages of import_mjcf(), in the order in which import.cc calls them. They exchange plain structs and
/// write into one Scenario.
namespace lockstep {

/// Shared input, report and output of all stages. Borrowed.
struct MjcfImport {
  MjcfSource& source;
  MeshCollector& meshes;
  FormatReport& report;
  Diagnostics& diagnostics;
  Scenario& scenario;
  Names& top_names;  ///< of robots, grounds and terrains

  XmlValues& values() const { return source.values(); }
};

/// With several robots in one file, names are prefixed by that of the robot and a slash.
std::string short_mjcf_name(const std::string& name);

/// The values that differ from MuJoCo's defaults.
MjcfFirmness different_firmness(const MjcfSoftness& softness, MjcfSource& source, const Place& place,
                                const std::string& subject);

/// <option>: step, gravity and engine of the scenario. Returns whether contacts are enabled. (options.cc)
bool read_mjcf_options(const MjcfImport& import);

/// <asset>: meshes and height fields by name. (assets.cc)
class MjcfAssets {
 public:
  explicit MjcfAssets(const MjcfImport& import);

  /// The mesh of a geom with its scale; null, with an error or a loss, if there is none.
  const MeshCollector::Item* find_mesh(const MjcfGeom& geom, const std::string& owner, Vec3& scale) const;
  const Element* find_hfield(const std::string& name) const;

 private:
  struct Mesh {
    std::string file;  // empty if its points are inline
    Vec3 scale = Vec3::Ones();
    Place place;
  };
  void add_inline_mesh(const Element& e, const std::string& name);

  const MjcfImport& import_;
  std::map<std::string, Mesh> meshes_;
  std::map<std::string, Element> hfields_;
};

/// The initial state: a keyframe, or none for MuJoCo's default. (start.cc)
class MjcfStart {
 public:
  /// The requested keyframe; else MuJoCo's default, unless that violates joint limits and a keyframe does
  /// not.
  MjcfStart(const MjcfImport& import, const std::vector<MjcfBody>& bodies, const std::string& keyframe);

  bool is_keyframe() const { return !positions_.empty(); }
  /// The values of a joint in qpos and qvel; null if the keyframe has none.
  const double* position_of(const MjcfJoint& joint) const;
  const double* velocity_of(const MjcfJoint& joint) const;
  const std::vector<double>& control() const { return control_; }  ///< of the actuators; empty for zero

 private:
  struct Offset {
    std::size_t position = 0, velocity = 0;
  };
  std::map<const MjcfJoint*, Offset> offsets_;
  std::vector<double> positions_, velocities_, control_;
};

/// Geoms as shapes, grounds and terrains. (shapes.cc)
class MjcfShapes {
 public:
  MjcfShapes(const MjcfImport& import, const MjcfAssets& assets, MjcfMaterials& materials)
      : import_(import), assets_(assets), materials_(materials) {}

  void add(const MjcfGeom& geom, std::vector<Shape>& shapes, const std::string& owner);

 private:
  void add_plane(const MjcfGeom& geom, const std::string& owner);
  void add_terrain(const MjcfGeom& geom, const std::string& owner);

  const MjcfImport& import_;
  const MjcfAssets& assets_;
  MjcfMaterials& materials_;
  Names names_;
};

/// Mass of a body, from <inertial> or its geoms, as set by <compiler>; empty if it has none. (masses.cc)
std::optional<MassProperties> calc_mjcf_mass(const MjcfImport& import, const MjcfAssets& assets,
                                             const MjcfBody& body, const std::string& name);

/// Makes everything relative to its body, and bodies to their parents, if the file has global coordinates.
/// (global.cc)
void convert_to_local(const MjcfImport& import, const MjcfAssets& assets, std::vector<MjcfBody>& bodies);

/// Maps bodies, joints and sites of the file to the scenario.
struct MjcfLayout {
  struct Link {
    std::size_t robot = 0;
    std::string name;
  };
  std::vector<MjcfBody> bodies;
  std::vector<Pose> poses;    ///< X_WB of each body, in MuJoCo's reference position
  std::map<int, Link> links;  ///< by body
  MjcfNames names;
  Names world_sites;
  bool starts_elsewhere = false;  ///< a joint does not start where MuJoCo starts it
  std::size_t between_count = 0;  ///< links between the joints of bodies that have several

  /// The body named by an attribute; 0 for the world; empty, with an error, if it does not exist.
  std::optional<std::size_t> find_body(const Element& element, const char* attribute,
                                       Diagnostics& diagnostics) const;
};

/// The world becomes a static object, each of its bodies a robot with links, joints and sites.
/// (links.cc)
class MjcfLinks {
 public:
  MjcfLinks(const MjcfImport& import, MjcfShapes& shapes, const MjcfAssets& assets, const MjcfStart& start,
            MjcfLayout& layout)
      : import_(import), shapes_(shapes), assets_(assets), start_(start), layout_(layout) {}

  void run();

 private:
  void add_world();
  void add_robot(const MjcfBody& body);
  void add_body(std::size_t i);
  std::string body_label(std::size_t i) const;
  /// `pose` is that of the child link; it is converted to the pose at joint position zero.
  Joint make_joint(const MjcfJoint& from, const std::string& body, Pose& pose, bool is_root);
  void set_free_start(const MjcfJoint& from, const std::string& body, Joint& joint, Pose& pose, bool is_root);
  void set_ball_start(const MjcfJoint& from, Joint& joint, Pose& pose);
  void set_range(const MjcfJoint& from, Joint& joint);
  void set_firmness(const MjcfJoint& from, Joint& joint);

  const MjcfImport& import_;
  MjcfShapes& shapes_;
  const MjcfAssets& assets_;
  const MjcfStart& start_;
  MjcfLayout& layout_;
  Names link_names_, joint_names_, site_names_;  // of the current robot
};

/// <equality> and <tendon>: closed loops, coupled joints and springs. (loops.cc)
class MjcfLoops {
 public:
  MjcfLoops(const MjcfImport& import, const MjcfStart& start, MjcfLayout& layout)
      : import_(import), start_(start), layout_(layout) {}

  void add_equalities();
  void add_tendons();

 private:
  /// A <fixed> tendon; false if a scenario cannot represent it.
  bool add_tendon(const Element& e, const std::vector<Element>& path);
  void add_loop(const Element& e, const std::string& name, const Firmness& firmness);
  /// An equality of one <fixed> tendon; false if a scenario cannot represent it.
  bool hold_tendon(const Element& e, const Firmness& firmness);
  void add_coupling(const Element& e, const std::string& name, const Firmness& firmness);
  /// Adds a site to a body and returns its full name; for the world, on an object made for it.
  std::string add_site(std::size_t body, const Pose& pose, const std::string& wanted);
  std::string add_world_site(const Pose& pose, const std::string& wanted);
  const MjcfJoint* find_joint(const std::string& name) const;
  double reference_of(const std::string& joint) const;
  /// Where a site is in the world when all joints are at their `springref`; empty if that is not at `ref`.
  std::optional<Vec3> find_slack_position(const std::string& site) const;
  /// Its initial position follows from the leader.
  void follow(Robot& robot, const Coupling& coupling);

  const MjcfImport& import_;
  const MjcfStart& start_;
  MjcfLayout& layout_;
  Names names_;
  std::map<std::string, double> default_lengths_;  // of <fixed> tendons, in MuJoCo's default position
};

/// <pair> of <contact>: marks the geoms that it names. (contacts.cc)
void read_mjcf_pairs(const MjcfImport& import, std::vector<MjcfBody>& bodies, MjcfMaterials& materials);
/// <exclude> of <contact>. (contacts.cc)
void add_mjcf_exclusions(const MjcfImport& import, const MjcfLayout& layout);

}  // namespace lockstep
