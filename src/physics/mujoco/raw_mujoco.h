#pragma once

#include <memory>
#include <span>

#include "lockstep/model.h"

namespace lockstep {

/// MuJoCo alone, stepped by its own mj_step(): what a World is measured against. It is compiled from a model in
/// the same way; contacts follow MuJoCo's own mixing of materials.
class RawMujoco {
 public:
  explicit RawMujoco(const Model& model);
  ~RawMujoco();
  RawMujoco(RawMujoco&&) noexcept;
  RawMujoco& operator=(RawMujoco&&) noexcept;

  /// Back to the start, in the same memory.
  void reset();

  /// One mj_step() with these generalised forces, in MuJoCo's order; none leaves those of the last step.
  void step(std::span<const double> qfrc_applied = {});

  /// Positions with quaternions brought to unit length, as mj_step() itself does at the start of the next step.
  std::span<const double> qpos() const;
  std::span<const double> qvel() const;
  /// Where the numbers of a joint begin in qpos() and in qvel().
  std::size_t position_offset(JointId joint) const;
  std::size_t velocity_offset(JointId joint) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep
