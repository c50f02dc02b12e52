#include <algorithm>
#include <cmath>
#include <numbers>

#include "formats/mrsim/mrsim.h"
#include "geometry/heightmap_reader.h"
#include "geometry/heightmap_writer.h"
#include "scenario/expand_chain.h"
#include "scenario/read.h"

namespace lockstep {

namespace {

/// Edge length of the box that replaces a <ground>, m.
constexpr double kGroundSize = 200.0;

class MrsimExporter {
 public:
  explicit MrsimExporter(const ExportSource& source) : source_(source) {}

  Exported run() {
    const Robot& robot = add_robot();
    for (const Terrain& terrain : source_.scenario.terrains) add_terrain(terrain);
    for (const Ground& ground : source_.scenario.grounds) add_ground(ground);
    for (const Object& object : source_.scenario.objects) add_object(object);
    for (const ContactPair& pair : source_.scenario.contacts) {
      made_.contacts.push_back({.place = pair.place,
                                .material1 = pair.a,
                                .material2 = pair.b,
                                .restitution = pair.restitution.value_or(0.0),
                                .friction = pair.friction.value_or(default_friction(pair))});
    }
    report_.read.push_back(fmt::format(
        "a robot of {} modules and {} sensor modules, {} scene objects, {} contacts", made_.modules.size(),
        made_.sensor_modules.size(), made_.objects.size(), made_.contacts.size()));
    report_.assumed.push_back(
        fmt::format("a length of 1 is {} m, a mass of 1 is {} kg", source_.units.length, source_.units.mass));
    list_losses(robot);
    return {{{"", write_mrsim(made_)}}, std::move(report_)};
  }

 private:
  double length(double value) const { return rounded(value / source_.units.length); }
  double mass(double value) const { return rounded(value / source_.units.mass); }
  Vec3 place(const Vec3& value) const { return rounded(to_mrsim(value) / source_.units.length); }
  Vec3 half_edges(const Vec3& edges) const { return rounded(to_mrsim(edges) / (2.0 * source_.units.length)); }
  static std::string material(const std::string& name) { return name.empty() ? "default" : name; }

  void lose(std::string what) { report_.lost.push_back(std::move(what)); }

  /// The robot with one chain; the format supports only one.
  const Robot& add_robot() {
    const Element* found = nullptr;
    for (const Element& child : source_.root.children) {
      if (child.name != "robot" || !has_chain(child)) continue;
      if (found != nullptr)
        throw_user_error(child.place, "a second robot with a <chain>; MRSim supports one robot");
      found = &child;
    }
    if (found == nullptr)
      throw_user_error(source_.root.place, "there is no robot with a <chain>; MRSim supports no other robots");
    const auto is_chain = [](const Element& child) { return child.name == "chain"; };
    const auto element = std::find_if(found->children.begin(), found->children.end(), is_chain);
    if (std::find_if(element + 1, found->children.end(), is_chain) != found->children.end())
      throw_user_error(found->place, "the robot has several chains; MRSim supports one");

    Diagnostics diagnostics;
    const Chain chain = read_chain(*element, diagnostics);
    diagnostics.throw_if_errors();
    const auto robot =
        std::find_if(source_.scenario.robots.begin(), source_.scenario.robots.end(),
                     [&](const Robot& each) { return each.name == found->find_attribute("name")->value; });
    add_chain(chain, *robot);
    return *robot;
  }

  void add_chain(const Chain& chain, const Robot& robot) {
    const Pose X_WC = robot.pose * chain.pose;
    if (X_WC.q.angularDistance(Quat::Identity()) > 1e-9)
      lose("the orientation of the robot: in MRSim it faces along z");
    front_ = X_WC.p;
    default_ = completed(chain.options, default_module());
    pattern_ = read_pattern(chain.pattern);
    if (chain.modules) add_modules({.count = *chain.modules});
    for (const ChainSegment& segment : chain.segments) {
      if (const auto* modules = std::get_if<ChainModule>(&segment.module)) {
        add_modules(*modules);
      } else {
        add_sensor_module(std::get<SensorModule>(segment.module));
      }
    }
    if (chain.detachable || chain.measured) lose("detachable and measured locks: in MRSim they are rigid");
  }

