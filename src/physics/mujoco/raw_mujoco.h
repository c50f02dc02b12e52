#pragma once

#include <memory>
#include <span>

#include "lockstep/model.h"

namespace lockstep {

/// Plain MuJoCo, stepped by its own mj_step(), as the reference for a World. It is compiled from a model in the
/// same way; contacts use MuJoCo's own mixing of materials.
class RawMujoco {
 public:
  explicit RawMujoco(const Model& model);
  ~RawMujoco();
  RawMujoco(RawMujoco&&) noexcept;
  RawMujoco& operator=(RawMujoco&&) noexcept;

  /// Resets to the start, in the same memory.
  void reset();

  /// One mj_step() with these generalised forces, in MuJoCo's order; empty keeps those of the last step.
  void step(std::span<const double> qfrc_applied = {});

  /// Positions with normalised quaternions, as mj_step() itself does at the start of the next step.
  std::span<const double> qpos() const;
  std::span<const double> qvel() const;
  /// Index of the first value of a joint in qpos() and qvel(). For the base of a tree with another root
  /// (tree_layout.h), that of the root.
  std::size_t position_offset(JointId joint) const;
  std::size_t velocity_offset(JointId joint) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep
