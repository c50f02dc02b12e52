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
    // Contacts of an impact may be others than those of the step after it.
    tracked->contacts.reserve(tracking.contact_forces ? 2 * static_cast<std::size_t>(instance_.m->nconmax) : 0);
    tracked->accelerations.resize(tracking.accelerations ? instance_.model.bodies.size() : 0);
    tracked->reactions.resize(tracking.joint_reactions ? instance_.model.joints.size() : 0);
  }
}

Twist StepTracker::acceleration(BodyId body) const {
  return last_.accelerations.empty() ? Twist{} : last_.accelerations[index(body)];
}

Wrench StepTracker::reaction(JointId joint) const {
  return last_.reactions.empty() ? Wrench{} : last_.reactions[index(joint)];
}

void StepTracker::begin() {
  share_ = 1.0;
  if (!is_tracking()) return;
  capturing_.contacts.clear();
  reactions_.begin();
  std::fill(capturing_.accelerations.begin(), capturing_.accelerations.end(), Twist{});
}

void StepTracker::add_velocities(double factor) {
  for (std::size_t i = 0; i < capturing_.accelerations.size(); ++i) {
    const Twist velocity = calc_body_velocity(instance_, BodyId{static_cast<int>(i)});
    capturing_.accelerations[i].linear += share_ * factor * velocity.linear;
    capturing_.accelerations[i].angular += share_ * factor * velocity.angular;
  }
}

void StepTracker::capture_impulses() {
  if (tracking_.contact_forces) capture_contacts(true);
  if (tracking_.joint_reactions) reactions_.add_closures(*instance_.m, *instance_.d, share_);
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
  // After an impact most contacts come by again, in the same order.
  const std::size_t captured = contacts.size();
  std::size_t next = 0;
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (contact.efc_address < 0) continue;
    std::array<double, 6> force{};
    mj_contactForce(instance_.m, &d, i, force.data());
    const auto R_CW = mat3(contact.frame);
    const Vec3 force_W = share_ * (R_CW.transpose() * vec3(force.data()));
    const Vec3 torque_W = share_ * (R_CW.transpose() * vec3(force.data() + 3));
    const ShapeId a = instance_.compiled.shape_ids[static_cast<std::size_t>(contact.geom1)];
    const ShapeId b = instance_.compiled.shape_ids[static_cast<std::size_t>(contact.geom2)];
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
    std::array<double, 6> acceleration{};
    mj_objectAcceleration(instance_.m, instance_.d, mjOBJ_XBODY, instance_.compiled.bodies[i],
                          acceleration.data(), 0);
    // MuJoCo lets the world accelerate upwards instead of pulling bodies down.
    capturing_.accelerations[i].linear += share_ * (vec3(acceleration.data() + 3) + instance_.model.gravity);
    capturing_.accelerations[i].angular += share_ * vec3(acceleration.data());
  }
}

void StepTracker::capture_reactions() {
  const mjData& d = *instance_.d;
  reactions_.add_closures(*instance_.m, d, share_);
  reactions_.calc(*instance_.m, d, capturing_.accelerations, capturing_.contacts, capturing_.reactions);
  // The motor of a detachable joint acts on both bodies from outside, as far as MuJoCo knows.
  for (std::size_t i = 0; i < instance_.joints.size() && !instance_.detachable.empty(); ++i) {
    if (!instance_.joints[i].detachable) continue;
    const JointId joint{static_cast<int>(i)};
    capturing_.reactions[i].torque += instance_.detachable.calc_torque(joint, forces_.next_of(joint), d);
  }
}

}  // namespace lockstep
