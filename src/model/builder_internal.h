#pragma once

#include <map>
#include <set>
#include <string>

#include "model/build.h"

/// Internals of build_model(): one object that fills a Model step by step.
namespace lockstep {

class ModelBuilder {
 public:
  ModelBuilder(const Scenario& scenario, const Assets& assets, Diagnostics& diagnostics)
      : scenario_(scenario), assets_(assets), diagnostics_(diagnostics) {}

  Model build();

 private:
  // build.cc
  void add_options();
  void add_materials();
  void add_contact_table();
  void add_environment();
  void add_object(const Object& object);
  void check_total_size();

  // build_robot.cc
  void add_robot(const Robot& robot);
  /// A link and its parent: null for the root.
  struct SortedLink {
    const Link* link;
    const Link* parent;
  };
  std::vector<SortedLink> sort_links(const Robot& robot);
  void add_link(const Robot& robot, const SortedLink& sorted);
  std::optional<JointModel> make_joint(const Robot& robot, const Link& link, const Joint& joint);
  void check_massless(const Link& link, const std::string& full_name);
  void require_mass_of_moving_links(const Robot& robot, const std::vector<SortedLink>& links);
  bool is_valid_joint(const std::string& subject, const Joint& joint, bool has_parent);
  void exclude_self_collisions(const Robot& robot, std::size_t first_body);

  // build_shapes.cc
  void add_shapes(const std::vector<Shape>& shapes, BodyId body);
  void add_sites(const std::vector<Site>& sites, BodyId body, const std::string& scope);
  ShapeGeometry resolve_geometry(const Shape& shape, const std::string& subject);
  MassProperties calc_mass(const std::vector<Shape>& shapes, const std::optional<Inertial>& inertial,
                           const std::string& subject, const Place& place, bool moves);
  /// Whether the mass depends on an element with errors.
  bool is_mass_unknown(const std::vector<Shape>& shapes, const std::optional<Inertial>& inertial,
                       const Place& place) const;
  MassProperties shape_mass(const Shape& shape, const std::string& subject);
  std::optional<MeshId> load_mesh(const MeshFile& file, const Place& place);
  std::optional<MaterialId> find_material(const std::string& name) const;
  /// The material of that name, or the built-in one with an error.
  MaterialId resolve_material(const std::string& name, const Place& place, const std::string& subject);

  // build_loops.cc
  void add_constraints();
  void add_couplings(const Robot& robot);
  /// A hinge or slide of the robot that is not detachable; nothing, with an error, if there is none.
  std::optional<JointId> find_driven_joint(const Robot& robot, const std::string& name, const Place& place,
                                           const std::string& subject);
  void add_tendons(const Robot& robot);
  void add_exclusions(const std::vector<Exclusion>& exclusions, const std::string& scope);
  template <typename Constraint>
  bool resolve_ends(const Constraint& constraint, const char* kind, const std::string& scope, SiteId& a,
                    SiteId& b);
  bool depends_on_errors(SiteId site) const;
  void add_loop(const Loop& loop, const std::string& scope);
  template <typename SpringOrRope>
  void add_spring(const SpringOrRope& spring, const char* kind, bool only_pulls, const std::string& scope);

  /// False, with an error, if the name is taken in its namespace ("body", "joint", "site", …).
  bool claim(const char* space, const std::string& name, const Place& place);

  const Scenario& scenario_;
  const Assets& assets_;
  Diagnostics& diagnostics_;
  Model model_;
  std::map<std::pair<std::string, std::string>, Place> claimed_;
  std::map<std::string, std::optional<MeshId>> meshes_;  // by source and scale, so that each is read once
  std::vector<Pose> initial_poses_;
  std::set<std::string> without_mass_;  // links whose mass is unknown because of errors
};

}  // namespace lockstep
