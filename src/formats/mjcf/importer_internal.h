#pragma once

#include "formats/mjcf/mjcf_internal.h"

/// The inside of import_mjcf(): one object that fills a Scenario step by step.
namespace lockstep {

class MjcfImporter {
 public:
  MjcfImporter(const ImportSource& source, ExchangeReport& report, Diagnostics& diagnostics)
      : options_(source.options),
        report_(report),
        diagnostics_(diagnostics),
        meshes_(source, report),
        source_(source, meshes_, report, diagnostics),
        values_(source_.values()) {}

  Imported run();

 private:
  struct MeshAsset {
    std::string file;  ///< empty if its points stand in the model itself
    Vec3 scale = Vec3::Ones();
    Place place;
  };

  // mjcf_options.cc
  void read_options();
  void read_choices(const Element& option, EngineOptions& engine, MujocoOptions& own);
  void read_flags(const Element& flag);

  // mjcf_import.cc
  void read_assets();
  void add_inline_mesh(const Element& e, const std::string& name);

  // mjcf_start.cc
  static std::size_t position_numbers(MjcfJointType type);
  /// Where the numbers of each joint stand in qpos, in the order of the file.
  void number_joints();
  bool breaks_limits() const;
  /// At the keyframe that is asked for; else where MuJoCo starts, unless that breaks limits of joints and a
  /// keyframe does not.
  void choose_start();
  /// Where every body is in MuJoCo's reference position.
  void calc_poses();

  // mjcf_links.cc
  void add_world();
  Site make_site(const MjcfSite& site, Names& names);
  /// Names of several robots in one file have that of the robot before a slash.
  static std::string short_name(const std::string& name);
  void add_bodies();
  std::string body_label(std::size_t i) const;
  void add_body(std::size_t i);
  /// `pose` is that of the link that it carries; it becomes that at the joint's zero.
  Joint make_joint(const MjcfJoint& from, const std::string& body, Pose& pose, bool is_root);
  /// Leaves out what is as usual.
  MjcfFirmness different(const MjcfSoftness& softness, const std::string& subject);
  void set_firmness(const MjcfJoint& from, Joint& joint);

  // mjcf_shapes.cc
  const MeshCollector::Item* find_mesh(const MjcfGeom& geom, const std::string& owner, Vec3& scale);
  void add_geom(const MjcfGeom& geom, std::vector<Shape>& shapes, const std::string& owner);
  void add_plane(const MjcfGeom& geom, const std::string& owner);
  void add_terrain(const MjcfGeom& geom, const std::string& owner);
  std::optional<MassProperties> calc_mass(const MjcfBody& body, const std::string& name);
  std::optional<MassProperties> geom_mass(const MjcfBody& body, const std::string& name);
  void report_mesh_mass(const std::string& body, const std::string& note);
  static MassProperties ellipsoid_mass(const Vec3& radii);

  // mjcf_connections.cc
  std::optional<std::size_t> find_body(const Element& element, const char* attribute);
  /// A new site on a body, by its full name; on the world, one of an object made for it.
  std::string add_site(std::size_t body, const Pose& pose, const std::string& wanted);
  void add_equalities();
  void add_loop(const Element& e, const std::string& name, const Firmness& firmness);
  void add_coupling(const Element& e, const std::string& name, const Firmness& firmness);
  double reference_of(const std::string& joint) const;
  /// Where it starts follows from the other.
  void follow(Robot& robot, const Coupling& coupling);
  void read_pairs();
  void scale_masses();
  void take_contacts_away();
  void add_contacts();
  void add_tendons();

  // mjcf_import.cc
  void report_unread_sections();
  void write_report();

  const ImportOptions& options_;
  ExchangeReport& report_;
  Diagnostics& diagnostics_;
  MeshCollector meshes_;
  MjcfSource source_;
  XmlValues& values_;
  Scenario scenario_;
  std::vector<MjcfBody> bodies_;
  std::vector<Pose> poses_;  // X_WB, in MuJoCo's reference position
  bool has_contacts_ = true;
  std::map<std::string, MeshAsset> mesh_assets_;
  std::map<std::string, Element> hfield_assets_;
  std::map<const MjcfJoint*, std::size_t> position_of_, velocity_of_;
  std::size_t position_count_ = 0, velocity_count_ = 0;
  std::vector<double> start_, start_velocity_, control_;
  MjcfMaterials materials_;
  MjcfNames names_;
  std::map<int, std::string> names_of_;  // of links, by body
  std::map<int, std::size_t> robot_of_;  // by body
  Names robot_names_, link_names_, joint_names_, site_names_, shape_names_, fixed_names_, loop_names_;
  std::size_t between_count_ = 0;
};

}  // namespace lockstep
