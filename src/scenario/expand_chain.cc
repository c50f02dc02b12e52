#include "scenario/expand_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numbers>

#include "base/units.h"
#include "scenario/describe_chain.h"
#include "scenario/field_format.h"
#include "scenario/read.h"

namespace lockstep {

ModuleOptions default_module() {
  constexpr double kQuarterTurn = std::numbers::pi / 2.0;
  ModuleOptions usual;
  usual.size = Vec3(0.078, 0.06, 0.06);
  usual.mass = 0.2;
  usual.lower = -kQuarterTurn;
  usual.upper = kQuarterTurn;
  usual.initial = 0.0;
  usual.gain = 8.0;
  usual.max_speed = 3.0;
  usual.max_effort = 5.0;
  usual.stiffness = 40.0;
  usual.damping = 0.4;
  usual.joint_damping = 0.1;
  usual.armature = 0.001;
  return usual;
}

ModuleOptions completed(ModuleOptions own, const ModuleOptions& other) {
  const auto complete = [&](auto member) {
    if (!(own.*member)) own.*member = other.*member;
  };
  complete(&ModuleOptions::size);
  complete(&ModuleOptions::mass);
  complete(&ModuleOptions::color);
  for (const auto member :
       {&ModuleOptions::lower, &ModuleOptions::upper, &ModuleOptions::initial, &ModuleOptions::gain,
        &ModuleOptions::max_speed, &ModuleOptions::max_effort, &ModuleOptions::stiffness,
        &ModuleOptions::damping, &ModuleOptions::joint_damping, &ModuleOptions::armature}) {
    complete(member);
  }
  complete(&ModuleOptions::front);
  complete(&ModuleOptions::rear);
  if (own.material.empty()) own.material = other.material;
  return own;
}

Vec3 outward(Face face) {
  switch (face) {
    case Face::kBottom:
      return -Vec3::UnitZ();
    case Face::kLeft:
      return Vec3::UnitY();
    case Face::kTop:
      return Vec3::UnitZ();
    case Face::kRight:
      return -Vec3::UnitY();
    case Face::kRear:
      return -Vec3::UnitX();
    case Face::kFront:
    case Face::kFree:
      break;
  }
  return Vec3::UnitX();
}

Vec3 default_pad_size(const Vec3& module_size, Face face) {
  constexpr double kThickness = 0.002, kFreeSize = 0.02;
  if (face == Face::kFree) return {kFreeSize, kFreeSize, kThickness};
  const Vec3 out = outward(face);
  Vec3 size = module_size;
  for (int i = 0; i < 3; ++i) {
    if (out[i] != 0.0) size[i] = kThickness;
  }
  return size;
}

namespace {

constexpr Color kPitchColor = {0.761, 0.439, 0.227, 1.0};
constexpr Color kYawColor = {0.490, 0.592, 0.671, 1.0};
/// Of modules and sensor modules of all chains: each is two bodies, and a scenario has at most 5,000.
constexpr std::size_t kMaxParts = 2'500;

std::string_view text_of(Face face) {
  return kFaces[static_cast<std::size_t>(face)].first;
}

/// The frame whose x looks out of the face. Written out, so that the numbers are exact.
Quat looking(Face face) {
  const double h = std::numbers::sqrt2 / 2.0;
  switch (face) {
    case Face::kBottom:
      return {h, 0.0, h, 0.0};
    case Face::kLeft:
      return {h, 0.0, 0.0, h};
    case Face::kTop:
      return {h, 0.0, -h, 0.0};
    case Face::kRight:
      return {h, 0.0, 0.0, -h};
    case Face::kRear:
      return {0.0, 0.0, 0.0, 1.0};
    case Face::kFront:
    case Face::kFree:
      break;
  }
  return Quat::Identity();
}

Element make_device(std::string kind, const std::string& name, const Place& place,
                    std::vector<std::pair<std::string, std::string>> attributes) {
  Element element{.name = std::move(kind), .place = place, .attributes = {}, .children = {}, .text = {}};
  element.attributes.push_back({"name", name, place});
  for (auto& [key, value] : attributes) element.attributes.push_back({std::move(key), std::move(value), place});
  return element;
}

/// Expands one chain into its robot, part by part from the head on.
class ChainExpander {
 public:
  ChainExpander(const Chain& chain, Robot& robot)
      : chain_(chain),
        robot_(robot),
        pattern_(read_pattern(chain.pattern)),
        default_(completed(chain.options, default_module())),
        before_(chain.parent),
        rear_(chain.pose) {}

  void run() {
    if (chain_.modules) add_modules({.count = *chain_.modules}, chain_.place);
    for (const ChainPart& part : chain_.parts) {
      if (const auto* modules = std::get_if<ChainModule>(&part.part)) {
        add_modules(*modules, part.place);
      } else {
        add_sensor_module(std::get<SensorModule>(part.part), part.place);
      }
    }
  }