  /// The middle of the next segment, which has this length.
  Vec3 next_middle(double length) {
    const Vec3 middle = front_ - Vec3(end_ + 0.5 * length, 0.0, 0.0);
    end_ += length;
    return middle;
  }

  void add_modules(const ChainModule& modules) {
    const ModuleOptions options = completed(modules.options, default_);
    const double scale = rounded(options.size->x() / (kMrsimModuleSize.x() * source_.units.length));
    const Vec3 proportions = rounded(*options.size / options.size->x() * kMrsimModuleSize.x());
    if (!proportions.isApprox(kMrsimModuleSize, 1e-6))
      lose("width and height of modules: MRSim scales its own frames");
    if (options.front || options.rear) lose("shapes of frames: MRSim keeps meshes in other files");
    for (std::int64_t i = 0; i < modules.count; ++i) {
      MrsimModule& made = made_.modules.emplace_back();
      made.number = static_cast<int>(made_.modules.size()) - 1;
      const ModuleAxis by_pattern = pattern_[static_cast<std::size_t>(made.number) % pattern_.size()];
      made.is_pitch = (modules.axis == ModuleAxis::kPattern ? by_pattern : modules.axis) == ModuleAxis::kPitch;
      const Vec3 position = place(next_middle(options.size->x()));
      for (MrsimFrame& frame : made.frames) {
        frame.scale = scale;
        frame.position = position;
        frame.mass = mass(0.5 * *options.mass);
        frame.material = material(options.material);
      }
      made.lower = *options.lower;
      made.upper = *options.upper;
      made.gain = *options.gain;
      made.max_speed = *options.max_speed;
    }
  }

  void add_sensor_module(const SensorModule& module) {
    MrsimSensorModule& made = made_.sensor_modules.emplace_back();
    const Vec3 middle = next_middle(module.size.x());
    made.before = static_cast<int>(made_.modules.size()) - 1;
    made.after = made.before + 1;
    made.position = place(middle);
    made.size = half_edges(module.size);
    made.mass = mass(module.mass);
    made.material = material(module.material.empty() ? default_.material : module.material);
    for (const ForcePad& pad : module.pads) {
      if (made.force || pad.face > Face::kRight) {
        lose("force sensors beyond one per sensor module, and on other faces than bottom, left, top and right");
        continue;
      }
      made.force.emplace();
      made.force->face = static_cast<int>(pad.face);
      made.force->size = half_edges(pad.size.value_or(default_pad_size(module.size, pad.face)));
      made.force->mass = mass(pad.mass);
      made.force->material = pad.material.empty() ? made.material : pad.material;
    }
    for (const DistanceEye& eye : module.eyes) {
      MrsimDistanceSensor& sensor = made.distances.emplace_back();
      sensor.position = place(eye.face == Face::kFree ? Vec3(middle + eye.pose.p) : middle);
      sensor.direction =
          rounded(to_mrsim(eye.face == Face::kFree ? Vec3(eye.pose.q * Vec3::UnitX()) : outward(eye.face)));
      sensor.range = length(eye.range);
      sensor.mass = mass(eye.mass);
      sensor.size = half_edges(eye.size);
    }
  }

  void add_terrain(const Terrain& terrain) {
    if (made_.scene) return lose(fmt::format("terrain '{}': MRSim supports one", terrain.name));
    const std::vector<std::uint8_t> bytes = source_.assets.load(terrain.src, terrain.place, "terrain");
    const Heightmap turned = read_heightmap(bytes, terrain.place);
    Heightmap heights{turned.columns, turned.rows, std::vector<float>(turned.heights.size())};
    for (std::size_t row = 0; row < heights.rows; ++row) {
      for (std::size_t column = 0; column < heights.columns; ++column) {
        heights.heights[(heights.rows - 1 - row) * heights.columns + column] =
            turned.heights[column * turned.columns + row];
      }
    }
    MrsimScene& scene = made_.scene.emplace();
    scene.image = write_heightmap(heights);
    scene.height = length(terrain.size.z());
    scene.position = place(terrain.position - Vec3(0.5 * terrain.size.x(), 0.5 * terrain.size.y(), 0.0));
    scene.material = material(terrain.material);
    const Vec3 spacing(terrain.size.x() / static_cast<double>(heights.rows - 1),
                       terrain.size.y() / static_cast<double>(heights.columns - 1), 0.0);
    if (!spacing.isApprox(Vec3(source_.units.length, source_.units.length, 0.0), 1e-6))
      lose("the extent of the terrain: in MRSim the pixel spacing is 1");
  }

