#include "physics/mujoco/world.h"

#include <algorithm>
#include <numeric>

#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/rays.h"
#include "physics/mujoco/totals.h"

namespace lockstep {
namespace {

/// Identifies a model in a saved state.
std::array<int, 7> sizes_of(const mjModel& m) {
  return {m.nq, m.nv, m.nbody, m.neq, m.nu, m.njnt, m.ngeom};
}

constexpr std::size_t kMaxNameSize = 1 << 16;  // of the joint or body with an invalid force, in a saved state

}  // namespace

MujocoWorld::MujocoWorld(std::shared_ptr<const Model> model)
    : World(std::move(model)),
      instance_(*model_),
      dynamics_(instance_),
      forces_(instance_),
      tracker_(instance_, forces_),
      meter_(instance_),
      stepper_(instance_, dynamics_, forces_, tracker_, meter_) {
  tracker_.track({});
  set_initial_state(instance_.compiled, *instance_.d);
  // Allocated in full size, so that no step has to allocate.
  for (StepStart& start : starts_) start = make_start(instance_, forces_);
  Status status;
  try {
    dynamics_.update_instant();
    while (!stepper_.has_capacity(status)) {
      copy_start(instance_, dynamics_, forces_, *start_);
      if (!grow(*start_)) break;
      status = {};
    }
  } catch (const MujocoError& error) {
    throw_user_error(model_->engine.place, "engine: mujoco cannot start with this model: {}", error.what());
  }
  if (!status.ok()) throw_user_error(model_->engine.place, "engine: at the start {}", status.cause);
  start_energy_ = calc_energy(instance_).total();
}

Pose MujocoWorld::body_pose(BodyId body) const {
  const int id = instance_.compiled.bodies[index(body)];
  return {vec3(instance_.d->xpos + 3 * id), quat(instance_.d->xquat + 4 * id)};
}

bool MujocoWorld::is_attached(JointId joint) const {
  return !instance_.detachable.contains(joint) || instance_.detachable.is_attached(joint);
}

WorldReport MujocoWorld::report(const ReportParts& parts) const {
  WorldReport report;
  if (parts.energy || parts.work) report.energy = calc_energy(instance_);
  if (parts.work) {
    report.work = meter_.total();
    const Work& work = report.work;
    report.work.unexplained = report.energy.total() - start_energy_ - work.damping - work.friction -
                              work.contacts -
                              std::accumulate(work.by_source.begin(), work.by_source.end(), 0.0);
  }
  if (parts.momentum) report.momentum = calc_momentum(instance_);
  if (parts.solver) report.solver = calc_statistics(instance_);
  return report;
}

std::optional<RayHit> MujocoWorld::cast_ray(const Vec3& origin, const Vec3& direction, double range,
                                            std::span<const BodyId> ignored) const {
  return find_ray_hit(instance_, origin, direction, range, ignored);
}

void MujocoWorld::add_joint_force(JointId joint, std::span<const double> force) {
  forces_.add_to_joint(joint, force);
  meter_.add_joint_force(joint, force);
}

void MujocoWorld::add_axis_force(const Axis& axis, const AxisForce& force) {
  if (const auto* joint = std::get_if<JointId>(&axis)) {
    forces_.add_to_axis(*joint, force.force);
    meter_.add_axis_force(*joint, force.force);
  } else {
    for (const TendonModel::Pulley& pulley : model_->tendon(std::get<TendonId>(axis)).pulleys) {
      const double on_joint = pulley.ratio * force.force;
      add_joint_force(pulley.joint, {&on_joint, 1});
    }
  }
  if (force.damping != 0.0 && instance_.m->opt.integrator == mjINT_IMPLICIT) add_implicit_damping(axis, force);
}

void MujocoWorld::add_implicit_damping(const Axis& axis, const AxisForce& force) {
  const auto* joint = std::get_if<JointId>(&axis);
  const mjModel& m = *instance_.m;
  // A force at its limit does not change with the speed. MuJoCo 2.2 ignores that.
  const bool is_like_mujoco = instance_.compiled.rules.is_plain() && !instance_.compiled.steady_spin;
  if (force.is_limited && !is_like_mujoco) return;
  if (joint != nullptr) {
    const int id = instance_.compiled.joints[index(*joint)];
    if (id < 0 || instance_.joints[index(*joint)].detachable) return;
    forces_.add_dof_damping(m.jnt_dofadr[id], force.damping);
    meter_.add_dof_damping(m.jnt_dofadr[id], force.damping);
    return;
  }
  const int tendon = instance_.compiled.tendons[index(std::get<TendonId>(axis))];
  forces_.add_tendon_damping(tendon, force.damping);
  meter_.add_tendon_damping(tendon, force.damping);
}

void MujocoWorld::set_attached(JointId joint, bool attached) {
  DetachableJoints& detachable = instance_.detachable;
  if (!detachable.contains(joint) || detachable.is_attached(joint) == attached) return;
  const double energy = calc_energy(instance_).total();
  detachable.set_attached(joint, attached, *instance_.m);
  dynamics_.restore_positions();
  dynamics_.update_instant();
  meter_.add_change(calc_energy(instance_).total() - energy);
}

void MujocoWorld::set_joint_position(JointId joint, double position) {
  const int id = instance_.compiled.joints[index(joint)];
  LOCKSTEP_CHECK(id >= 0 && !instance_.detachable.contains(joint) && joint_position(joint).size() == 1);
  const double energy = calc_energy(instance_).total();
  dynamics_.restore_positions();
  const auto put = [&](int joint_id, double to) {
    instance_.d->qpos[instance_.m->jnt_qposadr[joint_id]] = to;
    instance_.d->qvel[instance_.m->jnt_dofadr[joint_id]] = 0.0;
  };
  put(id, position);
  for (const CouplingModel& coupling : model_->couplings) {
    if (coupling.follows == joint)
      put(instance_.compiled.joints[index(coupling.joint)], coupling.ratio * position + coupling.offset);
  }
  is_moved_ = true;
  if (!instance_.moved_bases.empty()) instance_.moved_bases.hold(*instance_.m, *instance_.d);
  dynamics_.update_instant();
  meter_.add_change(calc_energy(instance_).total() - energy);
}

Status MujocoWorld::step() {
  Status status;
  take_step(status);
  return status;
}

void MujocoWorld::take_step(Status& status) {
  status.step = step_count_;
  if (!forces_.invalid().empty()) {
    status.outcome = Outcome::kInvalidInput;
    status.subject = forces_.invalid();
    const auto joint = model_->find_joint(status.subject);
    status.cause = joint && model_->joint(*joint).driven ? "its motion is not a finite number"
                                                         : "a force applied to it is not a finite number";
    forces_.clear();
    instance_.driven.clear_targets();
    meter_.drop_forces();
    return;
  }
  copy_start(instance_, dynamics_, forces_, *start_);
  try {
    while (!stepper_.advance(start_->qvel, status)) {
      if (status.outcome != Outcome::kConstraintOverflow || !grow(*start_)) return fail(status);
      status = Status{.step = step_count_};
    }
  } catch (const MujocoError& error) {
    mj_resetData(instance_.m, instance_.d);
    status.outcome = Outcome::kEngineFailure;
    status.cause = error.what();
    return fail(status);
  }
  ++step_count_;
  is_moved_ = false;
  std::swap(start_, last_start_);
  tracker_.finish();
  meter_.finish_step();
  forces_.take_drive_forces();
  forces_.finish_step();
  instance_.driven.clear_targets();
}

bool MujocoWorld::grow(const StepStart& start) {
  if (!instance_.grow()) return false;
  dynamics_.fit_capacity();
  stepper_.fit_capacity();
  tracker_.fit_capacity();
  forces_.set(start.forces);
  restore_start(start, instance_, dynamics_);
  meter_.update_powers();
  return true;
}

void MujocoWorld::fail(Status& status) {
  forces_.clear();
  meter_.drop_forces();
  try {
    restore_start(*start_, instance_, dynamics_);
  } catch (const MujocoError& error) {
    mj_resetData(instance_.m, instance_.d);
    status.outcome = Outcome::kEngineFailure;
    status.cause = error.what();
  }
  instance_.driven.clear_targets();
}

void MujocoWorld::save(StateWriter& writer) const {
  for (const int size : sizes_of(*instance_.m)) writer.write(size);
  writer.write(step_count_);
  if (step_count_ > 0) {
    write_start(*last_start_, writer);
  } else {
    write_resting_start(instance_, dynamics_, writer);
  }
  // Joint positions, attachments and forces set since then.
  const bool is_moved = is_moved_ && step_count_ > 0;
  writer.write(is_moved);
  if (is_moved) {
    writer.write(std::span<const double>(dynamics_.positions()));
    write_numbers(instance_.d->qvel, instance_.m->nv, writer);
  }
  write_states(instance_.detachable.states(), writer);
  write_targets(instance_.driven.targets(), writer);
  forces_.write(writer);
  writer.write(forces_.invalid());
  meter_.write(writer);
  writer.write(start_energy_);
  writer.write(calc_energy(instance_).total());
}

void MujocoWorld::restore(StateReader& reader) {
  for (const int size : sizes_of(*instance_.m)) {
    if (reader.read<int>() != size) throw StateError("the state belongs to another model");
  }
  const auto step_count = reader.read<std::int64_t>();
  if (step_count < 0) throw StateError("the number of steps is negative");
  const StepStart start = read_start(reader, instance_, forces_);
  const auto is_moved = reader.read<bool>();
  std::vector<double> moved_qpos, moved_qvel;
  if (is_moved) {
    moved_qpos = read_numbers(reader, instance_.m->nq);
    moved_qvel = read_numbers(reader, instance_.m->nv);
  }
  const auto detachable = read_states(reader, instance_);
  const auto targets = read_targets(reader, instance_);
  const AppliedForces::Values forces = forces_.read(reader);
  std::string invalid_force = reader.read_string(kMaxNameSize);
  WorkMeter::State work = meter_.read(reader);
  const auto start_energy = reader.read<double>(), energy = reader.read<double>();

  forces_.clear();
  forces_.forget_last();
  restore_start(start, instance_, dynamics_);
  step_count_ = step_count;
  if (step_count > 0) {
    forces_.set(start.forces);
    --step_count_;
    if (const Status status = step(); !status.ok())
      throw StateError("the state cannot be continued: " + to_string(status));
  } else {
    tracker_.forget();
    instance_.d->solver_iter = 0;
  }
  dynamics_.restore_positions();
  if (is_moved) {
    std::copy(moved_qpos.begin(), moved_qpos.end(), instance_.d->qpos);
    std::copy(moved_qvel.begin(), moved_qvel.end(), instance_.d->qvel);
  }
  is_moved_ = is_moved;
  instance_.detachable.set_states(detachable, *instance_.m);
  dynamics_.update_instant();
  instance_.driven.set_targets(targets);
  forces_.set(forces);
  forces_.set_invalid(std::move(invalid_force));
  meter_.set(std::move(work));  // the step above has measured without knowing the sources of its forces
  // In a model with other values, such as masses, the same state has another energy.
  start_energy_ = start_energy + (calc_energy(instance_).total() - energy);
}

}  // namespace lockstep
