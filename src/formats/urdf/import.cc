#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "formats/common/devices.h"
#include "formats/common/link_mass.h"
#include "formats/common/mesh_collector.h"
#include "formats/urdf/urdf.h"
#include "geometry/mass.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

/// Links are visited recursively.
constexpr std::size_t kMaxLinks = 2'000;
/// Mass of links that need one but have no shape to compute it from, kg.
constexpr double kAssumedMass = 1e-3;
/// Mass of links between joints, if one joint of the file becomes several, kg.
constexpr double kHardlyAnyMass = 1e-9;
/// An inertia whose radius of gyration exceeds the size of the shapes by this factor is suspicious.
constexpr double kFarOut = 3.0;

class UrdfImporter {
 public:
  UrdfImporter(const UrdfRobot& from, const ImportSource& source, FormatReport report)
      : from_(from), source_(source), report_(std::move(report)), meshes_(source, report_) {}

  Imported run() {
    scenario_.name = from_.name.empty() ? "robot" : from_.name;
    scenario_.description = "Imported from URDF.";
    // Joints in real files have no damping; the default integrator would gain energy.
    scenario_.engine.integrator = Integrator::kRk4;
    index_tree();
    for (const UrdfLink* root : roots_) add_robot(*root, {}, source_.options.has_free_base);
    // A robot below a floating joint may add more robots.
    for (std::size_t i = 0; i < floating_.size(); ++i) {
      const Floating floating = floating_[i];
      add_robot(*floating.link, floating.pose, true);
    }
    write_report();
    return {write_scenario_element(scenario_, Defaults::kOmit), std::move(report_), meshes_.take_files()};
  }

 private:
  struct Floating {
    const UrdfLink* link = nullptr;
    Pose pose;
  };

  void index_tree() {
    Diagnostics diagnostics;
    if (from_.links.size() > kMaxLinks)
      throw_user_error(from_.place, "the robot has {} links; at most {} are allowed", from_.links.size(),
                       kMaxLinks);
    std::vector<std::string> names;
    for (const UrdfLink& link : from_.links) {
      links_[link.name] = &link;
      names.push_back(link.name);
    }
    for (const UrdfJoint& joint : from_.joints) {
      joints_[joint.name] = &joint;
      for (const std::string& end : {joint.parent, joint.child}) {
        if (links_.contains(end)) continue;
        diagnostics.error(joint.place, "joint '{}': unknown link '{}'{}", joint.name, end, suggest(end, names));
      }
      children_[joint.parent].push_back(&joint);
      const auto [known, is_new] = joint_above_.emplace(joint.child, &joint);
      if (!is_new) {
        diagnostics.error(joint.place,
                          "joint '{}': link '{}' is already the child of joint '{}'; expected a tree of links",
                          joint.name, joint.child, known->second->name);
      }
    }
    diagnostics.throw_if_errors();
    for (const UrdfLink& link : from_.links) {
      if (!joint_above_.contains(link.name)) roots_.push_back(&link);
    }
    if (roots_.empty())
      throw_user_error(from_.place, "the links form a cycle; expected one that is not the child of a joint");
    if (roots_.size() > 1) {
      report_.suspicious.push_back(fmt::format(
          "{} links are not the child of a joint ('{}', '{}' …); each of them is the root of a robot",
          roots_.size(), roots_[0]->name, roots_[1]->name));
    }
    check_reached();
  }

