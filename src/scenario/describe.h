#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "scenario/controllers_doc.h"
#include "scenario/describe_body.h"
#include "scenario/describe_study.h"
#include "scenario/fields.h"
#include "scenario/scenario.h"

/// Elements of a scenario. See lockstep/fields.h for how these functions are used, describe_body.h for bodies.
namespace lockstep {

inline constexpr std::array<std::pair<std::string_view, Integrator>, 3> kIntegrators = {{
    {"euler", Integrator::kEuler},
    {"implicit", Integrator::kImplicit},
    {"rk4", Integrator::kRk4},
}};
template <class V>
void describe(V& v, EngineOptions& e) {
  v.name("name", e.name, {.doc = "Name of the physics engine."});
  v.choice(
      "integrator", e.integrator, kIntegrators,
      {.doc =
           "euler: fast, for contacts, energy does not drift. implicit: also for strong damping of springs and "
           "ropes. rk4: four times the cost, for accuracy without contacts. Joint damping may have any "
           "strength "
           "with each."});
  v.integer("iterations", e.iterations,
            {.min = 1, .max = 10'000, .doc = "Maximum solver iterations per step."});
  v.number("tolerance", e.tolerance,
           {.min = 0.0, .max = 1.0, .doc = "Error at which the solver stops earlier."});
  v.number("contact_time_constant", e.contact_time_constant,
           {.unit = "s",
            .min = 0.0,
            .max = 10.0,
            .above_min = true,
            .doc = "Time constant in which a penetration is corrected. Default: 2 steps."});
  v.number(
      "contact_damping_ratio", e.contact_damping_ratio,
      {.min = 0.0,
       .max = 100.0,
       .above_min = true,
       .doc =
           "1 is critical damping of a contact at rest. With a time constant of more than 2 steps, less than 2 "
           "rebounds."});
  v.number(
      "constraint_time_constant", e.constraint_time_constant,
      {.unit = "s",
       .min = 0.0,
       .max = 10.0,
       .above_min = true,
       .doc = "Time constant in which errors of loops, limits and locks are corrected. Default: 2 steps."});
  v.number("constraint_damping_ratio", e.constraint_damping_ratio,
           {.min = 0.0, .max = 100.0, .above_min = true, .doc = "1 is critical damping."});
  v.number(
      "energy_bound", e.energy_bound,
      {.min = 0.0,
       .max = 1e6,
       .doc = "Ends the run if the energy grows without a cause by more than this share of the energy that the "
              "bodies have and have exchanged. 0: never."});
  v.engine_children(EngineHost::kEngine, e.own);
}

template <class V>
void describe(V& v, Medium& m) {
  v.number("air_density", m.air_density,
           {.unit = "kg/m^3", .min = 0.0, .doc = "0 means vacuum; air at sea level has 1.2."});
  v.number("air_viscosity", m.air_viscosity, {.unit = "Pa*s", .min = 0.0, .doc = "Air has 1.8e-5."});
  v.vector("wind", m.wind, {.unit = "m/s", .min = -1e3, .max = 1e3, .doc = "Velocity of the air."});
  v.number("water_level", m.water_level, {.unit = "m", .doc = "Height of the surface. Default: no water."});
  v.number("water_density", m.water_density,
           {.unit = "kg/m^3", .min = 0.0, .above_min = true, .doc = "Of the water."});
  v.number("water_viscosity", m.water_viscosity, {.unit = "Pa*s", .min = 0.0, .doc = "Of the water."});
  v.vector("current", m.current, {.unit = "m/s", .min = -1e3, .max = 1e3, .doc = "Velocity of the water."});
}

template <class V>
void describe(V& v, Material& m) {
  v.name("name", m.name,
         {.doc = "Name that shapes use; 'default' changes the built-in material.", .required = true});
  v.number("density", m.density, {.unit = "kg/m^3", .min = 0.0, .above_min = true, .doc = "Density."});
  v.number("friction", m.friction,
           {.min = 0.0, .max = 1e3, .doc = "Coulomb coefficient against the same material."});
  v.number(
      "torsional_friction", m.torsional_friction,
      {.unit = "m", .min = 0.0, .doc = "Resists turning about the contact normal: torque per normal force."});
  v.number("rolling_friction", m.rolling_friction,
           {.unit = "m", .min = 0.0, .doc = "Resists rolling: torque per normal force."});
  v.number(
      "restitution", m.restitution,
      {.min = 0.0, .max = 1.0, .doc = "Speed after a bounce over speed before it, against the same material."});
  v.number("stiffness", m.stiffness,
           {.unit = "N/m",
            .min = 0.0,
            .max = kMaxStiffness,
            .above_min = true,
            .doc = "Of a contact. Default: as stiff as the step allows."});
  v.color("color", m.color, {.doc = "Default colour of shapes."});
}

template <class V>
void describe(V& v, ContactPair& c) {
  v.text("a", c.a, {.doc = "Material.", .required = true});
  v.text("b", c.b, {.doc = "Material; may be the same.", .required = true});
  v.number("friction", c.friction,
           {.min = 0.0, .max = 1e3, .doc = "Default: geometric mean of the two materials."});
  v.number("torsional_friction", c.torsional_friction,
           {.unit = "m", .min = 0.0, .doc = "Default: geometric mean of the two materials."});
  v.number("rolling_friction", c.rolling_friction,
           {.unit = "m", .min = 0.0, .doc = "Default: geometric mean of the two materials."});
  v.number("restitution", c.restitution, {.min = 0.0, .max = 1.0, .doc = "Default: the larger of the two."});
  v.number("stiffness", c.stiffness,
           {.unit = "N/m",
            .min = 0.0,
            .max = kMaxStiffness,
            .above_min = true,
            .doc = "Default: the two in series."});
  v.flag("collide", c.collide, {.doc = "Whether they collide."});
  describe(v, c.firmness);
  v.engine_children(EngineHost::kContact, c.firmness.own);
}

template <class V>
void describe(V& v, Ground& g) {
  v.name("name", g.name, {.doc = "Name of the ground."});
  v.text("material", g.material, {.doc = "Name of a <material>; empty for the built-in one."});
  v.number("height", g.height, {.unit = "m", .doc = "Height z of the plane."});
}

template <class V>
void describe(V& v, Terrain& t) {
  v.name("name", t.name, {.doc = "Name of the terrain."});
  v.text(
      "src", t.src,
      {.doc =
           "PNG of 8 or 16 bit, relative to the file this is in. White is the highest. Its upper row is at the "
           "largest y, its left column at the smallest x.",
       .required = true});
  v.vector("size", t.size,
           {.unit = "m",
            .min = 0.0,
            .max = 1e6,
            .above_min = true,
            .doc = "Extent in x and y, and the height of white over black.",
            .required = true});
  v.vector("position", t.position, {.unit = "m", .doc = "Of the centre, at the height of black."});
  v.text("material", t.material, {.doc = "Name of a <material>; empty for the built-in one."});
}

template <class V>
void describe(V& v, Object& o) {
  v.name("name", o.name, {.doc = "Name of the object.", .required = true});
  v.flag("static", o.is_static, {.doc = "Whether it never moves."});
  v.pose(o.pose, {.doc = "Origin in the world."});
  if (V::kIsSchema || !o.is_static) {
    v.vector("velocity", o.velocity, {.unit = "m/s", .doc = "Initial velocity of the origin, world axes."});
    v.vector("angular_velocity", o.angular_velocity, {.unit = "rad/s", .doc = "Initial, world axes."});
  } else {
    v.no_meaning("velocity", "a static object");
    v.no_meaning("angular_velocity", "a static object");
  }
  v.children(kShapeKinds, o.shapes);
  v.child("inertial", o.inertial, {.doc = "Mass properties, instead of computing them from the shapes."});
  v.children("site", o.sites, {.doc = "A named frame for devices and springs."});
}

/// Shared by all places where the element may appear: an element name has one meaning.
inline constexpr std::string_view kConnectionsDoc =
    "Controllers outside the process: each reads signals and writes commands over a connection.";
inline constexpr std::string_view kLoopDoc =
    "Closes a kinematic loop between two sites; outside a <robot> they are given by full name.";
inline constexpr std::string_view kExcludeDoc =
    "Two links or objects that never touch each other; outside a <robot> they are given by full name.";
inline constexpr std::string_view kSpringDoc =
    "A spring and damper between two sites, which pulls and pushes; outside a <robot> they are given by full "
    "name.";

template <class V>
void describe(V& v, Devices& d) {
  v.container("sensors", d.sensors, {.doc = "Devices that measure the world and write signals."});
  v.container("actuators", d.actuators, {.doc = "Devices that read signals and act on the world."});
  v.container("controllers", d.controllers, {.doc = kControllersDoc});
  v.container("connections", d.connections, {.doc = kConnectionsDoc});
  v.container("subsystems", d.subsystems,
              {.doc = "Solvers beside the rigid bodies: fluids, heat, hydraulics."});
  v.container("observers", d.observers,
              {.doc = "Devices that log, record and count without affecting the simulation."});
}

template <class V>
void describe(V& v, Robot& r) {
  v.name("name", r.name, {.doc = "Name of the robot; all its signals begin with it.", .required = true});
  v.pose(r.pose, {.doc = "Origin in the world."});
  v.flag("self_collide", r.self_collide,
         {.doc = "Whether its links touch each other; neighbouring links never do."});
  v.children("link", r.links, {.doc = "One rigid body of the robot."});
  v.children("loop", r.loops, {.doc = kLoopDoc});
  v.children("coupling", r.couplings, {.doc = "Makes a joint follow another, like a gear."});
  v.children("tendon", r.tendons, {.doc = "A cable over pulleys on joints, for an actuator or as a spring."});
  v.children("exclude", r.exclusions, {.doc = kExcludeDoc});
  v.children("spring", r.springs, {.doc = kSpringDoc});
  v.children("rope", r.ropes, {.doc = "Like a spring, but it only pulls."});
  describe(v, r.devices);
}

inline constexpr std::array<std::pair<std::string_view, EventAction>, 7> kEventActions = {{
    {"set", EventAction::kSetSignal},
    {"detach", EventAction::kDetach},
    {"attach", EventAction::kAttach},
    {"push", EventAction::kPush},
    {"stop", EventAction::kStop},
    {"fault", EventAction::kFault},
    {"repair", EventAction::kRepair},
}};

/// What an event does, without its time.
template <class V>
void describe_action(V& v, ScheduledEvent& e) {
  const bool is_action_known =
      v.choice("action", e.action, kEventActions,
               {.doc = "set: gives a signal a value. detach, attach: a joint. push: applies a force to a body. "
                       "stop: ends the run. fault, repair: switches a <fault> on, off.",
                .required = true});
  v.integer("priority", e.priority,
            {.min = -1e6, .max = 1e6, .doc = "Events of the same step run from high to low priority."});

  const std::string holder =
      fmt::format("the action '{}'", kEventActions[static_cast<std::size_t>(e.action)].first);
  // The schema lists the attributes of all actions. An unknown action is one error, not one per attribute.
  const bool takes_all = V::kIsSchema || !is_action_known;
  const bool has_target = takes_all || e.action != EventAction::kStop;
  const bool has_value = takes_all || e.action == EventAction::kSetSignal;
  const bool has_force = takes_all || e.action == EventAction::kPush;
  if (has_target) {
    v.text("target", e.target,
           {.doc = "Signal (set), joint (detach, attach) or body (push) by full name; name of a fault (fault, "
                   "repair).",
            .required = !takes_all});
  } else {
    v.no_meaning("target", holder);
  }
  if (has_value) {
    v.number("value", e.value, {.doc = "New value of the signal in its own SI unit (set)."});
  } else {
    v.no_meaning("value", holder);
  }
  if (has_force) {
    v.vector("force", e.force, {.unit = "N", .doc = "At the centre of mass, world axes (push)."});
    v.vector("torque", e.torque, {.unit = "N*m", .doc = "World axes (push)."});
  } else {
    v.no_meaning("force", holder);
    v.no_meaning("torque", holder);
  }
  if (has_force || e.action == EventAction::kFault) {
    v.time("length", e.length,
           {.min = 0.0, .doc = "How long it lasts; 0 means one step (push), or until it is repaired (fault)."});
  } else {
    v.no_meaning("length", holder);
  }
}

template <class V>
void describe(V& v, ScheduledEvent& e) {
  v.time("at", e.at, {.min = 0.0, .doc = "When it happens.", .required = true});
  describe_action(v, e);
}

template <class V>
void describe(V& v, EmbeddedFile& f) {
  v.text("path", f.path, {.doc = "The path that src attributes use.", .required = true});
  v.check(f.path.empty() || stays_below(normal_path(f.path)), "path",
          "path leaves the folder of the scenario; expected a relative path below it");
  v.content(f.data, {.doc = "The bytes in base64."});
}

template <class V>
void describe(V& v, Scenario& s) {
  constexpr std::size_t kMaxTitle = 200;  // bytes
  v.text("name", s.name, {.doc = "Title."});
  v.check(s.name.size() <= kMaxTitle, "name", "a title has at most 200 bytes; longer text is a <description>");
  v.prose("description", s.description, {.doc = "What the scenario shows."});
  v.time("step", s.step, {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Physics step."});
  v.time("duration", s.duration, {.min = 0.0, .above_min = true, .doc = "Default duration of a run."});
  v.integer("seed", s.seed, {.doc = "Seed of all random numbers."});
  v.vector("gravity", s.gravity, {.unit = "m/s^2", .min = -1e4, .max = 1e4, .doc = "Gravity in the world."});
  v.child("engine", s.engine, {.doc = "Physics engine and solver settings."});
  v.child("medium", s.medium, {.doc = "Air and water."});
  v.children("material", s.materials, {.doc = "Material of shapes."});
  v.children("material_pair", s.contacts,
             {.doc = "Contact properties of two materials, where they differ from the combination rule."});
  v.children("ground", s.grounds, {.doc = "An infinite plane."});
  v.children("terrain", s.terrains, {.doc = "A height field from an image."});
  v.children("object", s.objects, {.doc = "A body that is not a robot."});
  v.children("robot", s.robots, {.doc = "Links with joints, and the devices on them."});
  v.children("loop", s.loops, {.doc = kLoopDoc});
  v.children("exclude", s.exclusions, {.doc = kExcludeDoc});
  v.children("spring", s.springs, {.doc = kSpringDoc});
  v.children("rope", s.ropes, {.doc = "Like a spring, but it only pulls."});
  v.children("event", s.events, {.doc = "Something that happens at a given time."});
  describe(v, s.devices);
  v.container("faults", s.faults, {.doc = "Faults that can be injected into devices and connections."});
  v.children("study", s.studies, {.doc = "A parameter search, for `lockstep optimize`."});
  v.children("file", s.files, {.doc = "An embedded file, as written by 'lockstep pack'."});
}

}  // namespace lockstep
