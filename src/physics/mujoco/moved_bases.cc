#include "physics/mujoco/moved_bases.h"

#include <algorithm>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/instance.h"

namespace lockstep {
namespace {

struct BodyMotion {
  Pose X_WB;
  Twist velocity;  // of the origin, world axes
};

BodyMotion calc_motion(const mjModel& m, const mjData& d, int body) {
  const double* origin = d.xpos + 3 * body;
  return {{vec3(origin), quat(d.xquat + 4 * body)}, calc_point_velocity(m, d, body, origin)};
}

}  // namespace

MovedBases::MovedBases(const Model& model, const CompiledModel& compiled) {
  for (const MovedRoot& moved : compiled.moved_roots) {
    MovedBase base;
    base.joint = moved.base;
    base.body = compiled.bodies[index(model.joint(moved.base).body)];
    base.root_joint = compiled.joints[index(moved.base)];
    bases_.push_back(base);
  }
}

const MovedBase* MovedBases::find(JointId joint) const {
  const auto is_joint = [&](const MovedBase& base) { return base.joint == joint; };
  const auto found = std::find_if(bases_.begin(), bases_.end(), is_joint);
  return found == bases_.end() ? nullptr : &*found;
}

void MovedBases::update(const mjModel& m, const mjData& d) {
  for (MovedBase& base : bases_) {
    const BodyMotion motion = calc_motion(m, d, base.body);
    vec3(base.position.data()) = motion.X_WB.p;
    set_quat(base.position.data() + 3, motion.X_WB.q);
    vec3(base.velocity.data()) = motion.velocity.linear;
    vec3(base.velocity.data() + 3) = motion.X_WB.q.conjugate() * motion.velocity.angular;
  }
}

void MovedBases::hold(const mjModel& m, mjData& d) const {
  mj_kinematics(&m, &d);
  mj_comPos(&m, &d);
  mj_comVel(&m, &d);
  for (const MovedBase& base : bases_) {
    const BodyMotion now = calc_motion(m, d, base.body);
    const Pose X_WB{vec3(base.position.data()), quat(base.position.data() + 3)};
    if (now.X_WB.p == X_WB.p && now.X_WB.q.coeffs() == X_WB.q.coeffs()) continue;  // another tree was moved
    const Vec3 angular = X_WB.q * vec3(base.velocity.data() + 3);
    const BodyMotion root = calc_motion(m, d, m.jnt_bodyid[base.root_joint]);
    // Everything moves as one rigid body: first to the new place, where velocities have turned with it.
    const Pose X = X_WB * now.X_WB.inverse();
    const Pose X_WR = X * root.X_WB;
    const Vec3 extra = angular - X.q * now.velocity.angular;
    const Vec3 linear = X.q * (root.velocity.linear - now.velocity.linear) + vec3(base.velocity.data()) +
                        extra.cross(X_WR.p - X_WB.p);
    double* qpos = d.qpos + m.jnt_qposadr[base.root_joint];
    double* qvel = d.qvel + m.jnt_dofadr[base.root_joint];
    vec3(qpos) = X_WR.p;
    set_quat(qpos + 3, X_WR.q);
    vec3(qvel) = linear;
    vec3(qvel + 3) = X_WR.q.conjugate() * (X.q * root.velocity.angular + extra);
  }
}

}  // namespace lockstep
