#include "simulation/applied_forces.h"

#include "simulation/event_queue.h"

namespace lockstep {
namespace {

void apply_push(const Push& push, World& world) {
  const Vec3 center_W = world.body_pose(push.body) * world.model().body(push.body).mass.center;
  world.add_body_force(push.body, center_W, push.wrench);
}

void apply_pull(const Pull& pull, World& world) {
  const Pose X_WB = world.body_pose(pull.body);
  const Twist velocity = world.body_velocity(pull.body);
  const Vec3 point_W = X_WB * pull.point;
  const Vec3 point_velocity = velocity.linear + velocity.angular.cross(point_W - X_WB.p);
  const Vec3 force = pull.stiffness * (pull.target - point_W) - pull.damping * point_velocity;
  world.add_body_force(pull.body, point_W, {.force = force});
}

std::uint64_t read_count(StateReader& reader) {
  const auto count = reader.read<std::uint64_t>();
  if (count > EventQueue::kMaxWaiting) throw StateError("too many bodies are being pushed or pulled");
  return count;
}

}  // namespace

void AppliedForces::add(const Push& push, std::int64_t step) {
  pushes_.push_back({push, step + push.steps - 1});
}

void AppliedForces::add(const Pull& pull) {
  std::erase_if(pulls_, [&](const Pull& active) { return active.body == pull.body; });
  if (pull.stiffness > 0.0) pulls_.push_back(pull);
}

void AppliedForces::apply(std::int64_t step, World& world) {
  if (!pushes_.empty()) {
    for (const ActivePush& active : pushes_) apply_push(active.push, world);
    std::erase_if(pushes_, [&](const ActivePush& active) { return active.last_step <= step; });
  }
  for (const Pull& pull : pulls_) apply_pull(pull, world);
}

void AppliedForces::save(StateWriter& writer) const {
  writer.write(static_cast<std::uint64_t>(pushes_.size()));
  for (const ActivePush& active : pushes_) write_event(writer, {active.last_step, 0, active.push});
  writer.write(static_cast<std::uint64_t>(pulls_.size()));
  for (const Pull& pull : pulls_) write_event(writer, {0, 0, pull});
}

void AppliedForces::restore(StateReader& reader, const Model& model) {
  pushes_.clear();
  for (std::uint64_t i = read_count(reader); i > 0; --i) {
    const Event event = read_event(reader);
    const auto* push = std::get_if<Push>(&event.action);
    if (push == nullptr || index(push->body) >= model.bodies.size())
      throw StateError("a push does not match the model");
    pushes_.push_back({*push, event.step});
  }
  pulls_.clear();
  for (std::uint64_t i = read_count(reader); i > 0; --i) {
    const Event event = read_event(reader);
    const auto* pull = std::get_if<Pull>(&event.action);
    if (pull == nullptr || index(pull->body) >= model.bodies.size())
      throw StateError("a pull does not match the model");
    pulls_.push_back(*pull);
  }
}

}  // namespace lockstep
