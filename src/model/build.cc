#include "model/build.h"

#include <cmath>

#include "geometry/heightmap_reader.h"
#include "model/builder_internal.h"
#include "model/kinematics.h"

namespace lockstep {

std::shared_ptr<Model> build_model(const Scenario& scenario, const Assets& assets, Diagnostics& diagnostics) {
  return std::make_shared<Model>(ModelBuilder(scenario, assets, diagnostics).build());
}

Model ModelBuilder::build() {
  add_options();
  check_total_size();
  add_materials();
  add_contact_table();

  BodyModel world;
  world.name = "world";
  model_.bodies.push_back(world);
  claim("body", "world", Place{});  // built in
  add_environment();
  for (const Object& object : scenario_.objects) add_object(object);
  for (const Robot& robot : scenario_.robots) add_robot(robot);
  for (const Robot& robot : scenario_.robots) {
    add_couplings(robot);
    add_exclusions(robot.exclusions, robot.name);
  }
  add_exclusions(scenario_.exclusions, "");
  follow_couplings(model_);
  for (const Robot& robot : scenario_.robots) add_tendons(robot);
  initial_poses_ = calc_initial_poses(model_);
  add_constraints();
  return std::move(model_);
}

bool depends_on_errors(const Model& model, BodyId body, const Diagnostics& diagnostics) {
  for (; index(body) != 0; body = model.body(body).parent) {
    const BodyModel& its = model.body(body);
    if (diagnostics.is_broken(its.place)) return true;
    if (its.joint && diagnostics.is_broken(model.joint(*its.joint).place)) return true;
  }
  return false;
}

void ModelBuilder::add_options() {
  model_.name = scenario_.name;
  model_.step = scenario_.step;
  model_.duration = scenario_.duration;
  model_.gravity = scenario_.gravity;
  model_.seed = scenario_.seed;
  model_.engine = scenario_.engine;
  model_.medium = scenario_.medium;
  // Constraints settle within two steps: the stiffest setting that stays stable.
  const double two_steps = 2.0 * to_seconds(scenario_.step);
  if (!model_.engine.contact_time_constant) model_.engine.contact_time_constant = two_steps;
  if (!model_.engine.constraint_time_constant) model_.engine.constraint_time_constant = two_steps;
  if (scenario_.duration.count() % scenario_.step.count() != 0 && !diagnostics_.is_broken(scenario_.place)) {
    diagnostics_.error(scenario_.place, "scenario: duration {} s is not a multiple of the physics step ({} s)",
                       to_seconds(scenario_.duration), to_seconds(scenario_.step));
  }
}

void ModelBuilder::check_total_size() {
  const std::size_t errors = diagnostics_.error_count();
  std::size_t bodies = scenario_.objects.size();
  std::size_t shapes = 0;
  for (const Object& object : scenario_.objects) shapes += object.shapes.size();
  for (const Robot& robot : scenario_.robots) {
    bodies += robot.links.size();
    for (const Link& link : robot.links) shapes += link.shapes.size();
  }
  if (bodies > kMaxBodies) {
    diagnostics_.error(scenario_.place, "scenario: {} bodies are too many; at most {} can be simulated", bodies,
                       kMaxBodies);
  }
  if (shapes > kMaxShapes) {
    diagnostics_.error(scenario_.place, "scenario: {} shapes are too many; at most {} can be simulated", shapes,
                       kMaxShapes);
  }
  if (scenario_.materials.size() > kMaxMaterials) {
    diagnostics_.error(scenario_.place, "scenario: {} materials are too many; at most {} are allowed",
                       scenario_.materials.size(), kMaxMaterials);
  }
  if (diagnostics_.error_count() > errors) diagnostics_.throw_if_errors();
}

bool ModelBuilder::claim(const char* space, const std::string& name, const Place& place) {
  if (name.find(kNoName) != std::string::npos) return true;  // reported when it was read
  const auto [it, is_new] = claimed_.emplace(std::pair(space, name), place);
  if (!is_new && it->second.file.empty()) {
    diagnostics_.error(place, "the name '{}' is reserved for the static {}", name, space);
  } else if (!is_new) {
    diagnostics_.error(place, "the name '{}' is taken by another {} at {}", name, space, to_string(it->second));
  }
  return is_new;
}

void ModelBuilder::add_materials() {
  Material fallback;
  fallback.name = "default";
  model_.materials.push_back(fallback);
  for (const Material& material : scenario_.materials) {
    if (!claim("material", material.name, material.place)) continue;
    if (material.name == "default") {
      model_.materials[0] = material;
    } else {
      model_.materials.push_back(material);
    }
  }
}

std::optional<MaterialId> ModelBuilder::find_material(const std::string& name) const {
  if (name.empty()) return MaterialId{0};
  for (std::size_t i = 0; i < model_.materials.size(); ++i) {
    if (model_.materials[i].name == name) return MaterialId{static_cast<int>(i)};
  }
  return std::nullopt;
}

MaterialId ModelBuilder::resolve_material(const std::string& name, const Place& place,
                                          const std::string& subject) {
  if (const auto found = find_material(name)) return *found;
  if (diagnostics_.is_missing({"material"}, name)) return MaterialId{0};
  std::vector<std::string> names;
  for (const Material& material : model_.materials) names.push_back(material.name);
  diagnostics_.error(place, "{}: unknown material '{}'{}", subject, name, suggest(name, names));
  return MaterialId{0};
}

void ModelBuilder::add_contact_table() {
  const std::size_t count = model_.materials.size();
  model_.contacts.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const Material& a = model_.materials[i];
      const Material& b = model_.materials[j];
      ContactModel& contact = model_.contacts[i * count + j];
      // sqrt(x * x) may differ from x in the last digit; a material against itself is exactly its own value.
      const auto mean = [&](double x, double y) { return x == y ? x : std::sqrt(x * y); };
      contact.friction = mean(a.friction, b.friction);
      contact.torsional_friction = mean(a.torsional_friction, b.torsional_friction);
      contact.rolling_friction = mean(a.rolling_friction, b.rolling_friction);
      contact.restitution = std::max(a.restitution, b.restitution);
      if (a.stiffness && b.stiffness) {
        contact.stiffness = i == j ? *a.stiffness : *a.stiffness * *b.stiffness / (*a.stiffness + *b.stiffness);
      } else if (a.stiffness || b.stiffness) {
        contact.stiffness = a.stiffness ? a.stiffness : b.stiffness;
      }
    }
  }
  for (const ContactPair& pair : scenario_.contacts) {
    const std::string subject = "material_pair";
    const MaterialId a = resolve_material(pair.a, pair.place, subject);
    const MaterialId b = resolve_material(pair.b, pair.place, subject);
    const auto [low, high] = std::minmax(pair.a, pair.b);
    const auto [first_pair, is_new] =
        claimed_.emplace(std::pair("material_pair", low + "/" + high), pair.place);
    if (!is_new) {
      diagnostics_.error(pair.place, "contact: '{}' with '{}' is given twice; the first is at {}", pair.a,
                         pair.b, to_string(first_pair->second));
      continue;
    }
    for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
      ContactModel& contact = model_.contacts[index(first) * count + index(second)];
      if (pair.friction) contact.friction = *pair.friction;
      if (pair.torsional_friction) contact.torsional_friction = *pair.torsional_friction;
      if (pair.rolling_friction) contact.rolling_friction = *pair.rolling_friction;
      if (pair.restitution) contact.restitution = *pair.restitution;
      if (pair.stiffness) contact.stiffness = pair.stiffness;
      contact.collide = pair.collide;
      contact.firmness = pair.firmness;
    }
  }
}

