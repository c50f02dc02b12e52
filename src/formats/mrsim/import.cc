#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/common/names.h"
#include "formats/mrsim/mrsim.h"
#include "geometry/heightmap_reader.h"
#include "geometry/heightmap_writer.h"
#include "scenario/base64.h"
#include "scenario/write.h"

namespace lockstep {

double rounded(double value) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 11);
  double result = 0.0;
  std::from_chars(text, written.ptr, result);
  return result;
}

Vec3 rounded(const Vec3& value) {
  return {rounded(value.x()), rounded(value.y()), rounded(value.z())};
}

namespace {

constexpr const char* kImagePath = "heights.png";

class MrsimImporter {
 public:
  MrsimImporter(const MrsimScenario& from, const ImportSource& source) : from_(from), units_(source.units) {
    scenario_.name = "mrsim";
    scenario_.description = "Imported from MRSim.";
  }

  Imported run() {
    report_.assumed.push_back(fmt::format("a length of 1 is {} m, a mass of 1 is {} kg, angles are in rad",
                                          units_.length, units_.mass));
    report_.assumed.push_back("y is up, robots face along z: rotated to z up and x forward");
    add_robot();
    if (from_.scene) add_terrain(*from_.scene);
    for (const MrsimObject& object : from_.objects) add_object(object);
    if (!from_.objects.empty()) {
      report_.read.push_back(fmt::format("{} scene objects", from_.objects.size()));
      report_.assumed.push_back("sizes are half edges and radii, as in its engine");
    }
    add_contacts();
    report_.lost.push_back("guids; Euler angles, which duplicate the quaternions");
    report_.lost.push_back(
        "the file has no motion: the robot does not move without a controller such as <gait>");
    Element root = write_scenario_element(scenario_, Defaults::kOmit);
    for (Element& child : root.children) {
      if (child.name == "robot") child.children.push_back(write_chain_element(chain_, Defaults::kOmit));
    }
    return {std::move(root), std::move(report_)};
  }

 private:
  double length(double value) const { return rounded(value * units_.length); }
  Vec3 place(const Vec3& value) const { return rounded(from_mrsim(value) * units_.length); }
  Vec3 edges(const Vec3& half) const { return rounded(2.0 * units_.length * from_mrsim(half)); }
  double mass(double value) const { return rounded(value * units_.mass); }

  std::string material(const std::string& given) {
    const std::string name = made_name(given);
    const auto has_name = [&](const Material& known) { return known.name == name; };
    if (std::none_of(scenario_.materials.begin(), scenario_.materials.end(), has_name))
      scenario_.materials.emplace_back().name = name;
    return name;
  }

  void add_robot() {
    Robot& robot = scenario_.robots.emplace_back();
    robot.name = "robot";
    const ModuleOptions common = options_of(from_.modules.front());
    chain_.options = common;
    for (std::size_t i = 0; i <= from_.modules.size(); ++i) {
      for (const MrsimSensorModule& module : from_.sensor_modules) {
        if (module.before + 1 == static_cast<int>(i)) chain_.segments.push_back(make_sensor_module(module));
      }
      if (i < from_.modules.size()) chain_.segments.push_back(make_module(from_.modules[i], common));
    }
    set_place(robot);
    report_.read.push_back(fmt::format("a robot of {} modules and {} sensor modules", from_.modules.size(),
                                       from_.sensor_modules.size()));
    report_.assumed.push_back(
        fmt::format("frames are boxes: a module of scale 1 is {} long, {} wide and {} high",
                    kMrsimModuleSize.x(), kMrsimModuleSize.y(), kMrsimModuleSize.z()));
    report_.assumed.push_back("it is straight: rotations of frames and sensor modules are ignored");
    report_.assumed.push_back("servos have the default stiffness, damping and torque limit of a <chain>");
    const auto has_mesh = [](const MrsimModule& module) {
      return module.frames[0].has_mesh || module.frames[1].has_mesh;
    };
    if (std::any_of(from_.modules.begin(), from_.modules.end(), has_mesh))
      report_.lost.push_back("meshes of the frames: save them as files and add them in <front> and <rear>");
    report_.lost.push_back("steps of the rays (ray_Resolution): rays are exact");
  }

