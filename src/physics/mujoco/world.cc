#include "physics/mujoco/world.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/mujoco_world.h"
#include "physics/mujoco/phantom_contacts.h"

namespace lockstep {
namespace {

/// Velocity of the point of a body that is at `point` now. The engine keeps velocities about the centre of mass
/// of the whole tree; this is mj_objectVelocity() in world axes without its detours.
Twist calc_velocity(const mjModel& m, const mjData& d, int body, const double* point) {
  const Vec3 angular = vec3(d.cvel + 6 * body);
  const Vec3 from_center = vec3(point) - vec3(d.subtree_com + 3 * m.body_rootid[body]);
  return {vec3(d.cvel + 6 * body + 3) - from_center.cross(angular), angular};
}

/// Whether a ray misses the sphere around a shape, or ends before it; planes and heightmaps have none.
bool passes_by(const mjModel& m, const mjData& d, int geom, const Vec3& origin, const Vec3& direction,
               double reach) {
  const double radius = m.geom_rbound[geom];
  if (radius <= 0.0) return false;
  const Vec3 to_center = vec3(d.geom_xpos + 3 * geom) - origin;
  const double along = to_center.dot(direction);
  if (along < -radius || along > reach + radius) return true;
  return (to_center - along * direction).squaredNorm() > radius * radius;
}

/// MuJoCo lets a ray through that meets exactly the edge between two triangles. One that runs so far beside it,
/// m, does not meet the edge, and is far beyond rounding.
constexpr double kBesideAnEdge = 1e-8;

/// Along the ray to the surface of a shape; negative if it misses.
double calc_ray_distance(const mjModel& m, const mjData& d, int geom, const Vec3& origin,
                         const Vec3& direction) {
  const int type = m.geom_type[geom];
  if (type != mjGEOM_MESH && type != mjGEOM_HFIELD) {
    return mju_rayGeom(d.geom_xpos + 3 * geom, d.geom_xmat + 9 * geom, m.geom_size + 3 * geom, origin.data(),
                       direction.data(), type);
  }
  const auto cast = type == mjGEOM_MESH ? mj_rayMesh : mj_rayHfield;
  const Vec3 aside = direction.unitOrthogonal();
  // Along none of the axes, where edges are.
  const Vec3 beside = origin + kBesideAnEdge * (0.6 * aside + 0.8 * direction.cross(aside));
  const double first = cast(&m, &d, geom, origin.data(), direction.data());
  const double second = cast(&m, &d, geom, beside.data(), direction.data());
  return first < 0.0 || second < 0.0 ? std::max(first, second) : std::min(first, second);
}

MjDataPtr make_data(const Model& model, const mjModel& m) {
  try {
    MjDataPtr data(mj_makeData(&m));
    if (data) return data;
  } catch (const MujocoError&) {
  }
  throw_user_error(model.engine.place,
                   "engine: there is not enough memory for {} constraint rows; use a smaller max_contacts",
                   m.njmax);
}

}  // namespace

std::unique_ptr<World> make_mujoco_world(std::shared_ptr<const Model> model) {
  return std::make_unique<MujocoWorld>(std::move(model));
}

MujocoWorld::MujocoWorld(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      compiled_(compile(*model_)),
      detachable_(*model_, compiled_),
      m_(compiled_.mujoco.get()),
      data_(make_data(*model_, *m_)),
      d_(data_.get()),
      runge_kutta_(*m_),
      impacts_(*model_, *m_),
      reactions_(*model_, compiled_) {
  find_joints();
  has_box_pairs_ = has_box_pairs(*m_);
  qpos_.resize(static_cast<std::size_t>(m_->nq));
  track({});
  set_initial_state(compiled_, *d_);
  try {
    update_instant();
  } catch (const MujocoError& error) {
    throw_user_error(model_->engine.place, "engine: mujoco cannot start with this model: {}", error.what());
  }
  // In full size from the start, so that no step has to allocate.
  const auto dofs = static_cast<std::size_t>(m_->nv);
  for (Start& start : starts_) {
    start.qpos.resize(qpos_.size());
    start.qvel.resize(dofs);
    start.warmstart.resize(dofs);
    start.forces.on_dofs.resize(dofs);
    start.forces.on_bodies.resize(6 * static_cast<std::size_t>(m_->nbody));
    start.forces.by_joint.resize(next_joint_force_.size());
    start.detachable.reserve(detachable_.states().size());
  }
}

void MujocoWorld::find_joints() {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < model_->joints.size(); ++i) {
    const JointId joint{static_cast<int>(i)};
    const JointType type = model_->joints[i].type;
    JointPlace place{.force_offset = offset, .force_count = velocity_count(type)};
    if (detachable_.contains(joint)) {
      place.detachable = true;
      place.position = detachable_.position(joint);
      place.velocity = detachable_.velocity(joint);
    } else if (const int id = compiled_.joints[i]; id >= 0) {
      place.position = {d_->qpos + m_->jnt_qposadr[id], position_count(type)};
      place.velocity = {d_->qvel + m_->jnt_dofadr[id], velocity_count(type)};
      place.applied = d_->qfrc_applied + m_->jnt_dofadr[id];
    }
    offset += place.force_count;
    joints_.push_back(place);
  }
  next_joint_force_.assign(offset, 0.0);
  joint_force_.assign(offset, 0.0);
}

Pose MujocoWorld::body_pose(BodyId body) const {
  const int id = compiled_.bodies[index(body)];
  return {vec3(d_->xpos + 3 * id), quat(d_->xquat + 4 * id)};
}

Twist MujocoWorld::body_velocity(BodyId body) const {
  const int id = compiled_.bodies[index(body)];
  return calc_velocity(*m_, *d_, id, d_->xpos + 3 * id);
}

Twist MujocoWorld::body_acceleration(BodyId body) const {
  return tracked_.accelerations.empty() ? Twist{} : tracked_.accelerations[index(body)];
}

std::span<const double> MujocoWorld::joint_position(JointId joint) const {
  return joints_[index(joint)].position;
}

std::span<const double> MujocoWorld::joint_velocity(JointId joint) const {
  return joints_[index(joint)].velocity;
}

std::span<const double> MujocoWorld::joint_force(JointId joint) const {
  const JointPlace& place = joints_[index(joint)];
  return {joint_force_.data() + place.force_offset, place.force_count};
}

Wrench MujocoWorld::joint_reaction(JointId joint) const {
  return tracked_.reactions.empty() ? Wrench{} : tracked_.reactions[index(joint)];
}

bool MujocoWorld::is_attached(JointId joint) const {
  return !detachable_.contains(joint) || detachable_.is_attached(joint);
}

Energy MujocoWorld::energy() const {
  // These write only d->energy, which nothing else reads; without the flag they leave it zero.
  m_->opt.enableflags |= mjENBL_ENERGY;
  mj_energyPos(m_, d_);
  mj_energyVel(m_, d_);
  m_->opt.enableflags &= ~mjENBL_ENERGY;
  Energy energy{.kinetic = d_->energy[1], .potential = d_->energy[0]};
  for (std::size_t i = 0; i < compiled_.ropes.size(); ++i) {
    const SpringModel& rope = model_->springs[compiled_.ropes[i]];
    const double stretch = std::max(0.0, d_->ten_length[m_->actuator_trnid[2 * i]] - rope.length);
    energy.potential += 0.5 * rope.stiffness * stretch * stretch;
  }
  return energy;
}

Momentum MujocoWorld::momentum() const {
  Momentum momentum;
  for (int i = 1; i < m_->nbody; ++i) {
    if (m_->body_weldid[i] == 0) continue;
    const Twist velocity = calc_velocity(*m_, *d_, i, d_->xipos + 3 * i);
    const auto R = mat3(d_->ximat + 9 * i);
    const Vec3 linear = m_->body_mass[i] * velocity.linear;
    momentum.linear += linear;
    momentum.angular += vec3(d_->xipos + 3 * i).cross(linear);
    momentum.angular += R * vec3(m_->body_inertia + 3 * i).cwiseProduct(R.transpose() * velocity.angular);
  }
  return momentum;
}

SolverStatistics MujocoWorld::statistics() const {
  SolverStatistics statistics;
  statistics.iterations = d_->solver_iter;
  statistics.contacts = d_->ncon;
  statistics.constraint_rows = d_->nefc;
  for (int i = 0; i < d_->ncon; ++i) {
    statistics.largest_penetration = std::max(statistics.largest_penetration, -d_->contact[i].dist);
  }
  for (int row = 0; row < d_->ne;) {
    const int type = m_->eq_type[d_->efc_id[row]];
    if (type == mjEQ_JOINT) {
      statistics.largest_loop_error = std::max(statistics.largest_loop_error, std::abs(d_->efc_pos[row++]));
      continue;
    }
    const bool frame = type == mjEQ_WELD;
    double error = vec3(d_->efc_pos + row).norm();
    // A rotation is told by the vector of its quaternion, which is half the angle.
    if (frame) error = std::max(error, 2.0 * vec3(d_->efc_pos + row + 3).norm());
    statistics.largest_loop_error = std::max(statistics.largest_loop_error, error);
    row += frame ? 6 : 3;
  }
  return statistics;
}

std::optional<RayHit> MujocoWorld::cast_ray(const Vec3& origin, const Vec3& direction, double range,
                                            std::span<const BodyId> ignored) const {
  std::optional<RayHit> nearest;
  for (int geom = 0; geom < m_->ngeom; ++geom) {
    const double reach = nearest ? nearest->distance : range;
    if (passes_by(*m_, *d_, geom, origin, direction, reach)) continue;
    const double distance = calc_ray_distance(*m_, *d_, geom, origin, direction);
    if (distance < 0.0 || distance > reach) continue;
    const ShapeId shape = compiled_.shape_ids[static_cast<std::size_t>(geom)];
    const BodyId body = model_->shapes[index(shape)].body;
    if (std::find(ignored.begin(), ignored.end(), body) == ignored.end()) nearest = RayHit{distance, shape};
  }
  return nearest;
}

void MujocoWorld::add_joint_force(JointId joint, std::span<const double> force) {
  const JointPlace& place = joints_[index(joint)];
  LOCKSTEP_CHECK(force.size() == place.force_count);
  has_forces_ = true;
  double* handed = next_joint_force_.data() + place.force_offset;
  for (std::size_t i = 0; i < force.size(); ++i) {
    handed[i] += force[i];
    if (place.applied) place.applied[i] += force[i];
    if (!std::isfinite(force[i]) && invalid_force_.empty()) invalid_force_ = model_->joint(joint).name;
  }
  if (place.detachable) {
    has_body_forces_ = true;
    detachable_.add_torque(joint, force, *d_);
  }
}

void MujocoWorld::add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench) {
  has_forces_ = has_body_forces_ = true;
  const int id = compiled_.bodies[index(body)];
  const Vec3 torque = wrench.torque + (point_W - vec3(d_->xipos + 3 * id)).cross(wrench.force);
  vec3(d_->xfrc_applied + 6 * id) += wrench.force;
  vec3(d_->xfrc_applied + 6 * id + 3) += torque;
  if (!(wrench.force.allFinite() && torque.allFinite()) && invalid_force_.empty())
    invalid_force_ = model_->body(body).name;
}