  std::string pitch_joints;  ///< "joint1 joint3"
  std::string yaw_joints;

 private:
  std::string named(std::string_view stem, std::size_t number, std::string_view tail = "") const {
    return fmt::format("{}{}{}{}", chain_.prefix, stem, number, tail);
  }

  void add_modules(const ChainModule& module, const Place& place) {
    const ModuleOptions options = completed(module.options, default_);
    for (std::int64_t i = 0; i < module.count; ++i) add_module(module, options, place);
  }

  void add_module(const ChainModule& module, const ModuleOptions& options, const Place& place) {
    const std::size_t number = ++modules_;
    const ModuleAxis axis =
        module.axis == ModuleAxis::kPattern ? pattern_[(number - 1) % pattern_.size()] : module.axis;
    const double half = 0.5 * options.size->x();
    const std::string joint = named("joint", number);

    Link& front = add_part(named("module", number, "a"), half, module, place);
    front.shapes = make_frame(options.front, options, axis, 1.0);
    Link& rear = robot_.links.emplace_back();
    rear.place = place;
    rear.name = named("module", number, "b");
    rear.parent = before_;
    rear.shapes = make_frame(options.rear, options, axis, -1.0);
    // The child lies behind: turning it the other way turns what is in front right-handed.
    rear.joint = Joint{.place = place,
                       .name = joint,
                       .axis = axis == ModuleAxis::kPitch ? Vec3(0.0, -1.0, 0.0) : Vec3(0.0, 0.0, -1.0),
                       .lower = options.lower,
                       .upper = options.upper,
                       .damping = *options.joint_damping,
                       .armature = *options.armature,
                       .initial = *options.initial};
    finish_part(rear, half);

    std::string& list = axis == ModuleAxis::kPitch ? pitch_joints : yaw_joints;
    list += (list.empty() ? "" : " ") + joint;
    robot_.devices.sensors.push_back(make_device("joint_state", joint, place, {{"joint", joint}}));
    robot_.devices.actuators.push_back(make_device("servo", joint, place,
                                                   {{"joint", joint},
                                                    {"stiffness", format_number(*options.stiffness)},
                                                    {"damping", format_number(*options.damping)},
                                                    {"max_effort", format_number(*options.max_effort)},
                                                    {"max_speed", format_number(*options.max_speed)},
                                                    {"gain", format_number(*options.gain)}}));
  }

  /// The shapes of a frame; it lies on the side of the hinge that `side` (1 or -1) says.
  static std::vector<Shape> make_frame(const std::optional<ModuleFrame>& given, const ModuleOptions& options,
                                       ModuleAxis axis, double side) {
    std::vector<Shape> shapes;
    if (given) {
      shapes = given->shapes;
    } else {
      Shape& box = shapes.emplace_back();
      box.geometry = Box{Vec3(0.5 * options.size->x(), options.size->y(), options.size->z())};
      box.pose.p = {side * 0.25 * options.size->x(), 0.0, 0.0};
    }
    std::optional<Color> color = options.color;
    if (!color && options.material.empty()) color = axis == ModuleAxis::kPitch ? kPitchColor : kYawColor;
    constexpr double kDarker = 0.7;
    if (color && side < 0.0)
      *color = {kDarker * color->at(0), kDarker * color->at(1), kDarker * color->at(2), color->at(3)};
    for (Shape& shape : shapes) {
      if (shape.material.empty()) shape.material = options.material;
      if (!shape.color) shape.color = color;
      if (shapes.size() == 1 && !shape.mass && !shape.density) shape.mass = 0.5 * *options.mass;
    }
    return shapes;
  }

  void add_sensor_module(const SensorModule& module, const Place& place) {
    const std::size_t number = ++sensor_modules_;
    const std::string material = module.material.empty() ? default_.material : module.material;
    Link& body = add_part(named("sensor", number), 0.5 * module.size.x(), module, place);
    Shape& box = body.shapes.emplace_back();
    box.geometry = Box{module.size};
    box.material = material;
    box.mass = module.mass;
    box.color = module.color;
    for (std::size_t i = 0; i < module.eyes.size(); ++i) add_eye(module, module.eyes[i], i, body);
    finish_part(body, 0.5 * module.size.x());
    // They are links of their own, and the list may move `body` when they are added.
    for (std::size_t i = 0; i < module.pads.size(); ++i) {
      ForcePad pad = module.pads[i];
      if (pad.material.empty()) pad.material = material;
      if (!pad.color) pad.color = module.color;
      add_pad(module, pad, i);
    }
  }

