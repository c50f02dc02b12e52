#include "physics/mujoco/raw_mujoco.h"

#include <algorithm>

#include "physics/mujoco/compile.h"

namespace lockstep {

struct RawMujoco::Impl {
  CompiledModel compiled;
  MjDataPtr data;
};

RawMujoco::RawMujoco(const Model& model) : impl_(std::make_unique<Impl>(Impl{compile(model), nullptr})) {
  impl_->data.reset(mj_makeData(impl_->compiled.mujoco.get()));
  set_initial_state(impl_->compiled, *impl_->data);
}

void RawMujoco::reset() {
  mj_resetData(impl_->compiled.mujoco.get(), impl_->data.get());
  set_initial_state(impl_->compiled, *impl_->data);
}

RawMujoco::~RawMujoco() = default;
RawMujoco::RawMujoco(RawMujoco&&) noexcept = default;
RawMujoco& RawMujoco::operator=(RawMujoco&&) noexcept = default;

void RawMujoco::step(std::span<const double> qfrc_applied) {
  std::copy(qfrc_applied.begin(), qfrc_applied.end(), impl_->data->qfrc_applied);
  mj_step(impl_->compiled.mujoco.get(), impl_->data.get());
}

std::span<const double> RawMujoco::qpos() const {
  mj_normalizeQuat(impl_->compiled.mujoco.get(), impl_->data->qpos);
  return {impl_->data->qpos, static_cast<std::size_t>(impl_->compiled.mujoco->nq)};
}

std::span<const double> RawMujoco::qvel() const {
  return {impl_->data->qvel, static_cast<std::size_t>(impl_->compiled.mujoco->nv)};
}

std::size_t RawMujoco::position_offset(JointId joint) const {
  return static_cast<std::size_t>(impl_->compiled.mujoco->jnt_qposadr[impl_->compiled.joints[index(joint)]]);
}

std::size_t RawMujoco::velocity_offset(JointId joint) const {
  return static_cast<std::size_t>(impl_->compiled.mujoco->jnt_dofadr[impl_->compiled.joints[index(joint)]]);
}

}  // namespace lockstep