void MujocoWorld::set_attached(JointId joint, bool attached) {
  if (!detachable_.contains(joint) || detachable_.is_attached(joint) == attached) return;
  detachable_.set_attached(joint, attached, *m_);
  std::copy(qpos_.begin(), qpos_.end(), d_->qpos);
  update_instant();
}

void MujocoWorld::set_joint_position(JointId joint, double position) {
  const int id = compiled_.joints[index(joint)];
  LOCKSTEP_CHECK(id >= 0 && !detachable_.contains(joint) && joints_[index(joint)].position.size() == 1);
  std::copy(qpos_.begin(), qpos_.end(), d_->qpos);
  const auto put = [&](int joint_id, double to) {
    d_->qpos[m_->jnt_qposadr[joint_id]] = to;
    d_->qvel[m_->jnt_dofadr[joint_id]] = 0.0;
  };
  put(id, position);
  for (const CouplingModel& coupling : model_->couplings) {
    if (coupling.follows == joint)
      put(compiled_.joints[index(coupling.joint)], coupling.ratio * position + coupling.offset);
  }
  is_moved_ = true;
  update_instant();
}

void MujocoWorld::track(Tracking tracking) {
  if (tracking.joint_reactions) tracking.contact_forces = tracking.accelerations = true;
  tracking_ = tracking;
  for (Tracked* tracked : {&tracked_, &capturing_}) {
    if (!tracking.contact_forces) tracked->contacts.clear();
    tracked->contacts.reserve(tracking.contact_forces ? static_cast<std::size_t>(m_->nconmax) : 0);
    tracked->accelerations.resize(tracking.accelerations ? model_->bodies.size() : 0);
    tracked->reactions.resize(tracking.joint_reactions ? model_->joints.size() : 0);
  }
}

void MujocoWorld::forget_last_step() {
  for (Tracked* tracked : {&tracked_, &capturing_}) *tracked = {};
  track(tracking_);
}

}  // namespace lockstep