  /// "eye2_front", or "eye2_1" for the first of the module that is on no face.
  std::string name_on_face(std::string_view stem, std::string_view given, Face face, std::size_t index) const {
    if (!given.empty()) return chain_.prefix + std::string(given);
    const std::string tail =
        face == Face::kFree ? fmt::format("_{}", index + 1) : fmt::format("_{}", text_of(face));
    return named(stem, sensor_modules_, tail);
  }

  void add_eye(const SensorModule& module, const DistanceEye& eye, std::size_t index, Link& body) {
    const std::string name = name_on_face("eye", eye.name, eye.face, index);
    Pose pose = eye.pose;
    if (eye.face != Face::kFree) pose = {0.5 * outward(eye.face).cwiseProduct(module.size), looking(eye.face)};
    body.sites.push_back({.place = eye.place, .name = name, .pose = pose});
    if (eye.mass > 0.0) {
      Shape& box = body.shapes.emplace_back();
      box.place = eye.place;
      box.name = name;
      box.geometry = Box{eye.size};
      box.pose = pose;
      box.mass = eye.mass;
      box.collide = false;
    }
    robot_.devices.sensors.push_back(
        make_device("distance", name, eye.place,
                    {{"site", name},
                     {"range", format_number(eye.range)},
                     {"angle", format_number(eye.angle)},
                     {"rays", std::to_string(eye.rays)},
                     {"ignore", std::string(kSeenThrough[static_cast<std::size_t>(eye.ignore)].first)}}));
  }

  void add_pad(const SensorModule& module, const ForcePad& pad, std::size_t index) {
    const std::string name = name_on_face("pad", pad.name, pad.face, index);
    const Vec3 out = outward(pad.face);
    const Vec3 size = pad.size.value_or(default_pad_size(module.size, pad.face));

    Link& link = robot_.links.emplace_back();
    link.place = pad.place;
    link.name = name;
    link.parent = before_;
    link.joint = Joint{.place = pad.place, .name = name, .type = JointType::kFixed};
    link.pose = pad.pose;
    if (pad.face != Face::kFree) {
      link.pose = {0.5 * out.cwiseProduct(module.size + size), Quat::Identity()};
      link.joint->position = -0.5 * out.cwiseProduct(size);  // where it meets the module
    }
    Shape& plate = link.shapes.emplace_back();
    plate.place = pad.place;
    plate.geometry = Box{size};
    plate.material = pad.material;
    plate.mass = pad.mass;
    plate.color = pad.color;
    robot_.devices.sensors.push_back(make_device("force", name, pad.place, {{"joint", name}}));
    if (chain_.poses == ChainPoses::kAll) add_pose_sensor(name, name, pad.place);
  }

  /// The link that is joined to the part before; its origin lies `half` behind the front face.
  template <class Part>
  Link& add_part(const std::string& name, double half, const Part& part, const Place& place) {
    Link& link = robot_.links.emplace_back();
    link.place = place;
    link.name = name;
    link.parent = before_;
    link.pose = rear_ * Pose{Vec3(-half, 0.0, 0.0)};
    if (parts_ > 0) {
      const std::string lock = named("lock", parts_);
      const bool is_detachable = part.detachable || chain_.detachable;
      link.joint = Joint{.place = place,
                         .name = lock,
                         .type = JointType::kFixed,
                         .position = Vec3(half, 0.0, 0.0),
                         .detachable = is_detachable};
      if (part.measured || chain_.measured)
        robot_.devices.sensors.push_back(make_device("force", lock, place, {{"joint", lock}}));
      if (is_detachable)
        robot_.devices.actuators.push_back(make_device("lock", lock, place, {{"joint", lock}}));
    } else {
      if (chain_.parent.empty() && !chain_.is_fixed)
        link.joint = Joint{.place = place, .name = chain_.prefix + "base", .type = JointType::kFree};
      if (chain_.poses == ChainPoses::kHead) add_pose_sensor(chain_.prefix + "head", name, place);
    }
    if (chain_.poses == ChainPoses::kAll) add_pose_sensor(name, name, place);
    before_ = name;
    ++parts_;
    return link;
  }

  /// What comes next is joined to this link, `half` behind its origin.
  void finish_part(const Link& last, double half) {
    if (last.name != before_ && chain_.poses == ChainPoses::kAll)
      add_pose_sensor(last.name, last.name, last.place);
    before_ = last.name;
    rear_ = {Vec3(-half, 0.0, 0.0)};
  }

  void add_pose_sensor(const std::string& name, const std::string& body, const Place& place) {
    robot_.devices.sensors.push_back(make_device("pose", name, place, {{"body", body}}));
  }