  /// A link that no root reaches is in a cycle.
  void check_reached() {
    std::vector<const UrdfLink*> reached = roots_;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const UrdfJoint* joint : children_[reached[i]->name]) reached.push_back(links_.at(joint->child));
    }
    if (reached.size() == from_.links.size()) return;
    for (const UrdfLink& link : from_.links) {
      if (std::find(reached.begin(), reached.end(), &link) == reached.end())
        throw_user_error(link.place, "link '{}' is its own ancestor; expected a tree of links", link.name);
    }
  }

  void add_robot(const UrdfLink& root, const Pose& pose, bool is_free) {
    // The link of the world is not part of a robot that floats in it.
    const auto& below = children_[root.name];
    const bool is_world = root.visuals.empty() && root.collisions.empty() && !root.inertial && !below.empty() &&
                          std::all_of(below.begin(), below.end(), [](const UrdfJoint* joint) {
                            return joint->type == UrdfJointType::kFloating;
                          });
    if (is_world) {
      for (const UrdfJoint* joint : below) floating_.push_back({links_.at(joint->child), pose * joint->pose});
      return;
    }
    Robot& robot = scenario_.robots.emplace_back();
    robot_ = &robot;
    link_names_ = {};
    joint_names_ = {};
    robot.name = robot_names_.make(from_.name.empty() ? "robot" : from_.name);
    robot.self_collide = false;
    robot.place = root.place;
    Link& link = add_link(root, "", pose);
    if (is_free) {
      link.joint =
          Joint{.place = root.place, .name = joint_names_.make("floating_base"), .type = JointType::kFree};
      require_mass(root, link);
    }
    add_children(root, link_of_.at(root.name), pose);
    add_couplings();
  }

  void add_children(const UrdfLink& parent, const std::string& parent_name, const Pose& X_WP) {
    for (const UrdfJoint* joint : children_[parent.name]) {
      const UrdfLink& child = *links_.at(joint->child);
      const Pose X_WB = X_WP * joint->pose;
      if (joint->type == UrdfJointType::kFloating) {
        floating_.push_back({&child, X_WB});
        report_.assumed.push_back(
            fmt::format("joint '{}' is floating: '{}' becomes a separate robot with a pose in the world",
                        joint->name, child.name));
        continue;
      }
      std::string above = parent_name;
      Pose pose = joint->pose;
      if (joint->type == UrdfJointType::kPlanar) above = add_plane(*joint, above, pose);
      Link& link = add_link(child, above, pose);
      if (joint->type != UrdfJointType::kFixed) {
        link.joint = make_joint(*joint);
        add_drive(*joint, *link.joint);
        require_mass(child, link);
      }
      add_children(child, link_of_.at(child.name), X_WB);
    }
  }

  Link& add_link(const UrdfLink& from, const std::string& parent, const Pose& pose) {
    Link link;
    link.place = from.place;
    link.name = link_names_.make(from.name);
    link.parent = parent;
    link.pose = pose;
    link_of_[from.name] = link.name;
    for (const UrdfShape& shape : from.visuals) add_shape(shape, from, link, false);
    for (const UrdfShape& shape : from.collisions) add_shape(shape, from, link, true);
    if (const auto mass = calc_mass(from)) {
      link.inertial = to_inertial(*mass);
    } else {
      for (Shape& shape : link.shapes) shape.mass = 0.0;
    }
    return robot_->links.emplace_back(std::move(link));
  }

  void add_shape(const UrdfShape& from, const UrdfLink& owner, Link& link, bool collides) {
    Shape shape;
    shape.place = from.place;
    shape.geometry = from.geometry;
    shape.pose = from.pose;
    shape.color = from.color;
    shape.collide = collides;
    shape.visible = !collides || owner.visuals.empty();
    has_collisions_ |= collides;
    if (!from.mesh.empty()) {
      const MeshCollector::Item* item = find_mesh(from, owner);
      if (item == nullptr) return;
      std::get<MeshFile>(shape.geometry).src = item->src;
      if (!collides && !shape.color && !item->colored.empty()) {
        for (const auto& [src, color] : item->colored) {
          Shape& piece = link.shapes.emplace_back(shape);
          std::get<MeshFile>(piece.geometry).src = src;
          piece.color = color;
        }
        return;
      }
    }
    link.shapes.push_back(std::move(shape));
  }

  const MeshCollector::Item* find_mesh(const UrdfShape& shape, const UrdfLink& owner) {
    return shape.mesh.empty() ? nullptr : meshes_.find(shape.mesh, shape.place, "link '" + owner.name + "'");
  }

  /// The mass in the file, corrected if it is impossible.
  std::optional<MassProperties> calc_mass(const UrdfLink& link) {
    if (!link.inertial) return std::nullopt;
    const UrdfInertial& given = *link.inertial;
    if (given.mass <= 0.0) {
      if (given.mass < 0.0 || !given.inertia.isZero()) {
        report_.suspicious.push_back(fmt::format("{}: link '{}' has a mass of {}; it is ignored",
                                                 to_string(given.place), link.name, given.mass));
      }
      return std::nullopt;
    }
    MassProperties mass{given.mass, Vec3::Zero(), given.inertia};
    if (given.inertia.isZero()) {
      mass = transformed_to(shape_mass(link), given);
      report_.assumed.push_back(
          fmt::format("link '{}' has a mass but no inertia: that of its shapes is used", link.name));
      return mass;
    }
    const std::string defect = find_mass_defect(mass);
    if (!defect.empty()) {
      const auto fixed = repaired(mass);
      report_.suspicious.push_back(fmt::format(
          "{}: link '{}': {}; {}", to_string(given.place), link.name, defect,
          fixed ? "all moments are increased until they are possible" : "the inertia of its shapes is used"));
      if (!fixed) return transformed_to(shape_mass(link), given);
      mass = *fixed;
    }
    mass = transformed(mass, given.pose);
    check_reach(link, mass);
    return mass;
  }

  /// The inertia of the shapes, scaled to the mass and moved to the centre in the file.
  static MassProperties transformed_to(const std::optional<MassProperties>& shapes, const UrdfInertial& given) {
    MassProperties mass = shapes.value_or(make_grain(given.mass));
    mass.inertia *= given.mass / mass.mass;
    mass.mass = given.mass;
    mass.center = given.pose.p;
    return mass;
  }

  /// The mass of the shapes at the assumed density; of collision shapes if there are any.
  std::optional<MassProperties> shape_mass(const UrdfLink& link) {
    std::optional<MassProperties> total;
    for (const UrdfShape& shape : link.collisions.empty() ? link.visuals : link.collisions) {
      const MeshCollector::Item* item = find_mesh(shape, link);
      std::string note;
      MassProperties mass = unit_mass_of(shape.geometry, item == nullptr ? nullptr : &item->mesh, note);
      if (!(mass.mass > 0.0)) continue;
      if (!note.empty()) {
        report_.assumed.push_back(fmt::format("link '{}': its mesh encloses no volume: {}", link.name, note));
      }
      mass.mass *= source_.options.density;
      mass.inertia *= source_.options.density;
      mass = transformed(mass, shape.pose);
      total = total ? combined(*total, mass) : mass;
    }
    return total;
  }

  /// Whether the link, or a link fixed to it, has a mass in the file.
  bool has_mass(const UrdfLink& link) {
    if (link.inertial && link.inertial->mass > 0.0) return true;
    const auto& below = children_[link.name];
    return std::any_of(below.begin(), below.end(), [&](const UrdfJoint* joint) {
      return joint->type == UrdfJointType::kFixed && has_mass(*links_.at(joint->child));
    });
  }

  /// A moving link needs a mass; if the file has none, it is computed from the shapes.
  void require_mass(const UrdfLink& from, Link& link) {
    if (link.inertial || has_mass(from)) return;
    const auto mass = shape_mass(from);
    if (mass) {
      report_.assumed.push_back(
          fmt::format("link '{}' has no mass: {:.4g} kg computed from its shapes at {} kg/m^3", from.name,
                      mass->mass, source_.options.density));
    } else {
      report_.suspicious.push_back(
          fmt::format("{}: link '{}' moves, but has neither mass nor shape; {} kg is assumed",
                      to_string(from.place), from.name, kAssumedMass));
    }
    link.inertial = to_inertial(mass.value_or(make_grain(kAssumedMass)));
    for (Shape& shape : link.shapes) shape.mass.reset();
  }

  void check_reach(const UrdfLink& link, const MassProperties& mass) {
    double reach = 0.0;
    for (const auto* shapes : {&link.visuals, &link.collisions}) {
      for (const UrdfShape& shape : *shapes) {
        const MeshCollector::Item* item = find_mesh(shape, link);
        if (!shape.mesh.empty() && item == nullptr) return;
        reach = std::max(reach, calc_reach(shape, item, mass.center));
      }
    }
    const double gyration = std::sqrt(mass.inertia.trace() / 2.0 / mass.mass);
    if (reach == 0.0 || gyration < kFarOut * reach) return;
    report_.suspicious.push_back(fmt::format(
        "{}: link '{}': its inertia has a radius of gyration of {:.2g} m, but its shapes extend to {:.2g} m",
        to_string(link.inertial->place), link.name, gyration, reach));
  }

  static double calc_reach(const UrdfShape& shape, const MeshCollector::Item* item, const Vec3& center) {
    if (item != nullptr) {
      double reach = 0.0;
      const Vec3& scale = std::get<MeshFile>(shape.geometry).scale;
      for (const Vec3& vertex : item->mesh.vertices)
        reach = std::max(reach, (shape.pose * Vec3(vertex.cwiseProduct(scale)) - center).norm());
      return reach;
    }
    const double away = (shape.pose.p - center).norm();
    if (const auto* box = std::get_if<Box>(&shape.geometry)) return away + 0.5 * box->size.norm();
    if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) return away + sphere->radius;
    if (const auto* capsule = std::get_if<Capsule>(&shape.geometry))
      return away + 0.5 * capsule->length + capsule->radius;
    const auto& cylinder = std::get<Cylinder>(shape.geometry);
    return away + std::hypot(0.5 * cylinder.length, cylinder.radius);
  }

  Joint make_joint(const UrdfJoint& from) {
    Joint joint;
    joint.place = from.place;
    joint.name = joint_names_.make(from.name);
    joint.type = from.type == UrdfJointType::kPrismatic ? JointType::kSlide : JointType::kHinge;
    joint.axis = from.axis;
    joint.lower = from.lower;
    joint.upper = from.upper;
    joint.damping = from.damping;
    joint.friction = from.friction;
    joint.armature = from.armature;
    joint_of_[from.name] = joint.name;
    if (joint.lower && (*joint.lower > 0.0 || *joint.upper < 0.0) && !from.mimic) {
      joint.initial = *joint.lower > 0.0 ? *joint.lower : *joint.upper;
      report_.assumed.push_back(
          fmt::format("joint '{}' starts at {:.6g}: its limits exclude zero", from.name, joint.initial));
    }
    return joint;
  }

  /// A planar joint becomes two slides and a hinge. Returns the link that is the parent of the hinge.
  std::string add_plane(const UrdfJoint& from, std::string above, Pose& pose) {
    const Quat to_axis = rotation_between(Vec3::UnitZ(), from.axis);
    for (const auto& [name, direction] : {std::pair("x", Vec3::UnitX()), std::pair("y", Vec3::UnitY())}) {
      Link& link = robot_->links.emplace_back();
      link.place = from.place;
      link.name = link_names_.make(from.name + "_" + name);
      link.parent = above;
      link.pose = std::exchange(pose, Pose{});
      link.inertial = to_inertial(make_grain(kHardlyAnyMass));
      link.joint = Joint{.place = from.place,
                         .name = joint_names_.make(from.name + "_" + name),
                         .type = JointType::kSlide,
                         .axis = to_axis * direction};
      above = link.name;
    }
    report_.assumed.push_back(fmt::format(
        "joint '{0}' is planar: two slides '{0}_x', '{0}_y' and a hinge '{0}' about its axis", from.name));
    return above;
  }

  void add_drive(const UrdfJoint& from, const Joint& joint) {
    robot_->devices.sensors.push_back(make_device(joint.name, JointSensorConfig{.joint = joint.name}));
    if (from.mimic) return;
    TorqueActuatorConfig drive{.joint = joint.name};
    if (from.effort && *from.effort > 0.0) drive.limit = from.effort;
    robot_->devices.actuators.push_back(make_device(joint_names_.make(joint.name + "_drive"), drive));
  }

  /// A joint that mimics a mimicking joint follows the first leader.
  void add_couplings() {
    for (const UrdfJoint& joint : from_.joints) {
      const auto known = joint_of_.find(joint.name);
      if (!joint.mimic || known == joint_of_.end() || coupled_.contains(joint.name)) continue;
      coupled_.insert(joint.name);
      UrdfMimic mimic = *joint.mimic;
      std::set<std::string> seen = {joint.name};
      const UrdfJoint* leader = nullptr;
      while (true) {
        const auto found = joints_.find(mimic.joint);
        if (found == joints_.end() || !joint_of_.contains(mimic.joint) || !seen.insert(mimic.joint).second) {
          throw_user_error(joint.place, "joint '{}' mimics '{}', which {}", joint.name, mimic.joint,
                           found == joints_.end() ? "does not exist" : "does not move, or mimics it in turn");
        }
        leader = found->second;
        if (!leader->mimic) break;
        mimic = {leader->mimic->joint, mimic.multiplier * leader->mimic->multiplier,
                 mimic.multiplier * leader->mimic->offset + mimic.offset};
      }
      Coupling& coupling = robot_->couplings.emplace_back();
      coupling.place = joint.place;
      coupling.name = known->second;
      coupling.joint = known->second;
      coupling.follows = joint_of_.at(leader->name);
      coupling.ratio = mimic.multiplier;
      coupling.offset = mimic.offset;
      place_follower(coupling);
    }
  }

  /// The initial position of a coupled joint follows from its leader; its limits must allow it.
  void place_follower(const Coupling& coupling) {
    const auto find = [&](const std::string& name) -> Joint& {
      return *std::find_if(robot_->links.begin(), robot_->links.end(), [&](const Link& link) {
                return link.joint && link.joint->name == name;
              })->joint;
    };
    Joint& joint = find(coupling.joint);
    if (!joint.lower || (*joint.lower <= 0.0 && *joint.upper >= 0.0)) return;
    const double start = coupling.ratio * find(coupling.follows).initial + coupling.offset;
    if (start >= *joint.lower && start <= *joint.upper) {
      joint.initial = start;
      return;
    }
    report_.suspicious.push_back(
        fmt::format("joint '{}' starts at {:.6g}, beyond its limits, because it follows '{}'; "
                    "its limits are removed",
                    coupling.joint, start, coupling.follows));
    joint.lower.reset();
    joint.upper.reset();
  }

  void write_report() {
    std::size_t links = 0, joints = 0, shapes = 0, couplings = 0;
    for (const Robot& robot : scenario_.robots) {
      links += robot.links.size();
      couplings += robot.couplings.size();
      for (const Link& link : robot.links) {
        joints += link.joint && link.joint->type != JointType::kFree ? 1 : 0;
        shapes += link.shapes.size();
      }
    }
    report_.read.push_back(fmt::format("a robot '{}' of {} links, {} joints that move and {} shapes",
                                       scenario_.name, links, joints, shapes));
    if (couplings > 0)
      report_.read.push_back(fmt::format("{} joints that mimic another, as <coupling>", couplings));
    if (!source_.options.has_free_base && floating_.empty())
      report_.assumed.push_back("the robot is fixed to the world; use --base free for a free base");
    report_.assumed.push_back("the integrator is rk4, which keeps the energy of joints without damping");
    report_.assumed.push_back("links of the robot do not collide with each other (self_collide)");
    if (joints > 0) report_.assumed.push_back("each joint has a sensor, and an actuator for torque or force");
    if (!has_collisions_)
      report_.suspicious.push_back("the file has no <collision>: the robot has no contacts");
  }

  const UrdfRobot& from_;
  const ImportSource& source_;
  FormatReport report_;
  MeshCollector meshes_;
  Scenario scenario_;
  std::map<std::string, const UrdfLink*> links_;
  std::map<std::string, const UrdfJoint*> joints_;
  std::map<std::string, std::vector<const UrdfJoint*>> children_;  // by parent link
  std::map<std::string, const UrdfJoint*> joint_above_;            // by child link
  std::vector<const UrdfLink*> roots_;
  std::vector<Floating> floating_;
  Robot* robot_ = nullptr;  // the current robot, the last one
  Names robot_names_, link_names_, joint_names_;
  std::map<std::string, std::string> link_of_, joint_of_;  // names of the file to ours
  std::set<std::string> coupled_;
  bool has_collisions_ = false;
};

}  // namespace

Imported import_urdf(const ImportSource& source) {
  FormatReport report;
  const UrdfRobot robot = read_urdf(source, report);
  return UrdfImporter(robot, source, std::move(report)).run();
}

}  // namespace lockstep
