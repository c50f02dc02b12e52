#include <algorithm>

#include "base/text.h"
#include "formats/common/object_reader.h"
#include "formats/mrsim/mrsim.h"
#include "scenario/base64.h"
#include "scenario/document.h"

namespace lockstep {

namespace {

/// Maximum number of modules, sensor modules, objects and contacts.
constexpr std::size_t kMaxItems = 2'000;
constexpr double kMaxMass = 1e9, kMaxGain = 1e6;

/// The file of one scenario.
class MrsimReader {
 public:
  explicit MrsimReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  MrsimScenario read(const Element& root) {
    MrsimScenario scenario;
    ObjectReader reader(root, diagnostics_);
    if (const Element* robot = reader.find("robot")) read_robot(*robot, scenario);
    if (const Element* scene = reader.find("scene", false)) scenario.scene = read_scene(*scene);
    for (const Element* object : limited(reader.list("sceneObjects", "SceneObject")))
      scenario.objects.push_back(read_object(*object));
    for (const Element* contact : limited(reader.list("contactFrictions", "ContactFriction")))
      scenario.contacts.push_back(read_contact(*contact));
    reader.finish();
    return scenario;
  }

 private:
  std::vector<const Element*> limited(std::vector<const Element*> items) {
    if (items.size() <= kMaxItems) return items;
    diagnostics_.error(items[kMaxItems]->place, "there are {} <{}>; at most {} are allowed", items.size(),
                       items[0]->name, kMaxItems);
    items.resize(kMaxItems);
    return items;
  }

  void read_robot(const Element& element, MrsimScenario& scenario) {
    ObjectReader robot(element, diagnostics_);
    for (const Element* module : limited(robot.list("modules", "Module")))
      scenario.modules.push_back(read_module(*module));
    for (const Element* module : limited(robot.list("sensorModules", "SensorModule")))
      scenario.sensor_modules.push_back(read_sensor_module(*module));
    (void)robot.list("locks", "Joint");  // always rigid, one between each two segments: no further information
    robot.skip({"position", "leftFrameDir", "rightFrameDir"});
    robot.finish();
    if (scenario.modules.empty()) diagnostics_.error(element.place, "<robot> contains no <Module>");
    check_order(scenario);
  }

  /// Modules must be numbered 0, 1, 2 …, and sensor modules must reference existing ones.
  void check_order(MrsimScenario& scenario) {
    std::stable_sort(scenario.modules.begin(), scenario.modules.end(),
                     [](const MrsimModule& a, const MrsimModule& b) { return a.number < b.number; });
    const int count = static_cast<int>(scenario.modules.size());
    for (int i = 0; i < count; ++i) {
      const MrsimModule& module = scenario.modules[static_cast<std::size_t>(i)];
      if (module.number == i) continue;
      diagnostics_.error(module.place, "module {}: there is {}; expected numbers from 0 on without gaps",
                         module.number,
                         module.number < i ? "another of that number" : fmt::format("no module {}", i));
      return;
    }
    for (const MrsimSensorModule& module : scenario.sensor_modules) {
      if (module.before + 1 == module.after && module.after <= count) continue;
      // The last one need not have a module behind it.
      if (module.after == -1 && module.before == count - 1) continue;
      diagnostics_.error(module.place,
                         "sensor module between modules {} and {}: the robot has 0 to {}; expected neighbours",
                         module.before, module.after, count - 1);
    }
  }

  MrsimModule read_module(const Element& element) {
    MrsimModule module{.place = element.place};
    ObjectReader reader(element, diagnostics_);
    module.number = reader.integer("mod_Nr", 0, static_cast<int>(kMaxItems));
    reader.skip({"position"});
    const std::string axis = reader.text("axis");
    module.is_pitch = axis == "Pitch";
    if (axis != "Pitch" && axis != "Yaw" && !axis.empty())
      diagnostics_.error(element.place, "module {}: the axis is '{}'; expected 'Pitch' or 'Yaw'", module.number,
                         shown_text(axis));
    const std::vector<const Element*> frames = reader.list("frames", "Frame");
    if (frames.size() != 2) {
      diagnostics_.error(element.place, "module {} has {} <Frame>; expected 2", module.number, frames.size());
    } else {
      for (std::size_t i = 0; i < 2; ++i) module.frames[i] = read_frame(*frames[i]);
    }
    if (const Element* joint = reader.find("joint")) read_joint(*joint, module);
    reader.finish();
    return module;
  }

  MrsimFrame read_frame(const Element& element) {
    MrsimFrame frame;
    ObjectReader reader(element, diagnostics_);
    frame.guid = reader.text("guid");
    frame.scale = reader.number("scale", 1e-6, 1e6);
    frame.position = reader.vector("position");
    frame.mass = reader.number("mass", 1e-9, kMaxMass);
    frame.material = reader.text("materialName");
    if (reader.flag("isStatic"))
      diagnostics_.error(element.place, "<Frame> is static; expected a movable robot");
    frame.has_mesh = std::any_of(element.children.begin(), element.children.end(), [](const Element& child) {
      return child.name == "meshVertices" && !child.children.empty();
    });
    reader.skip({"shape", "rotation", "quatRotation", "meshVertices", "meshUvs", "meshTriangles"});
    reader.finish();
    return frame;
  }

