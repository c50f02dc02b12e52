#include "design/name_rules.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/units.h"
#include "design/keyword.h"
#include "design/parts.h"
#include "scenario/bundled.h"
#include "scenario/read.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxRulesBytes = 1u << 20;

/// Applies rules to the names of an assembly. Parts are visited from the root of the assembly to its leaves, in
/// file order; the first of the rules that matches the label of a part is its rule:
///
///   label of the part        rule                                 name     port
///   Bot1-1 (group)           keyword="Bot#" as="robot"            Bot1
///     Bot1M2-1 (group)       keyword="Bot1M#" first_port="10"     Bot1M2   10 + 2
///       SOLID                none: belongs to Bot1M2
///     plate                  none: belongs to Bot1, so to the link "base"
///
/// A rule matches if the label contains its keyword, where '#' is a complete number ("M1" does not match
/// "M12"), and, with `inside`, if the label of a group above contains that keyword. A part that repeats the
/// rule and name of its group, as solids do, belongs to the group. A part without a rule belongs to the nearest
/// group with one.
///
/// The matched keyword with its number is the name of the link and its devices. The port is first_port +
/// number; `ports` limits the number. Two parts with one name would share a port, which is an error; only
/// objects and ignored parts get a suffix instead. Each <ports> template of a rule becomes an element of the
/// first connection.
class RuleApplier {
 public:
  RuleApplier(const Design& design, const NameRules& rules, const Place& place)
      : assembly_(*design.assembly), rules_(rules), place_(place), found_(assembly_.parts.size()) {}