  ModuleOptions options_of(const MrsimModule& module) {
    const MrsimFrame &front = module.frames[0], &rear = module.frames[1];
    ModuleOptions options;
    options.size = rounded(front.scale * units_.length * kMrsimModuleSize);
    options.mass = mass(front.mass + rear.mass);
    options.material = material(front.material);
    options.lower = rounded(module.lower);
    options.upper = rounded(module.upper);
    options.gain = rounded(module.gain);
    options.max_speed = rounded(module.max_speed);
    if (front.scale != rear.scale || front.mass != rear.mass || front.material != rear.material) {
      report_.lost.push_back(fmt::format(
          "module {}: its frames differ; both get the properties of the front one, the mass is shared",
          module.number));
    }
    return options;
  }

  ChainSegment make_module(const MrsimModule& module, const ModuleOptions& common) {
    ChainModule made{.axis = module.is_pitch ? ModuleAxis::kPitch : ModuleAxis::kYaw};
    ModuleOptions options = options_of(module);
    const auto keep = [&](auto member) {
      if (options.*member != common.*member) made.options.*member = options.*member;
    };
    keep(&ModuleOptions::size);
    keep(&ModuleOptions::material);
    for (const auto member : {&ModuleOptions::mass, &ModuleOptions::lower, &ModuleOptions::upper,
                              &ModuleOptions::gain, &ModuleOptions::max_speed}) {
      keep(member);
    }
    return {.place = module.place, .module = made};
  }

  ChainSegment make_sensor_module(const MrsimSensorModule& module) {
    SensorModule made;
    made.size = edges(module.size);
    made.mass = mass(module.mass);
    made.material = material(module.material);
    if (module.force) {
      ForcePad& pad = made.pads.emplace_back();
      pad.face = static_cast<Face>(module.force->face);
      pad.size = edges(module.force->size);
      pad.mass = mass(module.force->mass);
      pad.material = material(module.force->material);
    }
    for (const MrsimDistanceSensor& sensor : module.distances) {
      DistanceEye& eye = made.eyes.emplace_back();
      const Vec3 direction = from_mrsim(sensor.direction).normalized();
      eye.face = face_towards(direction);
      if (eye.face == Face::kFree) {
        eye.pose.p = place(sensor.position - module.position);
        eye.pose.q = rotation_between(Vec3::UnitX(), direction);
      }
      eye.range = length(sensor.range);
      eye.mass = mass(sensor.mass);
      eye.size = edges(sensor.size);
    }
    if (!module.distances.empty() && !has_eyes_) {
      has_eyes_ = true;
      report_.assumed.push_back(
          "distance sensors measure from the face they point at, and also see terrain; MRSim measured from the "
          "middle");
    }
    return {.place = module.place, .module = made};
  }

  static Face face_towards(const Vec3& direction) {
    constexpr double kSinglePrecision = 1e-6;
    const std::pair<Face, Vec3> faces[] = {
        {Face::kFront, Vec3::UnitX()}, {Face::kRear, -Vec3::UnitX()},   {Face::kLeft, Vec3::UnitY()},
        {Face::kTop, Vec3::UnitZ()},   {Face::kBottom, -Vec3::UnitZ()}, {Face::kRight, -Vec3::UnitY()},
    };
    for (const auto& [face, out] : faces) {
      if ((direction - out).norm() < kSinglePrecision) return face;
    }
    return Face::kFree;
  }

  /// The robot is at the position of its first segment. The others follow from the lengths; deviations in the
  /// file are reported.
  void set_place(Robot& robot) {
    double end = 0.0;  // length of the segments so far
    double off = 0.0;
    Vec3 front = Vec3::Zero();
    std::size_t module = 0, sensor_module = 0;
    const auto follow = [&](const Vec3& at, double part_length) {
      const Vec3 middle = from_mrsim(at) * units_.length;
      if (end == 0.0) front = middle + Vec3(0.5 * part_length, 0.0, 0.0);
      off = std::max(off, (front - Vec3(end + 0.5 * part_length, 0.0, 0.0) - middle).norm());
      end += part_length;
    };
    std::vector<const MrsimSensorModule*> sorted;
    for (int i = -1; i < static_cast<int>(from_.modules.size()); ++i) {
      for (const MrsimSensorModule& each : from_.sensor_modules) {
        if (each.before == i) sorted.push_back(&each);
      }
    }
    for (const ChainSegment& segment : chain_.segments) {
      if (const auto* made = std::get_if<SensorModule>(&segment.module)) {
        follow(sorted[sensor_module++]->position, made->size.x());
      } else {
        const ModuleOptions& own = std::get<ChainModule>(segment.module).options;
        const Vec3 size = own.size.value_or(*chain_.options.size);
        follow(from_.modules[module++].frames[0].position, size.x());
      }
    }
    robot.pose.p = rounded(front);
    constexpr double kNoticeable = 1e-3;  // of a module's length
    if (off > kNoticeable * chain_.options.size->x()) {
      report_.lost.push_back(
          fmt::format("positions of the modules: up to {:.3g} m off a straight chain of their lengths", off));
    }
  }

