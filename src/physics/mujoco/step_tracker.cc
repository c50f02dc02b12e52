#include "physics/mujoco/step_tracker.h"

#include <algorithm>
#include <array>

#include "physics/mujoco/eigen_view.h"

namespace lockstep {

StepTracker::StepTracker(const MujocoInstance& instance, const AppliedForces& forces)
    : instance_(instance), forces_(forces), reactions_(instance.model, instance.compiled) {}

void StepTracker::track(Tracking tracking) {
  if (tracking.joint_reactions) tracking.contact_forces = tracking.accelerations = true;
  tracking_ = tracking;
  for (Tracked* tracked : {&last_, &capturing_}) {
    if (!tracking.contact_forces) tracked->contacts.clear();
    // An impact may have other contacts than the step after it.
    tracked->contacts.reserve(tracking.contact_forces ? 2 * static_cast<std::size_t>(instance_.m->nconmax) : 0);
    tracked->accelerations.resize(tracking.accelerations ? instance_.model.bodies.size() : 0);
    tracked->reactions.resize(tracking.joint_reactions ? instance_.model.joints.size() : 0);
    tracked->has_accelerations = tracked->has_accelerations && tracking.accelerations;
  }
}

BodyAcceleration StepTracker::acceleration(BodyId body) const {
  if (last_.has_accelerations) return last_.accelerations[index(body)];
  return {.angular_velocity = calc_body_velocity(instance_, body).angular,
          .orientation = quat(instance_.d->xquat + 4 * instance_.compiled.bodies[index(body)])};
}

JointReaction StepTracker::reaction(JointId joint) const {
  const Wrench wrench = last_.reactions.empty() ? Wrench{} : last_.reactions[index(joint)];
  return {wrench.force, wrench.torque, acceleration(instance_.model.joint(joint).body).orientation};
}

void StepTracker::begin() {
  fraction_ = 1.0;
  if (!is_tracking()) return;
  capturing_.contacts.clear();
  capturing_.has_accelerations = false;
  reactions_.begin();
  std::fill(capturing_.accelerations.begin(), capturing_.accelerations.end(), BodyAcceleration{});
}

void StepTracker::add_velocities(double factor) {
  for (std::size_t i = 0; i < capturing_.accelerations.size(); ++i) {
    const Twist velocity = calc_body_velocity(instance_, BodyId{static_cast<int>(i)});
    capturing_.accelerations[i].linear += fraction_ * factor * velocity.linear;
    capturing_.accelerations[i].angular += fraction_ * factor * velocity.angular;
  }
}

void StepTracker::capture_impulses() {
  if (tracking_.contact_forces) capture_contacts(true);
  if (tracking_.joint_reactions) reactions_.add_closures(*instance_.m, *instance_.d, fraction_);
}

void StepTracker::capture() {
  if (tracking_.contact_forces) capture_contacts(false);
  if (tracking_.accelerations) capture_accelerations();
  if (tracking_.joint_reactions) capture_reactions();
}

void StepTracker::finish() {
  if (is_tracking()) std::swap(last_, capturing_);
}

void StepTracker::forget() {
  for (Tracked* tracked : {&last_, &capturing_}) *tracked = {};
  track(tracking_);
}

void StepTracker::capture_contacts(bool of_impact) {
  const mjData& d = *instance_.d;
  std::vector<ContactPoint>& contacts = capturing_.contacts;
  // After an impact most contacts appear again, in the same order.
  const std::size_t captured = contacts.size();
  std::size_t next = 0;
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (contact.efc_address < 0) continue;
    std::array<double, 6> force{};
    mj_contactForce(instance_.m, &d, i, force.data());
    const auto R_CW = mat3(contact.frame);
    const Vec3 force_W = fraction_ * (R_CW.transpose() * vec3(force.data()));
    const Vec3 torque_W = fraction_ * (R_CW.transpose() * vec3(force.data() + 3));
    const ShapeId a = find_shape(instance_.compiled, d, contact.geom1, vec3(contact.pos));
    const ShapeId b = find_shape(instance_.compiled, d, contact.geom2, vec3(contact.pos));
    std::size_t same = next;
    while (same < captured && (contacts[same].a != a || contacts[same].b != b)) ++same;
    if (same < captured) {
      contacts[same].force += force_W;
      contacts[same].torque += torque_W;
      next = same + 1;
    } else if (!of_impact || !force_W.isZero(0.0)) {
      contacts.push_back({.a = a,
                          .b = b,
                          .position = vec3(contact.pos),
                          .normal = vec3(contact.frame),
                          .depth = -contact.dist,
                          .force = force_W,
                          .torque = torque_W});
    }
  }
}

void StepTracker::capture_accelerations() {
  mj_rnePostConstraint(instance_.m, instance_.d);
  for (std::size_t i = 0; i < instance_.compiled.bodies.size(); ++i) {
    const int body = instance_.compiled.bodies[i];
    std::array<double, 6> acceleration{};
    mj_objectAcceleration(instance_.m, instance_.d, mjOBJ_XBODY, body, acceleration.data(), 0);
    BodyAcceleration& captured = capturing_.accelerations[i];
    // MuJoCo models gravity as an upward acceleration of the world.
    captured.linear += fraction_ * (vec3(acceleration.data() + 3) + instance_.model.gravity);
    captured.angular += fraction_ * vec3(acceleration.data());
    if (capturing_.has_accelerations) continue;  // a later substep
    captured.angular_velocity = vec3(instance_.d->cvel + 6 * body);
    captured.orientation = quat(instance_.d->xquat + 4 * body);
  }
  capturing_.has_accelerations = true;
}

void StepTracker::capture_reactions() {
  const mjData& d = *instance_.d;
  reactions_.add_closures(*instance_.m, d, fraction_);
  reactions_.calc(*instance_.m, d, capturing_.accelerations, capturing_.contacts, capturing_.reactions);
  // For MuJoCo the motor of a detachable joint is an external torque on both bodies.
  for (std::size_t i = 0; i < instance_.joints.size() && !instance_.detachable.empty(); ++i) {
    if (!instance_.joints[i].detachable) continue;
    const JointId joint{static_cast<int>(i)};
    capturing_.reactions[i].torque += instance_.detachable.calc_torque(joint, forces_.next_of(joint), d);
  }
}

}  // namespace lockstep
