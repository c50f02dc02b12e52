#include <algorithm>
#include <array>
#include <cmath>

#include "physics/mujoco/world.h"

/// A snapshot holds what the last step began with; restoring takes that step again. So everything an observer
/// can see of it (contact forces, accelerations, forces at joints) is there again, bit for bit, and yet the
/// bytes, and with them the hash of a run, do not depend on who is looking.
namespace lockstep {
namespace {

std::span<const double> view(const std::vector<double>& values) {
  return values;
}
std::span<const double> view(const double* values, int count) {
  return {values, static_cast<std::size_t>(count)};
}

std::vector<double> read_numbers(StateReader& reader, std::size_t count) {
  std::vector<double> values(count);
  reader.read_into(std::span(values));
  for (const double value : values) {
    if (!std::isfinite(value)) throw StateError("a number of the state is not finite");
  }
  return values;
}

}  // namespace

std::array<int, 7> MujocoWorld::sizes() const {
  return {m_->nq, m_->nv, m_->nbody, m_->neq, m_->nu, m_->njnt, m_->ngeom};
}

void MujocoWorld::save(StateWriter& writer) const {
  for (const int size : sizes()) writer.write(size);
  writer.write(step_count_);
  if (step_count_ > 0) {
    writer.write(view(last_start_->qpos));
    writer.write(view(last_start_->qvel));
    writer.write(view(last_start_->warmstart));
    write_states(last_start_->detachable, writer);
    write_forces(last_start_->forces, writer);
  } else {
    writer.write(view(qpos_));
    writer.write(view(d_->qvel, m_->nv));
    writer.write(view(d_->qacc_warmstart, m_->nv));
    write_states(detachable_.states(), writer);
    writer.write(false);
  }
  // What was moved, switched and handed over since then.
  const bool is_moved = is_moved_ && step_count_ > 0;
  writer.write(is_moved);
  if (is_moved) {
    writer.write(view(qpos_));
    writer.write(view(d_->qvel, m_->nv));
  }
  write_states(detachable_.states(), writer);
  writer.write(has_forces_);
  if (has_forces_) {
    writer.write(view(d_->qfrc_applied, m_->nv));
    writer.write(has_body_forces_);
    if (has_body_forces_) writer.write(view(d_->xfrc_applied, 6 * m_->nbody));
    writer.write(view(next_joint_force_));
  }
  writer.write(invalid_force_);
}

void MujocoWorld::restore(StateReader& reader) {
  for (const int size : sizes()) {
    if (reader.read<int>() != size) throw StateError("the state is of another model");
  }
  const auto step_count = reader.read<std::int64_t>();
  if (step_count < 0) throw StateError("the number of steps is negative");
  const Start start = read_start(reader);
  const auto is_moved = reader.read<bool>();
  std::vector<double> moved_qpos, moved_qvel;
  if (is_moved) {
    moved_qpos = read_numbers(reader, static_cast<std::size_t>(m_->nq));
    moved_qvel = read_numbers(reader, static_cast<std::size_t>(m_->nv));
  }
  const auto detachable = read_states(reader);
  const Forces forces = read_forces(reader);
  const std::string invalid_force = reader.read_string(1 << 16);

  clear_forces();
  go_to(start);
  step_count_ = step_count;
  if (step_count > 0) {
    set_forces(start.forces);
    --step_count_;
    had_forces_ = true;
    if (const Status status = step(); !status.ok())
      throw StateError("the state cannot be continued: " + to_string(status));
  } else {
    std::fill(joint_force_.begin(), joint_force_.end(), 0.0);
    forget_last_step();
    d_->solver_iter = 0;
  }
  if (is_moved) {
    qpos_ = moved_qpos;
    std::copy(moved_qvel.begin(), moved_qvel.end(), d_->qvel);
  }
  is_moved_ = is_moved;
  detachable_.set_states(detachable, *m_);
  std::copy(qpos_.begin(), qpos_.end(), d_->qpos);
  update_instant();
  set_forces(forces);
  invalid_force_ = invalid_force;
}

void MujocoWorld::set_forces(const Forces& forces) {
  if (!forces.any) return;
  has_forces_ = true;
  has_body_forces_ = forces.any_on_bodies;
  std::copy(forces.on_dofs.begin(), forces.on_dofs.end(), d_->qfrc_applied);
  if (forces.any_on_bodies) std::copy(forces.on_bodies.begin(), forces.on_bodies.end(), d_->xfrc_applied);
  next_joint_force_ = forces.by_joint;
}

MujocoWorld::Start MujocoWorld::read_start(StateReader& reader) const {
  Start start;
  start.qpos = read_numbers(reader, static_cast<std::size_t>(m_->nq));
  start.qvel = read_numbers(reader, static_cast<std::size_t>(m_->nv));
  start.warmstart = read_numbers(reader, static_cast<std::size_t>(m_->nv));
  start.detachable = read_states(reader);
  start.forces = read_forces(reader);
  return start;
}

void MujocoWorld::write_forces(const Forces& forces, StateWriter& writer) {
  writer.write(forces.any);
  if (!forces.any) return;
  writer.write(view(forces.on_dofs));
  writer.write(forces.any_on_bodies);
  if (forces.any_on_bodies) writer.write(view(forces.on_bodies));
  writer.write(view(forces.by_joint));
}

MujocoWorld::Forces MujocoWorld::read_forces(StateReader& reader) const {
  Forces forces;
  forces.any = reader.read<bool>();
  if (!forces.any) return forces;
  // NaN may wait here for step() to report it.
  forces.on_dofs.resize(static_cast<std::size_t>(m_->nv));
  forces.on_bodies.resize(static_cast<std::size_t>(6 * m_->nbody));
  forces.by_joint.resize(next_joint_force_.size());
  reader.read_into(std::span(forces.on_dofs));
  forces.any_on_bodies = reader.read<bool>();
  if (forces.any_on_bodies) reader.read_into(std::span(forces.on_bodies));
  reader.read_into(std::span(forces.by_joint));
  return forces;
}

void MujocoWorld::write_states(const std::vector<DetachableJoints::State>& states, StateWriter& writer) {
  for (const DetachableJoints::State& state : states) {
    writer.write(state.attached);
    writer.write(state.apart);
    writer.write(state.angle);
  }
}

std::vector<DetachableJoints::State> MujocoWorld::read_states(StateReader& reader) const {
  std::vector<DetachableJoints::State> states = detachable_.states();
  for (DetachableJoints::State& state : states) {
    state.attached = reader.read<bool>();
    state.apart = reader.read<bool>();
    state.angle = reader.read<double>();
    if (!std::isfinite(state.angle)) throw StateError("an angle of the state is not finite");
  }
  return states;
}

}  // namespace lockstep
