#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "formats/common/link_mass.h"
#include "formats/common/lowest_point.h"
#include "formats/common/mesh_collector.h"
#include "formats/urdf/drives.h"
#include "formats/urdf/masses.h"
#include "formats/urdf/srdf.h"
#include "formats/urdf/urdf.h"
#include "geometry/hull.h"
#include "model/build.h"
#include "model/kinematics.h"
#include "scenario/write.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Links are visited recursively.
constexpr std::size_t kMaxLinks = 2'000;
/// Mass of links between joints, if one joint of the file becomes several, kg.
constexpr double kHardlyAnyMass = 1e-9;
/// A fixed robot that reaches below z = 0 by less, m, is on the ground at z = 0.
constexpr double kRoundedHeight = 1e-5;

class UrdfImporter {
 public:
  UrdfImporter(const UrdfRobot& from, const ImportSource& source, FormatReport report)
      : from_(from),
        source_(source),
        report_(std::move(report)),
        meshes_(source, report_),
        masses_(meshes_, report_, source.options.density) {}

  Imported run() {
    scenario_.name = from_.name.empty() ? "robot" : from_.name;
    scenario_.description = "Imported from URDF.";
    index_tree();
    find_srdf();
    for (const UrdfLink* root : roots_) add_robot(*root, {}, source_.options.has_free_base);
    // A robot below a floating joint may add more robots.
    for (std::size_t i = 0; i < floating_.size(); ++i) {
      const Floating floating = floating_[i];
      add_robot(*floating.link, floating.pose, true);
    }
    set_initial_positions();
    write_report();
    const auto model = build_without_shapes();
    add_urdf_drives(driven_, from_, source_.options, *model, scenario_, report_);
    if (source_.options.has_ground) add_ground(*model);
    return {.root = write_scenario_element(scenario_, Defaults::kOmit),
            .report = std::move(report_),
            .files = meshes_.take_files(),
            .self_collides = srdf_.has_value(),
            .places = list_places()};
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

  /// The SRDF that the user gave, or one with the name of the file beside it or in a folder config or srdf.
  void find_srdf() {
    const std::string stem = source_.path.stem().string() + ".srdf";
    ImportSource source{.name = {}, .bytes = {}};
    if (source_.options.srdf) {
      source.name = source_.options.srdf->string();
      Result<FileContent> file = read_any_file(*source_.options.srdf, Document::kMaxFileBytes);
      if (!file) throw_user_error({source.name}, "the file {}", file.error());
      source.bytes = std::move(file->bytes);
    } else {
      if (source_.path.empty()) return;
      for (const std::string& name : {stem, "config/" + stem, "srdf/" + stem}) {
        Result<FileContent> file = meshes_.finder().read(name, from_.place, Document::kMaxFileBytes);
        if (!file) continue;
        source.name = file->path.string();
        source.bytes = std::move(file->bytes);
        break;
      }
      if (source.name.empty()) return;
    }
    srdf_ = read_srdf(source, report_);
    report_.read.push_back(fmt::format("'{}': {} pairs of links that never collide, {} named poses",
                                       shown_path(source.name), srdf_->disabled.size(), srdf_->states.size()));
    if (srdf_->is_floating && !source_.options.has_free_base)
      report_.assumed.push_back("the base is fixed, although the SRDF has a floating one; use --base free");
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
    robot.name = make_name(robot_names_, "robot", from_.name.empty() ? "robot" : from_.name);
    robot.self_collide = srdf_.has_value();
    robot.place = root.place;
    Link& link = add_link(root, "", pose);
    if (is_free) {
      link.joint =
          Joint{.place = root.place, .name = joint_names_.make("floating_base"), .type = JointType::kFree};
      require_mass(root, link);
    }
    add_children(root, link_of_.at(root.name), pose);
    add_couplings();
    add_exclusions();
  }

  /// A name that a scenario allows; reported if it differs.
  std::string make_name(Names& names, std::string_view kind, const std::string& wanted) {
    std::string made = names.make(wanted);
    if (made != wanted)
      report_.assumed.push_back(fmt::format("{} '{}' is named '{}'", kind, xml::shown(wanted), made));
    return made;
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
        if (link.joint->type != JointType::kBall) {
          const bool is_passive = srdf_ && srdf_->passive.contains(joint->name);
          driven_.push_back({scenario_.robots.size() - 1, link.joint->name, joint, is_passive});
        }
        require_mass(child, link);
      } else {
        report_fixed(*joint, child, link);
      }
      add_children(child, link_of_.at(child.name), X_WB);
    }
  }

  void report_fixed(const UrdfJoint& joint, const UrdfLink& child, const Link& link) {
    if (joint.mimic) {
      report_.lost.push_back(
          fmt::format("{}: joint '{}' is fixed: its <mimic> is ignored", to_string(joint.place), joint.name));
    }
    if (!link.inertial && !link.shapes.empty()) {
      report_.assumed.push_back(fmt::format(
          "link '{}' is fixed to another and has no mass in the file: it weighs nothing", child.name));
    }
  }

  Link& add_link(const UrdfLink& from, const std::string& parent, const Pose& pose) {
    Link link;
    link.place = from.place;
    link.name = make_name(link_names_, "link", from.name);
    link.parent = parent;
    link.pose = pose;
    link_of_[from.name] = link.name;
    for (const UrdfShape& shape : from.visuals) add_shape(shape, from, link, false);
    for (const UrdfShape& shape : from.collisions) add_shape(shape, from, link, true);
    if (const auto mass = masses_.calc_given(from)) {
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
    if (collides && owner.contact) shape.material = name_of_material(*owner.contact);
    if (!from.mesh.empty()) {
      const MeshCollector::Item* item = meshes_.find(from.mesh, from.place, "link '" + owner.name + "'");
      if (item == nullptr) return;
      std::get<MeshFile>(shape.geometry).src = item->src;
      mesh_of_[item->src] = &item->mesh;
      if (collides && is_flat(item->mesh.vertices)) {
        report_.assumed.push_back(fmt::format("{}: link '{}': its mesh is flat and collides as a thin plate",
                                              to_string(from.place), owner.name));
      }
      if (!collides) return MeshCollector::add_visible(*item, shape, link.shapes);
    }
    link.shapes.push_back(std::move(shape));
  }

  /// The material with these values.
  std::string name_of_material(const Material& wanted) {
    const auto values = [](const Material& m) {
      return std::tuple(m.friction, m.torsional_friction, m.rolling_friction, m.restitution, m.stiffness);
    };
    for (const Material& known : scenario_.materials) {
      if (values(known) == values(wanted)) return known.name;
    }
    Material& added = scenario_.materials.emplace_back(wanted);
    added.name = fmt::format("contact{}", scenario_.materials.size());
    return added.name;
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
    link.inertial = to_inertial(masses_.calc_assumed(from));
    for (Shape& shape : link.shapes) shape.mass.reset();
  }

  Joint make_joint(const UrdfJoint& from) {
    Joint joint;
    joint.place = from.place;
    joint.name = make_name(joint_names_, "joint", from.name);
    joint.damping = from.damping;
    joint.friction = from.friction;
    joint.armature = from.armature;
    if (from.type == UrdfJointType::kSpherical) {
      joint.type = JointType::kBall;
      report_.assumed.push_back(
          fmt::format("joint '{}' is spherical: a ball joint, without sensor and drive", from.name));
      return joint;
    }
    joint.type = from.type == UrdfJointType::kPrismatic ? JointType::kSlide : JointType::kHinge;
    joint.axis = from.axis;
    joint.lower = from.lower;
    joint.upper = from.upper;
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

  /// A joint that mimics a mimicking joint follows the first leader.
  void add_couplings() {
    for (const UrdfJoint& joint : from_.joints) {
      const auto known = joint_of_.find(joint.name);
      if (!joint.mimic || known == joint_of_.end() || coupled_.contains(joint.name)) continue;
      coupled_.insert(joint.name);
      const auto mimic = find_leader(joint);
      if (!mimic) continue;
      Coupling& coupling = robot_->couplings.emplace_back();
      coupling.place = joint.place;
      coupling.name = known->second;
      coupling.joint = known->second;
      coupling.follows = joint_of_.at(mimic->joint);
      coupling.ratio = mimic->multiplier;
      coupling.offset = mimic->offset;
      place_follower(coupling);
    }
  }

  /// The joint that leads in the end, with ratio and offset to it. None, with a line in the report, if there is none.
  std::optional<UrdfMimic> find_leader(const UrdfJoint& joint) {
    UrdfMimic mimic = *joint.mimic;
    std::set<std::string> seen = {joint.name};
    while (true) {
      const auto found = joints_.find(mimic.joint);
      const bool exists = found != joints_.end();
      if (!exists || !joint_of_.contains(mimic.joint) || !seen.insert(mimic.joint).second) {
        report_.suspicious.push_back(fmt::format(
            "{}: joint '{}' mimics '{}', which {}; its <mimic> is ignored", to_string(joint.place), joint.name,
            xml::shown(mimic.joint), exists ? "does not move, or mimics it in turn" : "does not exist"));
        return std::nullopt;
      }
      const UrdfJoint* leader = found->second;
      if (!leader->mimic) return mimic;
      mimic = {leader->mimic->joint, mimic.multiplier * leader->mimic->multiplier,
               mimic.multiplier * leader->mimic->offset + mimic.offset};
    }
  }

  /// Pairs of links that never collide.
  void add_exclusions() {
    if (!srdf_) return;
    std::set<std::pair<std::string, std::string>> known;
    for (const auto& [a, b] : srdf_->disabled) {
      const auto first = link_of_.find(a), second = link_of_.find(b);
      if (first == link_of_.end() || second == link_of_.end()) {
        report_.suspicious.push_back(fmt::format("the SRDF excludes collisions of '{}', which is not a link",
                                                 xml::shown(first == link_of_.end() ? a : b)));
        continue;
      }
      const bool is_here = has_link(first->second) && has_link(second->second);
      if (!is_here || !known.insert(std::minmax(first->second, second->second)).second) continue;
      robot_->exclusions.push_back({.place = {}, .a = first->second, .b = second->second});
    }
    for (const auto& [a, b] : source_.options.never_collide) {
      if (!a.starts_with(robot_->name + "/") || !b.starts_with(robot_->name + "/")) continue;
      const std::string first = a.substr(robot_->name.size() + 1), second = b.substr(robot_->name.size() + 1);
      if (!known.insert(std::minmax(first, second)).second) continue;
      robot_->exclusions.push_back({.place = {}, .a = first, .b = second});
      report_.suspicious.push_back(
          fmt::format("links '{}' and '{}' overlap at the start: they do not collide", first, second));
    }
  }

  bool has_link(const std::string& name) const {
    return std::any_of(robot_->links.begin(), robot_->links.end(),
                       [&](const Link& link) { return link.name == name; });
  }

  /// The pose that the user chose, or initial values in <ros2_control>.
  void set_initial_positions() {
    std::map<std::string, double> positions;
    for (const auto& [joint, interface] : from_.interfaces) {
      if (interface.initial) positions[joint] = *interface.initial;
    }
    if (!source_.options.keyframe.empty()) {
      std::vector<std::string> names;
      if (srdf_) {
        for (const auto& [name, state] : srdf_->states) names.push_back(name);
      }
      const std::string& wanted = source_.options.keyframe;
      if (std::find(names.begin(), names.end(), wanted) == names.end()) {
        throw_user_error({"--key"}, "there is no pose '{}'{}", wanted,
                         srdf_ ? suggest(wanted, names) : "; poses are in an SRDF (--srdf)");
      }
      positions = srdf_->states.at(wanted);
    }
    for (const DrivenJoint& driven : driven_) {
      const auto given = positions.find(driven.from->name);
      if (given == positions.end() || driven.from->mimic) continue;
      Joint& joint = find_joint(scenario_.robots[driven.robot], driven.name);
      joint.initial = given->second;
      if (joint.lower) joint.initial = std::clamp(joint.initial, *joint.lower, *joint.upper);
      if (joint.initial != given->second) {
        report_.suspicious.push_back(fmt::format("joint '{}' starts at {:.6g}, its limit, instead of {:.6g}",
                                                 driven.from->name, joint.initial, given->second));
      }
    }
  }

  static Joint& find_joint(Robot& robot, const std::string& name) {
    return *std::find_if(robot.links.begin(), robot.links.end(), [&](const Link& link) {
              return link.joint && link.joint->name == name;
            })->joint;
  }

  /// Inertias and joints without the meshes. Errors have their place in the imported file.
  std::shared_ptr<const Model> build_without_shapes() const {
    Scenario bare = scenario_;
    for (Robot& robot : bare.robots) {
      for (Link& link : robot.links) link.shapes.clear();
    }
    Diagnostics diagnostics;
    auto model = build_model(bare, Assets(bare, "."), diagnostics);
    diagnostics.throw_if_errors();
    return model;
  }

  /// Robots with a free base are put on the ground. Below fixed ones the ground is as low as the robot reaches.
  void add_ground(const Model& model) {
    const std::vector<Pose> X_WB = calc_initial_poses(model);
    Ground& ground = scenario_.grounds.emplace_back();
    for (Robot& robot : scenario_.robots) {
      double lowest = std::numeric_limits<double>::infinity();
      for (const bool collide : {true, false}) {
        if (std::isfinite(lowest)) break;  // visible shapes count only if there are no others
        for (const Link& link : robot.links) {
          const Pose& pose = X_WB[index(*model.find_body(robot.name + "/" + link.name))];
          for (const Shape& shape : link.shapes) {
            if (shape.collide != collide) continue;
            const auto* file = std::get_if<MeshFile>(&shape.geometry);
            const Mesh* mesh = file == nullptr ? nullptr : mesh_of_.at(file->src);
            lowest = std::min(lowest, calc_lowest_point(shape.geometry, mesh, pose * shape.pose));
          }
        }
      }
      if (!std::isfinite(lowest)) continue;
      const Link& root = robot.links.front();
      if (root.joint && root.joint->type == JointType::kFree) {
        robot.pose.p.z() -= lowest;
        report_.assumed.push_back(fmt::format(
            "robot '{}' is moved up by {:.6g} m: its lowest point touches the ground", robot.name, -lowest));
      } else if (lowest < ground.height - kRoundedHeight) {
        ground.height = lowest;
        report_.assumed.push_back(fmt::format(
            "the ground is at z = {:.6g} m: the fixed robot '{}' reaches down to it", lowest, robot.name));
      }
    }
  }

  std::map<std::string, Place> list_places() const {
    std::map<std::string, Place> places;
    for (const Robot& robot : scenario_.robots) {
      places["robot " + robot.name] = from_.place;
      for (const Link& link : robot.links) {
        places[fmt::format("link {}/{}", robot.name, link.name)] = link.place;
        if (link.joint) places[fmt::format("joint {}/{}", robot.name, link.joint->name)] = link.joint->place;
      }
    }
    return places;
  }

  /// The initial position of a coupled joint follows from its leader; its limits must allow it.
  void place_follower(const Coupling& coupling) {
    Joint& joint = find_joint(*robot_, coupling.joint);
    if (!joint.lower || (*joint.lower <= 0.0 && *joint.upper >= 0.0)) return;
    const double start = coupling.ratio * find_joint(*robot_, coupling.follows).initial + coupling.offset;
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
    if (!srdf_) report_.assumed.push_back("links of the robot do not collide with each other (self_collide)");
    if (!scenario_.materials.empty()) {
      report_.assumed.push_back(
          "friction of two materials is the geometric mean of both values, where Bullet takes their product");
    }
    if (!has_collisions_)
      report_.suspicious.push_back("the file has no <collision>: the robot has no contacts");
  }

  const UrdfRobot& from_;
  const ImportSource& source_;
  FormatReport report_;
  MeshCollector meshes_;
  UrdfMasses masses_;
  Scenario scenario_;
  std::optional<Srdf> srdf_;
  std::vector<DrivenJoint> driven_;
  std::map<std::string, const Mesh*> mesh_of_;  // by src
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
