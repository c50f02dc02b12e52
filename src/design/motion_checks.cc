#include "design/motion_checks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace lockstep {
namespace {

/// Overlaps below this are contact, not collision, m.
constexpr double kNoticeableDepth = 1e-4;
constexpr int kSweepSteps = 48;

using BodyPair = std::pair<BodyId, BodyId>;

std::string_view robot_of(std::string_view body) {
  return body.substr(0, body.find('/'));
}

/// Bodies of one robot that overlap in the current state, and their penetration.
std::map<BodyPair, double> find_overlaps(World& world) {
  std::map<BodyPair, double> overlaps;
  StateWriter before;
  world.save(before);
  const Status status = world.step();  // contacts are those of the last step
  if (status.ok()) {
    const Model& model = world.model();
    for (const ContactPoint& contact : world.contacts()) {
      BodyId a = model.shapes[index(contact.a)].body, b = model.shapes[index(contact.b)].body;
      if (index(b) < index(a)) std::swap(a, b);
      const std::string& name_a = model.body(a).name;
      const bool is_own =
          name_a.find('/') != std::string::npos && robot_of(name_a) == robot_of(model.body(b).name);
      if (!is_own || a == b || contact.depth < kNoticeableDepth) continue;
      double& depth = overlaps[{a, b}];
      depth = std::max(depth, contact.depth);
    }
  }
  StateReader reader(before.bytes());
  world.restore(reader);
  return overlaps;
}

struct Collision {
  double first = 0.0;  ///< position nearest to the initial one
  double deepest_at = 0.0;
  double depth = 0.0;
};

}  // namespace

void check_sweeps(World& world, Diagnostics& diagnostics) {
  const Model& model = world.model();
  if (!model.loops.empty()) {
    diagnostics.note({}, "joints were not swept: in a closed loop they cannot move separately");
    return;
  }
  world.track({.contact_forces = true});
  StateWriter start;
  world.save(start);
  const std::map<BodyPair, double> at_start = find_overlaps(world);
  for (const auto& [pair, depth] : at_start) {
    diagnostics.warn(model.body(pair.first).place, "'{}' and '{}' overlap by {:.3g} m at the start",
                     model.body(pair.first).name, model.body(pair.second).name, depth);
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointModel& joint = model.joints[i];
    if (joint.detachable || joint.initial_position.size() != 1) continue;
    if (joint.type == JointType::kSlide && !joint.lower) continue;
    const double from = joint.initial_position[0];
    const double lower = joint.lower.value_or(from - std::numbers::pi),
                 upper = joint.upper.value_or(from + std::numbers::pi);
    std::map<BodyPair, Collision> collisions;
    for (int k = 0; k <= kSweepSteps; ++k) {
      const double position = lower + (upper - lower) * k / kSweepSteps;
      world.set_joint_position(JointId{static_cast<int>(i)}, position);
      for (const auto& [pair, depth] : find_overlaps(world)) {
        if (at_start.contains(pair)) continue;
        const auto [found, is_new] = collisions.emplace(pair, Collision{position, position, depth});
        Collision& collision = found->second;
        if (std::abs(position - from) < std::abs(collision.first - from)) collision.first = position;
        if (depth > collision.depth) collision.depth = depth, collision.deepest_at = position;
      }
      StateReader reader(start.bytes());
      world.restore(reader);
    }
    const char* unit = joint.type == JointType::kSlide ? "m" : "rad";
    for (const auto& [pair, collision] : collisions) {
      diagnostics.warn(joint.place,
                       "joint '{}': '{}' and '{}' collide from {:.3g} {} on, {:.3g} m deep at {:.3g} {}; its "
                       "range is {:.3g} to {:.3g} {}",
                       joint.name, model.body(pair.first).name, model.body(pair.second).name, collision.first,
                       unit, collision.depth, collision.deepest_at, unit, lower, upper, unit);
    }
  }
}

Scenario in_free_motion(Scenario scenario) {
  constexpr Duration kFinest{500'000};
  scenario.step = std::min(scenario.step, kFinest);
  scenario.engine = EngineOptions{.name = scenario.engine.name, .integrator = Integrator::kRk4};
  scenario.medium = {};
  scenario.grounds.clear();
  scenario.terrains.clear();
  scenario.events.clear();
  scenario.devices = {};
  scenario.faults.clear();
  scenario.studies.clear();
  double sign = 1.0;
  const auto free = [&](std::vector<Shape>& shapes) {
    for (Shape& shape : shapes) shape.collide = false;
  };
  for (Object& object : scenario.objects) free(object.shapes);
  for (Robot& robot : scenario.robots) {
    robot.devices = {};
    for (Link& link : robot.links) {
      free(link.shapes);
      if (!link.joint || link.joint->detachable) continue;
      Joint& joint = *link.joint;
      joint.lower = joint.upper = std::nullopt;
      joint.damping = joint.friction = 0.0;
      // Upright arms would stay balanced.
      constexpr double kTurning = 0.5, kSliding = 0.05;  // rad/s, m/s
      if (joint.type == JointType::kHinge) joint.initial_velocity = sign * kTurning;
      if (joint.type == JointType::kSlide) joint.initial_velocity = sign * kSliding;
      sign = -sign;
    }
    for (Spring& spring : robot.springs) spring.damping = 0.0;
    for (Rope& rope : robot.ropes) rope.damping = 0.0;
  }
  for (Spring& spring : scenario.springs) spring.damping = 0.0;
  for (Rope& rope : scenario.ropes) rope.damping = 0.0;
  return scenario;
}

void check_energy(World& world, Diagnostics& diagnostics) {
  // An open chain conserves energy a hundred times better at steps of 0.5 ms; loops are held by springs and
  // dampers.
  const double allowed = world.model().loops.empty() ? 1e-3 : 3e-2;
  const auto steps = static_cast<std::int64_t>(1.0 / to_seconds(world.model().step));
  const double start = world.report({.energy = true}).energy.total();
  double moved = world.report({.energy = true}).energy.kinetic, drift = 0.0;
  for (std::int64_t i = 0; i < steps; ++i) {
    const Status status = world.step();
    if (!status.ok()) {
      diagnostics.error({}, "free motion: {}", to_string(status));
      return;
    }
    const Energy energy = world.report({.energy = true}).energy;
    moved = std::max(moved, energy.kinetic);
    drift = std::max(drift, std::abs(energy.total() - start));
  }
  if (moved < 1e-12) {
    diagnostics.note({}, "free motion: nothing moves");
  } else if (drift > allowed * moved) {
    diagnostics.error({},
                      "free motion: the energy changes by {:.3g} J within a second, {:.2g} of the largest "
                      "kinetic energy; expected at most {:.2g}",
                      drift, drift / moved, allowed);
  } else {
    diagnostics.note({}, "free motion: the energy stays within {:.2g} of the largest kinetic energy, {:.3g} J",
                     drift / moved, moved);
  }
}

}  // namespace lockstep
