#include "base/hash.h"
#include "base/units.h"
#include "formats/mrsim/mrsim.h"
#include "scenario/base64.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

constexpr const char* kNoGuid = "00000000-0000-0000-0000-000000000000";

Element make(std::string name, std::string text = "") {
  return {.name = std::move(name), .place = {}, .attributes = {}, .children = {}, .text = std::move(text)};
}
Element make(std::string name, double value) {
  return make(std::move(name), format_number(value));
}
Element make(std::string name, const Vec3& v) {
  Element element = make(std::move(name));
  element.children = {make("x", v.x()), make("y", v.y()), make("z", v.z())};
  return element;
}
Element make(std::string name, const Quat& q) {
  Element element = make(std::move(name));
  element.children = {make("x", q.x()), make("y", q.y()), make("z", q.z()), make("w", q.w())};
  return element;
}

/// Members of the classes in the file, in their order.
class Writer {
 public:
  std::string write(const MrsimScenario& scenario) {
    Element root = make("Scenario");
    root.attributes = {{"xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance", {}},
                       {"xmlns:xsd", "http://www.w3.org/2001/XMLSchema", {}}};
    root.children.push_back(make_robot(scenario));
    if (scenario.scene) root.children.push_back(make_scene(*scenario.scene));
    Element objects = make("sceneObjects");
    for (const MrsimObject& object : scenario.objects) objects.children.push_back(make_object(object));
    root.children.push_back(std::move(objects));
    Element contacts = make("contactFrictions");
    for (const MrsimContact& contact : scenario.contacts) contacts.children.push_back(make_contact(contact));
    root.children.push_back(std::move(contacts));
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + write_element(root);
  }

