#include "physics/mujoco/step_start.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

StepStart make_start(const MujocoInstance& instance, const AppliedForces& forces) {
  const auto dofs = static_cast<std::size_t>(instance.m->nv);
  StepStart start;
  start.qpos.resize(static_cast<std::size_t>(instance.m->nq));
  start.qvel.resize(dofs);
  start.warmstart.resize(dofs);
  start.detachable.reserve(instance.detachable.states().size());
  start.targets = instance.driven.targets();
  start.forces = forces.make_values();
  return start;
}

void copy_start(const MujocoInstance& instance, const Dynamics& dynamics, const AppliedForces& forces,
                StepStart& start) {
  std::copy(dynamics.positions().begin(), dynamics.positions().end(), start.qpos.begin());
  std::copy_n(instance.d->qvel, instance.m->nv, start.qvel.begin());
  std::copy_n(instance.d->qacc_warmstart, instance.m->nv, start.warmstart.begin());
  if (!instance.detachable.empty()) start.detachable = instance.detachable.states();
  std::copy(instance.driven.targets().begin(), instance.driven.targets().end(), start.targets.begin());
  forces.copy_to(start.forces);
}

void restore_start(const StepStart& start, MujocoInstance& instance, Dynamics& dynamics) {
  mjData& d = *instance.d;
  std::copy(start.qpos.begin(), start.qpos.end(), d.qpos);
  std::copy(start.qvel.begin(), start.qvel.end(), d.qvel);
  std::copy(start.warmstart.begin(), start.warmstart.end(), d.qacc_warmstart);
  if (!instance.detachable.empty()) instance.detachable.set_states(start.detachable, *instance.m);
  instance.driven.set_targets(start.targets);
  std::fill(std::begin(d.warning), std::end(d.warning), mjWarningStat{});
  dynamics.update_instant();
}

void write_start(const StepStart& start, StateWriter& writer) {
  for (const std::vector<double>* numbers : {&start.qpos, &start.qvel, &start.warmstart})
    writer.write(std::span<const double>(*numbers));
  write_states(start.detachable, writer);
  write_targets(start.targets, writer);
  AppliedForces::write(start.forces, writer);
}

void write_resting_start(const MujocoInstance& instance, const Dynamics& dynamics, StateWriter& writer) {
  writer.write(std::span<const double>(dynamics.positions()));
  write_numbers(instance.d->qvel, instance.m->nv, writer);
  write_numbers(instance.d->qacc_warmstart, instance.m->nv, writer);
  write_states(instance.detachable.states(), writer);
  write_targets(std::vector<DrivenJoints::Target>(instance.driven.dofs().size()), writer);
  AppliedForces::write(AppliedForces::Values{}, writer);
}

StepStart read_start(StateReader& reader, const MujocoInstance& instance, const AppliedForces& forces) {
  StepStart start;
  start.qpos = read_numbers(reader, instance.m->nq);
  start.qvel = read_numbers(reader, instance.m->nv);
  start.warmstart = read_numbers(reader, instance.m->nv);
  start.detachable = read_states(reader, instance);
  start.targets = read_targets(reader, instance);
  start.forces = forces.read(reader);
  return start;
}

void write_states(const std::vector<DetachableJoints::State>& states, StateWriter& writer) {
  for (const DetachableJoints::State& state : states) {
    writer.write(state.attached);
    writer.write(state.apart);
    writer.write(state.angle);
  }
}

std::vector<DetachableJoints::State> read_states(StateReader& reader, const MujocoInstance& instance) {
  std::vector<DetachableJoints::State> states = instance.detachable.states();
  for (DetachableJoints::State& state : states) {
    state.attached = reader.read<bool>();
    state.apart = reader.read<bool>();
    state.angle = reader.read<double>();
    if (!std::isfinite(state.angle)) throw StateError("an angle of the state is not finite");
  }
  return states;
}

void write_targets(const std::vector<DrivenJoints::Target>& targets, StateWriter& writer) {
  for (const DrivenJoints::Target& target : targets) {
    writer.write(target.is_given);
    writer.write(target.end.position);
    writer.write(target.end.velocity);
  }
}

std::vector<DrivenJoints::Target> read_targets(StateReader& reader, const MujocoInstance& instance) {
  std::vector<DrivenJoints::Target> targets(instance.driven.dofs().size());
  for (DrivenJoints::Target& target : targets) {
    target.is_given = reader.read<bool>();
    target.end.position = reader.read<double>();
    target.end.velocity = reader.read<double>();
  }
  return targets;
}

std::vector<double> read_numbers(StateReader& reader, int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  reader.read_into(std::span(values));
  for (const double value : values) {
    if (!std::isfinite(value)) throw StateError("a number of the state is not finite");
  }
  return values;
}

void write_numbers(const double* numbers, int count, StateWriter& writer) {
  writer.write(std::span<const double>(numbers, static_cast<std::size_t>(count)));
}

}  // namespace lockstep
