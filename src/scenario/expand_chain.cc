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
  ModuleOptions options;
  options.size = Vec3(0.078, 0.06, 0.06);
  options.mass = 0.2;
  options.lower = -kQuarterTurn;
  options.upper = kQuarterTurn;
  options.initial = 0.0;
  options.gain = 8.0;
  options.max_speed = 3.0;
  options.max_effort = 5.0;
  options.stiffness = 40.0;
  options.damping = 0.4;
  options.joint_damping = 0.1;
  options.armature = 0.001;
  return options;
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
/// Modules and sensor modules of all chains: a module is two bodies, and a scenario has at most 5,000.
constexpr std::size_t kMaxSegments = 2'500;

std::string_view text_of(Face face) {
  return kFaces[static_cast<std::size_t>(face)].first;
}

/// Orientation whose x axis is the outward normal of the face. Written out, so that the numbers are exact.
Quat face_orientation(Face face) {
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

/// Expands one chain into links, joints and devices, segment by segment from the head backwards. A segment is a
/// module or a sensor module. Example: two modules and a sensor module with a force plate at the bottom.
///
///   x <---  head                                                              tail
///
///           +----------o----------+   +----------o----------+   +---------+
///           | module1a | module1b |===| module2a | module2b |===| sensor1 |
///           +----------o----------+   +----------o----------+   +---------+
///                    joint1         lock1      joint2         lock2  ===     pad1_bottom, a fixed joint
///                                                                  +-----+   and a link of the same name
///                                                                  +-----+
///   o  hinge: joint<k> with the <joint_state> sensor and the <servo> joint<k>
///   =  fixed joint: lock<i>; with the <force> sensor lock<i> if measured, the <lock> actuator if detachable
///
/// One <module> becomes two links. The front one, module<k>a, is fixed by a lock to the last link of the
/// segment before; the first segment has the free joint `base` instead, or is welded to the world or to
/// `parent`, by lock0 if that is measured or detachable. The rear one, module<k>b, is its child by the hinge. Both have their origin in the hinge, half a
/// module length behind the front face, where the lock is. A sensor module is one link with its origin in the
/// centre; its force plates are child links, its distance sensors are sites.
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
    for (const ChainSegment& segment : chain_.segments) {
      if (const auto* modules = std::get_if<ChainModule>(&segment.module)) {
        add_modules(*modules, segment.place);
      } else {
        add_sensor_module(std::get<SensorModule>(segment.module), segment.place);
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

    Link& front = add_segment(named("module", number, "a"), half, module, place);
    front.shapes = make_frame(options.front, options, axis, 1.0);
    Link& rear = robot_.links.emplace_back();
    rear.place = place;
    rear.name = named("module", number, "b");
    rear.parent = before_;
    rear.shapes = make_frame(options.rear, options, axis, -1.0);
    // The child link is the rear one. The negative axis makes a positive angle turn the front right-handed.
    rear.joint = Joint{.place = place,
                       .name = joint,
                       .axis = axis == ModuleAxis::kPitch ? Vec3(0.0, -1.0, 0.0) : Vec3(0.0, 0.0, -1.0),
                       .lower = options.lower,
                       .upper = options.upper,
                       .damping = *options.joint_damping,
                       .armature = *options.armature,
                       .initial = *options.initial};
    finish_segment(rear, half);

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

  /// The shapes of a frame, in front of the hinge (`side` = 1) or behind it (-1).
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
    Link& body = add_segment(named("sensor", number), 0.5 * module.size.x(), module, place);
    Shape& box = body.shapes.emplace_back();
    box.geometry = Box{module.size};
    box.material = material;
    box.mass = module.mass;
    box.color = module.color;
    for (std::size_t i = 0; i < module.eyes.size(); ++i) add_eye(module, module.eyes[i], i, body);
    finish_segment(body, 0.5 * module.size.x());
    // Force plates are separate links. Adding them may reallocate the list and invalidate `body`.
    for (std::size_t i = 0; i < module.pads.size(); ++i) {
      ForcePad pad = module.pads[i];
      if (pad.material.empty()) pad.material = material;
      if (!pad.color) pad.color = module.color;
      add_pad(module, pad, i);
    }
  }

  /// "eye2_front", or "eye2_1" for the first sensor of the module if it is not on a face.
  std::string name_on_face(std::string_view stem, std::string_view given, Face face, std::size_t index) const {
    if (!given.empty()) return chain_.prefix + std::string(given);
    const std::string tail =
        face == Face::kFree ? fmt::format("_{}", index + 1) : fmt::format("_{}", text_of(face));
    return named(stem, sensor_modules_, tail);
  }

  void add_eye(const SensorModule& module, const DistanceEye& eye, std::size_t index, Link& body) {
    const std::string name = name_on_face("eye", eye.name, eye.face, index);
    Pose pose = eye.pose;
    if (eye.face != Face::kFree)
      pose = {0.5 * outward(eye.face).cwiseProduct(module.size), face_orientation(eye.face)};
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
      link.joint->position = -0.5 * out.cwiseProduct(size);  // on the face of the module
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

  /// Adds the front link of a segment and joins it to the segment before. Its origin is `half` behind its front
  /// face.
  template <class Segment>
  Link& add_segment(const std::string& name, double half, const Segment& segment, const Place& place) {
    Link& link = robot_.links.emplace_back();
    link.place = place;
    link.name = name;
    link.parent = before_;
    link.pose = rear_ * Pose{Vec3(-half, 0.0, 0.0)};
    const bool is_first = segments_ == 0;
    const bool is_free = is_first && chain_.is_free();
    const bool is_detachable = segment.detachable || (chain_.detachable && !is_first);
    const bool is_measured = segment.measured || (chain_.measured && !is_first);
    if (is_free) link.joint = Joint{.place = place, .name = chain_.prefix + "base", .type = JointType::kFree};
    if (!is_first || (!is_free && (is_detachable || is_measured))) {
      const std::string lock = named("lock", segments_);
      link.joint = Joint{.place = place,
                         .name = lock,
                         .type = JointType::kFixed,
                         .position = Vec3(half, 0.0, 0.0),
                         .detachable = is_detachable};
      if (is_measured) robot_.devices.sensors.push_back(make_device("force", lock, place, {{"joint", lock}}));
      if (is_detachable)
        robot_.devices.actuators.push_back(make_device("lock", lock, place, {{"joint", lock}}));
    }
    if (is_first && chain_.poses == ChainPoses::kHead) add_pose_sensor(chain_.prefix + "head", name, place);
    if (chain_.poses == ChainPoses::kAll) add_pose_sensor(name, name, place);
    before_ = name;
    ++segments_;
    return link;
  }

  /// The next segment is joined to this link, `half` behind its origin.
  void finish_segment(const Link& last, double half) {
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
  std::string before_;  // the link that the next segment is joined to; "" for none
  Pose rear_;           // front face of the next segment, in that link
  std::size_t modules_ = 0;
  std::size_t sensor_modules_ = 0;
  std::size_t segments_ = 0;
};

std::size_t count_segments(const Chain& chain) {
  std::size_t count = static_cast<std::size_t>(chain.modules.value_or(0));
  for (const ChainSegment& segment : chain.segments) {
    const auto* modules = std::get_if<ChainModule>(&segment.module);
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
  // Shapes keep their order. Those given by the user keep their place in the file.
  auto shape = link.shapes.begin();
  for (Element& child : element.children) {
    const auto is_child = [&](const ChildKind<Shape>& kind) { return kind.name == child.name; };
    if (std::none_of(kShapeKinds.begin(), kShapeKinds.end(), is_child)) continue;
    if (!shape->place.file.empty()) set_place(child, shape->place);
    ++shape;
  }
  return element;
}

/// The container of that name, added if it does not exist.
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
      // If only a number or colour is invalid, the names are still known, so other elements may reference them.
      const bool is_sound = diagnostics_.error_count() == errors;
      if (is_sound) check_first(chain, child);
      if (!is_within_limit(chain) || (!is_sound && !are_names_known(child))) {
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
  /// Whether the attributes that determine the generated names have no errors.
  bool are_names_known(const Element& element) const {
    if (diagnostics_.has_error_at(element.place)) return false;
    for (const char* attribute : {"name", "prefix", "modules", "count", "pattern", "axis"}) {
      const Attribute* found = element.find_attribute(attribute);
      if (found != nullptr && diagnostics_.has_error_at(found->place)) return false;
    }
    return std::all_of(element.children.begin(), element.children.end(),
                       [&](const Element& child) { return are_names_known(child); });
  }

  /// The first module of a free chain has no lock. Of several modules in one element the others have one.
  void check_first(const Chain& chain, const Element& element) {
    if (!chain.is_free() || chain.segments.empty()) return;
    const auto* modules = std::get_if<ChainModule>(&chain.segments[0].module);
    if (modules != nullptr && modules->count > 1) return;
    const auto first = std::find_if(element.children.begin(), element.children.end(), [](const Element& child) {
      return child.name == "module" || child.name == "sensor_module";
    });
    for (const char* name : {"detachable", "measured"}) {
      const Attribute* attribute = first->find_attribute(name);
      if (attribute == nullptr || attribute->value != "true") continue;
      diagnostics_.error(
          attribute->place,
          "<{}>: {} does not apply to the first module of a free chain, which has no lock in front",
          first->name, name);
    }
  }

  bool is_within_limit(const Chain& chain) {
    segments_ += count_segments(chain);
    if (segments_ <= kMaxSegments) return true;
    diagnostics_.error(chain.place, "<chain>: all chains together have {} modules; at most {} are allowed",
                       segments_, kMaxSegments);
    return false;
  }

  Diagnostics& diagnostics_;
  std::size_t segments_ = 0;
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