 private:
  /// Deterministic for the same scenario; only uniqueness matters.
  std::string next_guid() {
    const std::uint64_t a = hash_text(fmt::format("guid {}", guids_));
    const std::uint64_t b = hash_text(fmt::format("second half of guid {}", guids_++));
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, a >> 16 & 0xFFFF, a & 0xFFFF, b >> 48,
                       b & 0xFFFF'FFFF'FFFF);
  }

  static Element in_assembly(std::string name) {
    Element element = make(std::move(name));
    element.attributes = {{"xmlns", "Assembly", {}}};
    return element;
  }

  Element make_robot(const MrsimScenario& scenario) {
    Element robot = make("robot");
    Element modules = in_assembly("modules");
    for (const MrsimModule& module : scenario.modules) modules.children.push_back(make_module(module));
    Element sensor_modules = in_assembly("sensorModules");
    for (const MrsimSensorModule& module : scenario.sensor_modules)
      sensor_modules.children.push_back(make_sensor_module(module));
    Element locks = in_assembly("locks");
    const std::size_t parts = scenario.modules.size() + scenario.sensor_modules.size();
    for (std::size_t i = 1; i < parts; ++i) locks.children.push_back(make_lock("Joint"));
    robot.children = {std::move(modules), std::move(sensor_modules), std::move(locks)};
    return robot;
  }

  Element make_module(const MrsimModule& module) {
    const std::string guids[2] = {next_guid(), next_guid()};
    Element frames = make("frames");
    for (std::size_t i = 0; i < 2; ++i) frames.children.push_back(make_frame(module.frames[i], guids[i]));
    Element joint = make("joint");
    joint.children = {
        make("guid", next_guid()), make("leftFrameGuid", guids[0]),       make("rightFrameGuid", guids[1]),
        make("type", "Hinge"),     make("lowerRangeLimit", module.lower), make("upperRangeLimit", module.upper),
        make("Kp", module.gain),   make("max_vel", module.max_speed)};
    Element element = make("Module");
    element.children = {make("mod_Nr", std::to_string(module.number)),
                        make("position", module.frames[0].position),
                        make("axis", module.is_pitch ? "Pitch" : "Yaw"), std::move(frames), std::move(joint)};
    return element;
  }

  static Element make_frame(const MrsimFrame& frame, const std::string& guid) {
    Element element = make("Frame");
    const double h = 0.70710678118654757;  // the mesh faces along x, the robot along z
    element.children = {make("guid", guid),
                        make("shape", "Box"),
                        make("scale", frame.scale),
                        make("position", frame.position),
                        make("rotation", Vec3(0.0, 270.0, 0.0)),
                        make("quatRotation", Quat(h, 0.0, -h, 0.0)),
                        make("mass", frame.mass),
                        make("isStatic", "false"),
                        make("materialName", frame.material)};
    return element;
  }

  /// Rigid; the settings of its motor have no effect.
  static Element make_lock(std::string name) {
    Element lock = make(std::move(name));
    lock.children = {
        make("guid", kNoGuid),        make("leftFrameGuid", kNoGuid), make("rightFrameGuid", kNoGuid),
        make("lowerRangeLimit", 0.0), make("upperRangeLimit", 0.0),   make("Kp", 3.0),
        make("max_vel", 0.0)};
    return lock;
  }

  Element make_sensor_module(const MrsimSensorModule& module) {
    Element element = make("SensorModule");
    element.children = {make("guid", next_guid()), make("leftMod_Nr", std::to_string(module.before)),
                        make("rightMod_Nr", std::to_string(module.after))};
    if (module.force) {
      element.children.push_back(make_force_sensor(*module.force, module));
      element.children.push_back(make_lock("forceSensorLock"));
    }
    Element sensors = make("distanceSensors"), locks = make("distanceSensorLocks");
    for (const MrsimDistanceSensor& sensor : module.distances) {
      sensors.children.push_back(make_distance_sensor(sensor));
      locks.children.push_back(make_lock("Joint"));
    }
    for (Element& child : std::vector{std::move(sensors), std::move(locks), make("position", module.position),
                                      make("rotation", Vec3(Vec3::Zero())), make("size", module.size),
                                      make("quatRotation", Quat::Identity()), make("mass", module.mass),
                                      make("materialName", module.material)}) {
      element.children.push_back(std::move(child));
    }
    return element;
  }

  Element make_force_sensor(const MrsimForceSensor& sensor, const MrsimSensorModule& module) {
    const Vec3 outward[] = {-Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitX()};
    const Vec3 out = outward[sensor.face];
    Element element = make("forceSensor");
    element.children = {
        make("guid", next_guid()),
        make("forceValue", 0.0),
        make("sensorPosition", std::to_string(sensor.face)),
        make("position", rounded(module.position + out.cwiseProduct(module.size + sensor.size))),
        make("rotation", Quat::Identity()),
        make("materialName", sensor.material),
        make("mass", sensor.mass),
        make("size", sensor.size)};
    return element;
  }

  Element make_distance_sensor(const MrsimDistanceSensor& sensor) {
    // In the order in which MRSim counts them: bottom, left, top, right, front, rear.
    const Vec3 faces[] = {-Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitY(),
                          -Vec3::UnitX(), Vec3::UnitZ(), -Vec3::UnitZ()};
    int face = 4;
    for (int i = 0; i < 6; ++i) {
      if (sensor.direction.dot(faces[i]) > sensor.direction.dot(faces[face])) face = i;
    }
    Element element = make("DistanceSensor");
    element.children = {make("guid", next_guid()),
                        make("sensorPosition", std::to_string(face)),
                        make("position", sensor.position),
                        make("rotation", Vec3(Vec3::Zero())),
                        make("quatRotation", Quat::Identity()),
                        make("mass", sensor.mass),
                        make("size", sensor.size),
                        make("max_rayDistance", sensor.range),
                        make("ray_Direction", sensor.direction),
                        make("ray_Resolution", 0.05)};
    return element;
  }

  Element make_scene(const MrsimScene& scene) {
    Element element = make("scene");
    element.children = {make("guid", next_guid()), make("height_Image", encode_base64(scene.image)),
                        make("materialName", scene.material), make("height", scene.height),
                        make("position", scene.position)};
    return element;
  }

  Element make_object(const MrsimObject& object) {
    Element element = make("SceneObject");
    element.children = {make("guid", next_guid()),
                        make("size", object.size),
                        make("position", object.position),
                        make("rotation", Vec3(Vec3::Zero())),
                        make("quatRotation", object.orientation),
                        make("materialName", object.material),
                        make("shape", object.is_sphere ? "Sphere" : "Box"),
                        make("mass", object.mass),
                        make("isStatic", object.is_static ? "true" : "false")};
    return element;
  }

  static Element make_contact(const MrsimContact& contact) {
    constexpr double kPlastic = 4e9;  // Pa; a scenario has contacts as stiff as the step allows
    Element element = make("ContactFriction");
    element.children = {make("material1", contact.material1), make("material2", contact.material2),
                        make("restitution", contact.restitution), make("friction", contact.friction),
                        make("youngsModulus", kPlastic)};
    return element;
  }

  int guids_ = 0;
};

}  // namespace

std::string write_mrsim(const MrsimScenario& scenario) {
  return Writer().write(scenario);
}

}  // namespace lockstep