void ModelBuilder::add_environment() {
  for (const Ground& ground : scenario_.grounds) {
    if (!claim("body", ground.name, ground.place)) continue;
    ShapeModel shape;
    shape.name = ground.name;
    shape.place = ground.place;
    shape.X_BS.p = {0.0, 0.0, ground.height};
    shape.geometry = PlaneGeometry{};
    shape.material = resolve_material(ground.material, ground.place, "ground '" + ground.name + "'");
    shape.color = model_.materials[index(shape.material)].color;
    model_.shapes.push_back(shape);
  }
  for (const Terrain& terrain : scenario_.terrains) {
    if (!claim("body", terrain.name, terrain.place)) continue;
    try {
      model_.heightmaps.push_back(read_heightmap(
          assets_.load(terrain.src, terrain.place, "terrain '" + terrain.name + "'"), terrain.place));
    } catch (const UserError& error) {
      if (!diagnostics_.is_broken(terrain.place) && !diagnostics_.is_missing({}, terrain.src))
        diagnostics_.add_all(error.diagnostics());
      diagnostics_.mark_missing(terrain.name);
      continue;
    }
    ShapeModel shape;
    shape.name = terrain.name;
    shape.place = terrain.place;
    shape.X_BS.p = terrain.position;
    shape.geometry =
        HeightmapGeometry{HeightmapId{static_cast<int>(model_.heightmaps.size()) - 1}, terrain.size};
    shape.material = resolve_material(terrain.material, terrain.place, "terrain '" + terrain.name + "'");
    shape.color = model_.materials[index(shape.material)].color;
    model_.shapes.push_back(shape);
  }
}

void ModelBuilder::add_object(const Object& object) {
  const std::string subject = "object '" + object.name + "'";
  if (!claim("body", object.name, object.place)) return;
  const bool is_broken = diagnostics_.is_broken(object.place);
  if (object.shapes.empty() && !is_broken) {
    diagnostics_.error(object.place,
                       "{}: has no shape; give it a <box>, <sphere>, <capsule>, <cylinder> or <mesh>", subject);
    diagnostics_.mark_broken(object.place);
  }
  if (object.is_static && !is_broken && (!object.velocity.isZero() || !object.angular_velocity.isZero())) {
    diagnostics_.error(object.place, "{}: is static but has a velocity; remove one of them", subject);
  }
  const BodyId body{static_cast<int>(model_.bodies.size())};
  BodyModel& added = model_.bodies.emplace_back();
  added.name = object.name;
  added.X_PB = object.pose;
  added.place = object.place;
  if (!object.is_static) {
    added.mass = calc_mass(object.shapes, object.inertial, subject, object.place, true);
    claim("joint", object.name, object.place);
    const Quat& q = object.pose.q;
    const Vec3& p = object.pose.p;
    const Vec3 spin = q.conjugate() * object.angular_velocity;
    JointModel joint;
    joint.name = object.name;
    joint.type = JointType::kFree;
    joint.body = body;
    joint.initial_position = {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
    joint.initial_velocity = {
        object.velocity.x(), object.velocity.y(), object.velocity.z(), spin.x(), spin.y(), spin.z()};
    joint.place = object.place;
    added.joint = JointId{static_cast<int>(model_.joints.size())};
    model_.joints.push_back(joint);
  }
  add_shapes(object.shapes, body);
  add_sites(object.sites, body, object.name);
}

}  // namespace lockstep
