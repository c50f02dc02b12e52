#include "physics/mujoco/instance.h"

#include "physics/mujoco/capacity.h"
#include "physics/mujoco/eigen_view.h"

namespace lockstep {
namespace {

/// Null if there is not enough memory.
MjDataPtr try_make_data(const mjModel& m) {
  try {
    return MjDataPtr(mj_makeData(&m));
  } catch (const MujocoError&) {
    return nullptr;
  }
}

MjDataPtr make_data(const Model& model, const mjModel& m) {
  if (MjDataPtr data = try_make_data(m)) return data;
  throw_user_error(model.engine.place,
                   "engine: there is not enough memory for {} constraint rows; use a smaller max_contacts",
                   m.njmax);
}

}  // namespace

MujocoInstance::MujocoInstance(const Model& model_of_world)
    : model(model_of_world),
      compiled(compile(model)),
      detachable(model, compiled),
      moved_bases(model, compiled),
      m(compiled.mujoco.get()),
      driven(compiled.driven, *m),
      data(make_data(model, *m)),
      d(data.get()) {
  place_joints();
}

bool MujocoInstance::grow() {
  const SolverCapacity before = capacity_of(*m);
  if (!grow_capacity(model, compiled)) return false;
  data.reset();  // both together would need almost twice the memory
  data = try_make_data(*m);
  const bool has_grown = data != nullptr;
  if (!has_grown) {
    set_capacity(before, *m);
    data = make_data(model, *m);
  }
  d = data.get();
  driven.fit_capacity(*m);
  place_joints();
  return has_grown;
}

void MujocoInstance::place_joints() {
  joints.clear();
  force_count = 0;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointId joint{static_cast<int>(i)};
    const JointType type = model.joints[i].type;
    JointPlace place{.force_offset = force_count, .force_count = velocity_count(type)};
    if (detachable.contains(joint)) {
      place.detachable = true;
      place.position = detachable.position(joint);
      place.velocity = detachable.velocity(joint);
    } else if (const MovedBase* base = moved_bases.find(joint)) {
      place.is_moved_base = true;
      place.position = base->position;
      place.velocity = base->velocity;
    } else if (const int id = compiled.joints[i]; id >= 0) {
      place.position = {d->qpos + m->jnt_qposadr[id], position_count(type)};
      place.velocity = {d->qvel + m->jnt_dofadr[id], velocity_count(type)};
      place.applied = d->qfrc_applied + m->jnt_dofadr[id];
      place.is_simple = velocity_count(type) == 1;
    }
    force_count += place.force_count;
    joints.push_back(place);
  }
}

Twist calc_point_velocity(const mjModel& m, const mjData& d, int body, const double* point) {
  const Vec3 angular = vec3(d.cvel + 6 * body);
  const Vec3 from_center = vec3(point) - vec3(d.subtree_com + 3 * m.body_rootid[body]);
  return {vec3(d.cvel + 6 * body + 3) - from_center.cross(angular), angular};
}

Twist calc_body_velocity(const MujocoInstance& instance, BodyId body) {
  const int id = instance.compiled.bodies[index(body)];
  return calc_point_velocity(*instance.m, *instance.d, id, instance.d->xpos + 3 * id);
}

}  // namespace lockstep