  void add_ground(const Ground& ground) {
    const double thickness = 1.0;
    made_.objects.push_back({.place = ground.place,
                             .size = half_edges({kGroundSize, kGroundSize, thickness}),
                             .position = place({0.0, 0.0, ground.height - 0.5 * thickness}),
                             .is_static = true,
                             .material = material(ground.material)});
    report_.assumed.push_back(fmt::format("the ground is a box of {} m", kGroundSize));
  }

  void add_object(const Object& object) {
    const bool is_plain = object.shapes.size() == 1 && object.shapes[0].pose == Pose{} && !object.inertial;
    const Shape* shape = is_plain ? &object.shapes[0] : nullptr;
    const auto* box = shape == nullptr ? nullptr : std::get_if<Box>(&shape->geometry);
    const auto* sphere = shape == nullptr ? nullptr : std::get_if<Sphere>(&shape->geometry);
    if (box == nullptr && sphere == nullptr)
      return lose(fmt::format("object '{}': MRSim supports boxes and spheres", object.name));
    MrsimObject& made = made_.objects.emplace_back();
    made.place = object.place;
    made.is_sphere = sphere != nullptr;
    made.size = box != nullptr ? half_edges(box->size) : Vec3(Vec3::Constant(length(sphere->radius)));
    made.position = place(object.pose.p);
    const Vec3 axis = to_mrsim(object.pose.q.vec());
    made.orientation = Quat(object.pose.q.w(), axis.x(), axis.y(), axis.z());
    made.is_static = object.is_static;
    made.material = material(shape->material);
    made.mass = mass(shape->mass.value_or(calc_mass(object, box, sphere)));
    if (!object.velocity.isZero() || !object.angular_velocity.isZero())
      lose(fmt::format("object '{}': its velocity", object.name));
  }

  double calc_mass(const Object& object, const Box* box, const Sphere* sphere) const {
    const Shape& shape = object.shapes[0];
    const double volume =
        box != nullptr ? box->size.prod() : 4.0 / 3.0 * std::numbers::pi * std::pow(sphere->radius, 3);
    return volume * shape.density.value_or(find_material(shape.material).density);
  }

  Material find_material(const std::string& name) const {
    for (const Material& known : source_.scenario.materials) {
      if (known.name == material(name)) return known;
    }
    return {};
  }

  double default_friction(const ContactPair& pair) const {
    return std::sqrt(find_material(pair.a).friction * find_material(pair.b).friction);
  }

  void list_losses(const Robot& robot) {
    const Scenario& all = source_.scenario;
    const auto count = [&](std::size_t number, const char* what) {
      if (number > 0) lose(fmt::format("{} {}", number, what));
    };
    count(all.robots.size() - 1, "robots that are not a chain");
    count(robot.devices.controllers.size() + all.devices.controllers.size(), "controllers");
    count(all.devices.sensors.size() + all.devices.actuators.size() + all.devices.observers.size() +
              robot.devices.observers.size() + robot.devices.connections.size() +
              all.devices.connections.size(),
          "devices");
    count(all.events.size(), "events");
    count(all.springs.size() + all.ropes.size() + all.loops.size(), "springs, ropes and loops");
    lose("step, engine, medium, colours, stiffness and torque of servos");
  }

  const ExportSource& source_;
  MrsimScenario made_;
  FormatReport report_;
  ModuleOptions default_;
  std::vector<ModuleAxis> pattern_;
  Vec3 front_ = Vec3::Zero();  // of the chain, in the world
  double end_ = 0.0;           // distance of the last segment's rear face behind front_
};

}  // namespace

Exported export_mrsim(const ExportSource& source) {
  return MrsimExporter(source).run();
}

}  // namespace lockstep