  void add_terrain(const MrsimScene& scene) {
    const Heightmap heights = read_image(scene);
    Heightmap turned{heights.columns, heights.rows, std::vector<float>(heights.heights.size())};
    for (std::size_t row = 0; row < heights.rows; ++row) {  // from the top of the image, along z
      for (std::size_t column = 0; column < heights.columns; ++column) {
        turned.heights[column * heights.rows + row] =
            heights.heights[(heights.rows - 1 - row) * heights.columns + column];
      }
    }
    scenario_.files.push_back(
        {.place = scene.place, .path = kImagePath, .data = encode_base64(write_heightmap(turned))});
    Terrain& terrain = scenario_.terrains.emplace_back();
    terrain.place = scene.place;
    terrain.src = kImagePath;
    terrain.material = material(scene.material);
    terrain.size = {length(static_cast<double>(heights.rows - 1)),
                    length(static_cast<double>(heights.columns - 1)), length(scene.height)};
    terrain.position =
        rounded(place(scene.position) + Vec3(0.5 * terrain.size.x(), 0.5 * terrain.size.y(), 0.0));
    report_.read.push_back(fmt::format("a terrain of {} by {} heights", heights.columns, heights.rows));
    report_.assumed.push_back(
        "the pixel spacing of the height image is 1, the first pixel is at the position of the scene");
  }

  /// A PNG, or a square of bytes.
  static Heightmap read_image(const MrsimScene& scene) {
    const std::string& bytes = scene.image;
    if (bytes.starts_with("\x89PNG"))
      return read_heightmap({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, scene.place);
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(bytes.size()))));
    if (side < 2 || side * side != bytes.size() || bytes.size() > kMaxHeightmapCells) {
      throw_user_error(scene.place,
                       "<height_Image>: {} bytes are neither a PNG nor a square of grey values; expected one "
                       "of them (save other images as PNG)",
                       bytes.size());
    }
    Heightmap map{side, side, std::vector<float>(bytes.size())};
    for (std::size_t row = 0; row < side; ++row) {
      for (std::size_t column = 0; column < side; ++column) {
        const auto value = static_cast<unsigned char>(bytes[row * side + column]);
        map.heights[(side - 1 - row) * side + column] = static_cast<float>(value / 255.0);
      }
    }
    return map;
  }

  void add_object(const MrsimObject& object) {
    Object& made = scenario_.objects.emplace_back();
    made.place = object.place;
    made.name = fmt::format("object{}", scenario_.objects.size());
    made.is_static = object.is_static;
    made.pose.p = place(object.position);
    const Vec3 axis = from_mrsim(object.orientation.vec());
    made.pose.q = Quat(object.orientation.w(), axis.x(), axis.y(), axis.z());
    Shape& shape = made.shapes.emplace_back();
    shape.place = object.place;
    shape.material = material(object.material);
    shape.mass = mass(object.mass);
    if (object.is_sphere) {
      shape.geometry = Sphere{length(object.size.x())};
    } else {
      shape.geometry = Box{edges(object.size)};
    }
  }

  void add_contacts() {
    for (const MrsimContact& contact : from_.contacts) {
      ContactPair& pair = scenario_.contacts.emplace_back();
      pair.place = contact.place;
      pair.a = material(contact.material1);
      pair.b = material(contact.material2);
      pair.friction = rounded(contact.friction);
      pair.restitution = rounded(contact.restitution);
    }
    report_.read.push_back(fmt::format("{} materials and {} contacts between them", scenario_.materials.size(),
                                       from_.contacts.size()));
    report_.assumed.push_back("materials without a contact have the default friction");
    if (!from_.contacts.empty())
      report_.lost.push_back("Young's moduli: contacts are as stiff as the step allows");
  }

  const MrsimScenario& from_;
  FileUnits units_;
  Scenario scenario_;
  Chain chain_;  // of the robot
  FormatReport report_;
  bool has_eyes_ = false;
};

}  // namespace

Imported import_mrsim(const ImportSource& source) {
  const MrsimScenario from = read_mrsim(source);
  return MrsimImporter(from, source).run();
}

}  // namespace lockstep