  const Chain& chain_;
  Robot& robot_;
  std::vector<ModuleAxis> pattern_;
  ModuleOptions default_;
  std::string before_;  // the link that the next one is joined to; "" for none
  Pose rear_;           // where the next part begins, in that link
  std::size_t modules_ = 0;
  std::size_t sensor_modules_ = 0;
  std::size_t parts_ = 0;
};

std::size_t count_parts(const Chain& chain) {
  std::size_t count = static_cast<std::size_t>(chain.modules.value_or(0));
  for (const ChainPart& part : chain.parts) {
    const auto* modules = std::get_if<ChainModule>(&part.part);
    count += modules == nullptr ? 1 : static_cast<std::size_t>(modules->count);
  }
  return count;
}

void name_joints(Element& gait, const std::string& pitch, const std::string& yaw) {
  const bool is_named = gait.find_attribute("pitch") != nullptr || gait.find_attribute("yaw") != nullptr;
  if (gait.name != "gait" || is_named) return;
  if (!pitch.empty()) gait.attributes.push_back({"pitch", pitch, gait.place});
  if (!yaw.empty()) gait.attributes.push_back({"yaw", yaw, gait.place});
}

void set_place(Element& element, const Place& place) {
  element.place = place;
  for (Attribute& attribute : element.attributes) attribute.place = place;
  for (Element& child : element.children) set_place(child, place);
}

Element element_of(const Link& link) {
  Element element = write_fields("link", link, Defaults::kOmit);
  set_place(element, link.place);
  // Shapes are written in their order. Those that the user gave are found where he wrote them.
  auto shape = link.shapes.begin();
  for (Element& child : element.children) {
    const auto is_child = [&](const ChildKind<Shape>& kind) { return kind.name == child.name; };
    if (std::none_of(kShapeKinds.begin(), kShapeKinds.end(), is_child)) continue;
    if (!shape->place.file.empty()) set_place(child, shape->place);
    ++shape;
  }
  return element;
}

/// The container of that name, which is added if there is none.
Element& container_of(Element& robot, const char* name) {
  for (Element& child : robot.children) {
    if (child.name == name) return child;
  }
  robot.children.push_back({.name = name, .place = robot.place, .attributes = {}, .children = {}, .text = {}});
  return robot.children.back();
}

void append(std::vector<Element>& list, std::vector<Element>&& more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void append_names(std::string& list, const std::string& more) {
  if (!list.empty() && !more.empty()) list += ' ';
  list += more;
}

class RobotExpander {
 public:
  explicit RobotExpander(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void expand(Element& robot) {
    std::vector<Element> children;
    Robot made;
    std::string pitch, yaw;
    for (Element& child : robot.children) {
      if (child.name != "chain") {
        children.push_back(std::move(child));
        continue;
      }
      const std::size_t errors = diagnostics_.error_count();
      const Chain chain = read_chain(child, diagnostics_);
      // A wrong number or colour leaves the names as they are, so that others may name its parts.
      const bool is_sound = diagnostics_.error_count() == errors;
      if (!has_room(chain) || (!is_sound && !are_names_known(child))) {
        diagnostics_.mark_broken(robot.place);
        diagnostics_.mark_incomplete();
        continue;
      }
      made.links.clear();
      ChainExpander expander(chain, made);
      expander.run();
      for (const Link& link : made.links) children.push_back(element_of(link));
      append_names(pitch, expander.pitch_joints);
      append_names(yaw, expander.yaw_joints);
    }
    robot.children = std::move(children);
    append(container_of(robot, "sensors").children, std::move(made.devices.sensors));
    append(container_of(robot, "actuators").children, std::move(made.devices.actuators));
    for (Element& child : robot.children) {
      if (child.name != "controllers") continue;
      for (Element& controller : child.children) name_joints(controller, pitch, yaw);
    }
  }

 private:
  /// Whether nothing that the names of the parts depend on is wrong.
  bool are_names_known(const Element& element) const {
    if (diagnostics_.has_error_at(element.place)) return false;
    for (const char* attribute : {"name", "prefix", "modules", "count", "pattern", "axis"}) {
      const Attribute* found = element.find_attribute(attribute);
      if (found != nullptr && diagnostics_.has_error_at(found->place)) return false;
    }
    return std::all_of(element.children.begin(), element.children.end(),
                       [&](const Element& child) { return are_names_known(child); });
  }

  bool has_room(const Chain& chain) {
    parts_ += count_parts(chain);
    if (parts_ <= kMaxParts) return true;
    diagnostics_.error(chain.place, "<chain>: all chains together have {} parts; at most {} are allowed",
                       parts_, kMaxParts);
    return false;
  }

  Diagnostics& diagnostics_;
  std::size_t parts_ = 0;
};

}  // namespace

bool has_chain(const Element& robot) {
  return std::any_of(robot.children.begin(), robot.children.end(),
                     [](const Element& child) { return child.name == "chain"; });
}

void expand_chains(Element& root, Diagnostics& diagnostics) {
  RobotExpander expander(diagnostics);
  for (Element& robot : root.children) {
    if (robot.name == "robot" && has_chain(robot)) expander.expand(robot);
  }
}

}  // namespace lockstep