  std::vector<Operation> run() {
    for (std::size_t i = 0; i < assembly_.parts.size(); ++i) match_rules(i);
    if (!robot_) {
      throw_user_error(place_, "<rules>: no group is the robot; expected a name such as '{}'", robot_keyword());
    }
    collect_leaves();
    add_locomotion();
    add_base();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i] && !found_[i]->rule->carries) add(i);
    }
    if (!connections_.empty()) devices_.connections = connections_;
    add_operation(AttachDevices{devices_});
    return std::move(operations_);
  }

 private:
  struct Found {
    const NameRule* rule = nullptr;
    std::string name;
    std::int64_t port = 0;
    std::vector<std::size_t> leaves;  // parts with a shape
  };

  const Part& part(std::size_t i) const { return assembly_.parts[i]; }

  std::string robot_keyword() const {
    for (const NameRule& rule : rules_.rules) {
      if (rule.action == RuleAction::kRobot) return rule.keyword;
    }
    return "";
  }

  bool is_inside(std::size_t i, std::string_view keyword) const {
    for (int at = part(i).parent; at >= 0; at = part(static_cast<std::size_t>(at)).parent) {
      if (find_keyword(keyword, part(static_cast<std::size_t>(at)).label)) return true;
    }
    return false;
  }

  /// The nearest group above that has a rule.
  std::optional<std::size_t> find_above(std::size_t i) const {
    for (int at = part(i).parent; at >= 0; at = part(static_cast<std::size_t>(at)).parent) {
      if (found_[static_cast<std::size_t>(at)]) return static_cast<std::size_t>(at);
    }
    return std::nullopt;
  }

  bool is_in_robot(std::size_t i) const {
    for (std::optional<std::size_t> at = i; at; at = find_above(*at)) {
      if (at == robot_) return true;
    }
    return false;
  }

  void match_rules(std::size_t i) {
    for (const NameRule& rule : rules_.rules) {
      const auto match = find_keyword(rule.keyword, part(i).label);
      if (!match || (!rule.inside.empty() && !is_inside(i, rule.inside))) continue;
      const auto above = find_above(i);
      // The solid of a sensor often has the same name as its group.
      if (above && found_[*above]->rule == &rule && found_[*above]->name == match->name) return;
      if (rule.action == RuleAction::kRobot) {
        if (robot_ && is_in_robot(i)) continue;  // a part of the robot that has its name
        if (robot_)
          throw_user_error(place_, "<rules>: '{}' and '{}' are both robots; a design has one",
                           part(*robot_).name, part(i).name);
        robot_ = i;
      }
      if (rule.ports && match->number >= *rule.ports) {
        throw_user_error(place_, "<rules>: part '{}' has the number {}; '{}' allows 0 to {}", part(i).name,
                         match->number, rule.keyword, *rule.ports - 1);
      }
      found_[i] = Found{&rule, claim(rule, match->name, i), rule.first_port + match->number, {}};
      return;
    }
  }

  /// A unique name. Objects get a suffix; any other name that appears twice would be one port for two devices.
  std::string claim(const NameRule& rule, const std::string& name, std::size_t i) {
    std::string claimed = plain_name(name);
    const auto [other, is_new] = names_.emplace(claimed, i);
    if (is_new) return claimed;
    if (rule.action != RuleAction::kObject && rule.action != RuleAction::kOmit) {
      throw_user_error(place_, "<rules>: '{}' and '{}' are both named '{}'", part(other->second).name,
                       part(i).name, claimed);
    }
    for (int number = 2;; ++number) {
      std::string numbered = fmt::format("{}-{}", claimed, number);
      if (names_.emplace(numbered, i).second) return numbered;
    }
  }

  void collect_leaves() {
    for (std::size_t i = 0; i < assembly_.parts.size(); ++i) {
      if (part(i).shape < 0) continue;
      const auto owner = found_[i] ? std::optional(i) : find_above(i);
      if (owner) found_[*owner]->leaves.push_back(i);
    }
  }

  /// Patterns that match exactly these parts.
  std::string patterns_of(const std::vector<std::size_t>& leaves) const {
    std::string text;
    for (const std::size_t leaf : leaves) {
      std::string name = part(leaf).name;
      std::replace(name.begin(), name.end(), ';', '?');
      text += (text.empty() ? "" : "; ") + name;
    }
    return text;
  }

  template <class What>
  void add_operation(What what) {
    operations_.push_back({place_, std::move(what)});
  }

  void require_leaves(std::size_t i) const {
    if (found_[i]->leaves.empty()) throw_user_error(place_, "<rules>: '{}' has no shape", part(i).name);
  }

  /// Locomotion: a chain of links between world and base, in the order of their rules.
  void add_locomotion() {
    for (const NameRule& rule : rules_.rules) {
      if (!rule.carries) continue;
      for (std::size_t i = 0; i < found_.size(); ++i) {
        if (!found_[i] || found_[i]->rule != &rule || !is_in_robot(i)) continue;
        add_link(i, base_parent_);
        base_parent_ = found_[i]->name;
        add_devices(i);
      }
    }
  }

  void add_base() {
    std::vector<std::size_t> leaves;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (!found_[i] || !is_in_robot(i)) continue;
      const RuleAction action = found_[i]->rule->action;
      if (action == RuleAction::kRobot || action == RuleAction::kBase)
        leaves.insert(leaves.end(), found_[i]->leaves.begin(), found_[i]->leaves.end());
    }
    if (leaves.empty())
      throw_user_error(place_, "<rules>: robot '{}' has no part for its base", part(*robot_).name);
    MakeLink base{
        .name = "base", .parent = base_parent_, .parts = patterns_of(leaves), .material = {}, .joint = {}};
    if (base_parent_.empty()) {
      base.joint.emplace();
      base.joint->place = place_;
      base.joint->joint.name = "base";
      base.joint->joint.type = JointType::kFree;
    }
    add_operation(std::move(base));
  }

  /// The parent link of a part: the nearest group that is a link.
  std::string parent_of(std::size_t i) const {
    for (std::optional<std::size_t> at = find_above(i); at; at = find_above(*at)) {
      if (found_[*at]->rule->action == RuleAction::kLink && !found_[*at]->rule->carries)
        return found_[*at]->name;
    }
    return "base";
  }

  void add(std::size_t i) {
    const Found& found = *found_[i];
    switch (found.rule->action) {
      case RuleAction::kRobot:
      case RuleAction::kBase:
        break;
      case RuleAction::kOmit:
        if (!found.leaves.empty()) add_operation(IgnoreParts{patterns_of(found.leaves)});
        return;
      case RuleAction::kBeam:
        if (is_in_robot(i)) add_beam(i);
        return;
      case RuleAction::kObject:
        if (!is_in_robot(i)) {
          require_leaves(i);
          add_operation(
              MakeObject{found.name, patterns_of(found.leaves), found.rule->material, found.rule->is_static});
          return;
        }
        [[fallthrough]];
      case RuleAction::kLink:
        if (!is_in_robot(i)) return;  // sensors outside of the robot are ignored
        add_link(i, parent_of(i));
        break;
    }
    if (is_in_robot(i)) add_devices(i);
  }

  void add_link(std::size_t i, const std::string& parent) {
    require_leaves(i);
    const Found& found = *found_[i];
    MakeLink link{.name = found.name,
                  .parent = parent,
                  .parts = patterns_of(found.leaves),
                  .material = found.rule->material,
                  .joint = {}};
    if (found.rule->joint) link.joint = make_joint_setting(found, *found.rule->joint);
    add_operation(std::move(link));
  }

  JointSetting make_joint_setting(const Found& found, const RuleJoint& rule) const {
    JointSetting setting;
    setting.place = place_;
    setting.joint.name = found.name;
    setting.joint.type = rule.type;
    setting.joint.damping = rule.damping;
    setting.joint.friction = rule.friction;
    setting.joint.armature = rule.armature;
    setting.axis = rule.axis;
    Where where;
    where.place = place_;
    where.part = patterns_of(found.leaves);
    where.from = WhereFrom::kBox;
    where.axis = BoxAxis::kMin;
    std::vector<int> leaves(found.leaves.begin(), found.leaves.end());
    for (const PlacedFeature& placed : list_features(assembly_, leaves)) {
      if (placed.feature.kind != FeatureKind::kCylinder && placed.feature.kind != FeatureKind::kHole) continue;
      where.from = placed.feature.kind == FeatureKind::kCylinder ? WhereFrom::kCylinder : WhereFrom::kHole;
      break;
    }
    setting.at = where;
    return setting;
  }

  /// A beam starts at its end nearest to the centre of the robot.
  void add_beam(std::size_t i) {
    require_leaves(i);
    Found& found = *found_[i];
    const std::vector<int> leaves(found.leaves.begin(), found.leaves.end());
    const Eigen::AlignedBox3d box = calc_bounds(assembly_, leaves);
    std::vector<int> own;
    for (const std::size_t leaf : found_[*robot_]->leaves) own.push_back(static_cast<int>(leaf));
    const Vec3 middle = own.empty() ? Vec3::Zero().eval() : calc_bounds(assembly_, own).center().eval();
    Eigen::Index axis = 0;
    const double length = box.sizes().maxCoeff(&axis);
    Vec3 direction = Vec3::Unit(axis);
    if ((box.center() - middle).dot(direction) < 0.0) direction = -direction;
    const Pose pose{box.center() - 0.5 * length * direction, rotation_between(Vec3::UnitX(), direction)};
    add_operation(AddSite{found.name, parent_of(i), pose, {}, Alignment::kX});
    add_operation(IgnoreParts{patterns_of(found.leaves)});
    add_devices(i, length);
  }

  void add_devices(std::size_t i, std::optional<double> length = {}) {
    const Found& found = *found_[i];
    Filler filler;
    filler.set("name", found.rule->action == RuleAction::kRobot ? "base" : found.name);
    filler.set("port", std::to_string(found.port));
    if (length) {
      filler.set("length", format_number(*length));
      filler.set("length_mm", format_number(1e3 * *length));
    }
    for (const Element& sensor : found.rule->devices.sensors) devices_.sensors.push_back(filler.fill(sensor));
    for (const Element& actuator : found.rule->devices.actuators)
      devices_.actuators.push_back(filler.fill(actuator));
    for (const Element& port : found.rule->port_elements) {
      if (connections_.empty()) {
        if (rules_.connections.empty())
          throw_user_error(port.place, "<{}>: the rules have no <connections> for it", port.name);
        connections_ = rules_.connections;
      }
      connections_.front().children.push_back(filler.fill(port));
    }
  }

  const Assembly& assembly_;
  const NameRules& rules_;
  const Place& place_;
  std::vector<std::optional<Found>> found_;  // by part
  std::map<std::string, std::size_t> names_;
  std::optional<std::size_t> robot_;
  std::string base_parent_;
  std::vector<Operation> operations_;
  Devices devices_;
  std::vector<Element> connections_;
};

}  // namespace

NameRules read_name_rules(std::string_view text, const std::string& file) {
  const Element root = Document::read_text(text, file, "").root();
  if (root.name != "rules") throw_user_error(root.place, "the root is <{}>; expected <rules>", root.name);
  Diagnostics diagnostics;
  NameRules rules = read_fields<NameRules>(root, diagnostics);
  diagnostics.throw_if_errors();
  return rules;
}

NameRules read_bundled_rules(std::string_view name, const Place& place) {
  const auto folder = find_bundled_scenarios();
  if (!folder) throw_user_error(place, "<rules>: the bundled scenarios are not installed");
  const std::filesystem::path rules = *folder / "parts" / "rules";
  const Result<FileContent> file = read_file_below(rules, fmt::format("{}.xml", name), kMaxRulesBytes);
  if (!file) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(rules, error))
      names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    throw_user_error(place, "<rules>: there are no rules '{}'{}", name, suggest(name, names));
  }
  return read_name_rules(file->bytes, file->path.string());
}

std::vector<Operation> find_operations(const Design& design, const NameRules& rules, const Place& place) {
  return RuleApplier(design, rules, place).run();
}

}  // namespace lockstep