  void read_joint(const Element& element, MrsimModule& module) {
    ObjectReader reader(element, diagnostics_);
    const std::string type = reader.text("type");
    if (type != "Hinge" && !type.empty())
      diagnostics_.error(element.place, "module {}: the joint is a '{}'; expected 'Hinge'", module.number,
                         shown_text(type));
    const char* names[2] = {"leftFrameGuid", "rightFrameGuid"};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string guid = reader.text(names[i]);
      if (guid == module.frames[i].guid || guid.empty()) continue;
      diagnostics_.error(element.place, "module {}: <{}> is '{}'; expected the guid of its frame, '{}'",
                         module.number, names[i], shown_text(guid), shown_text(module.frames[i].guid));
    }
    module.lower = reader.number("lowerRangeLimit", -100.0, 100.0);
    module.upper = reader.number("upperRangeLimit", -100.0, 100.0);
    if (!(module.lower < module.upper))
      diagnostics_.error(element.place, "module {}: the lower limit {} is not below the upper one {}",
                         module.number, module.lower, module.upper);
    module.gain = reader.number("Kp", 1e-6, kMaxGain);
    module.max_speed = reader.number("max_vel", 1e-6, kMaxGain);
    reader.skip({"guid"});
    reader.finish();
  }

  MrsimSensorModule read_sensor_module(const Element& element) {
    MrsimSensorModule module{.place = element.place};
    ObjectReader reader(element, diagnostics_);
    module.before = reader.integer("leftMod_Nr", -1, static_cast<int>(kMaxItems));
    module.after = reader.integer("rightMod_Nr", -1, static_cast<int>(kMaxItems));
    module.position = reader.vector("position");
    module.size = reader.lengths("size");
    module.mass = reader.number("mass", 1e-9, kMaxMass);
    module.material = reader.text("materialName");
    if (const Element* force = reader.find("forceSensor", false)) module.force = read_force_sensor(*force);
    for (const Element* sensor : limited(reader.list("distanceSensors", "DistanceSensor")))
      module.distances.push_back(read_distance_sensor(*sensor));
    reader.skip({"guid", "forceSensorLock", "forceLockPosition", "distanceLockPosition", "distanceSensorLocks",
                 "rotation", "quatRotation"});
    reader.finish();
    return module;
  }

  MrsimForceSensor read_force_sensor(const Element& element) {
    MrsimForceSensor sensor;
    ObjectReader reader(element, diagnostics_);
    sensor.face = reader.integer("sensorPosition", 0, 3);
    sensor.size = reader.lengths("size");
    sensor.mass = reader.number("mass", 1e-9, kMaxMass);
    sensor.material = reader.text("materialName");
    reader.skip({"guid", "forceValue", "position", "rotation"});
    reader.finish();
    return sensor;
  }

  MrsimDistanceSensor read_distance_sensor(const Element& element) {
    MrsimDistanceSensor sensor;
    ObjectReader reader(element, diagnostics_);
    sensor.position = reader.vector("position");
    sensor.size = reader.lengths("size");
    sensor.mass = reader.number("mass", 0.0, kMaxMass);
    sensor.range = reader.number("max_rayDistance", 1e-6, 1e6);
    sensor.direction = reader.vector("ray_Direction");
    if (sensor.direction.norm() < 1e-6) {
      diagnostics_.error(element.place,
                         "<DistanceSensor>: <ray_Direction> has no length; expected a direction");
      sensor.direction = Vec3::UnitZ();
    }
    reader.skip({"guid", "sensorPosition", "rotation", "quatRotation", "ray_Resolution", "hit_distance"});
    reader.finish();
    return sensor;
  }

  MrsimScene read_scene(const Element& element) {
    MrsimScene scene{.place = element.place};
    ObjectReader reader(element, diagnostics_);
    const std::string text = reader.text("height_Image");
    if (const auto image = decode_base64(text)) {
      scene.image.assign(image->begin(), image->end());
    } else {
      diagnostics_.error(element.place, "<height_Image>: its text is not base64: {}", image.error());
    }
    scene.height = reader.number("height", 1e-6, 1e6);
    scene.position = reader.vector("position");
    scene.material = reader.text("materialName");
    reader.skip({"guid", "vertices", "triangles", "uvs"});
    reader.finish();
    return scene;
  }

  MrsimObject read_object(const Element& element) {
    MrsimObject object{.place = element.place};
    ObjectReader reader(element, diagnostics_);
    const std::string shape = reader.text("shape");
    object.is_sphere = shape == "Sphere";
    if (shape != "Sphere" && shape != "Box" && !shape.empty())
      diagnostics_.error(element.place, "<SceneObject>: the shape is '{}'; expected 'Box' or 'Sphere'",
                         shown_text(shape));
    object.size = reader.lengths("size");
    object.position = reader.vector("position");
    object.orientation = reader.quaternion("quatRotation");
    object.mass = reader.number("mass", 1e-9, kMaxMass);
    object.is_static = reader.flag("isStatic");
    object.material = reader.text("materialName");
    reader.skip({"guid", "rotation"});
    reader.finish();
    return object;
  }

  MrsimContact read_contact(const Element& element) {
    MrsimContact contact{.place = element.place};
    ObjectReader reader(element, diagnostics_);
    contact.material1 = reader.text("material1");
    contact.material2 = reader.text("material2");
    contact.restitution = reader.number("restitution", 0.0, 1.0);
    contact.friction = reader.number("friction", 0.0, 1e3);
    reader.skip({"youngsModulus"});
    reader.finish();
    return contact;
  }

  Diagnostics& diagnostics_;
};

}  // namespace

MrsimScenario read_mrsim(const ImportSource& source) {
  const Document document = Document::read_text(source.bytes, source.name, ".");
  const Element root = document.root();
  Diagnostics diagnostics;
  if (root.name != "Scenario")
    throw_user_error(root.place, "the root is <{}>; expected <Scenario> of MRSim", root.name);
  MrsimScenario scenario = MrsimReader(diagnostics).read(root);
  diagnostics.throw_if_errors();
  return scenario;
}

}  // namespace lockstep
