#pragma once

#include <span>
#include <string>
#include <vector>

#include "lockstep/state.h"
#include "physics/mujoco/instance.h"

namespace lockstep {

/// Forces handed over for the coming step: they add up in MuJoCo's qfrc_applied and xfrc_applied, and what was
/// handed to joints is kept beside them, because MuJoCo does not tell it apart from what a detachable joint
/// does to its bodies.
class AppliedForces {
 public:
  /// All of them, as a value.
  struct Values {
    bool any = false;               ///< else the rest is meaningless
    bool any_on_bodies = false;     ///< else on_bodies is meaningless
    std::vector<double> on_dofs;    ///< MuJoCo's qfrc_applied
    std::vector<double> on_bodies;  ///< MuJoCo's xfrc_applied
    std::vector<double> by_joint;   ///< as handed to add_to_joint()
  };

  explicit AppliedForces(MujocoInstance& instance);

  void add_to_joint(JointId joint, std::span<const double> force);
  void add_to_body(BodyId body, const Vec3& point_W, const Wrench& wrench);

  /// The first joint or body that was handed NaN or infinity; empty if all are finite.
  const std::string& invalid() const { return invalid_; }

  std::span<const double> next_of(JointId joint) const;  ///< handed over for the coming step
  std::span<const double> last_of(JointId joint) const;  ///< of the step that led here

  /// After a step: forces are handed over again for each; what was handed to joints can still be read.
  void finish_step();
  void clear();        ///< those of the coming step
  void forget_last();  ///< those of the last step

  Values make_values() const;  ///< in full size, so that copy_to() never allocates
  void copy_to(Values& values) const;
  /// After clear().
  void set(const Values& values);

  /// Those of the coming step, in the same bytes as a value of them.
  void write(StateWriter& writer) const;
  static void write(const Values& values, StateWriter& writer);
  Values read(StateReader& reader) const;
  void set_invalid(std::string name) { invalid_ = std::move(name); }

 private:
  /// Values wherever they are.
  struct View {
    bool any = false;
    bool any_on_bodies = false;
    std::span<const double> on_dofs;
    std::span<const double> on_bodies;
    std::span<const double> by_joint;
  };
  static void write(const View& view, StateWriter& writer);

  MujocoInstance& instance_;
  std::vector<double> next_;  // by joint
  std::vector<double> last_;
  bool has_any_ = false;
  bool has_any_on_bodies_ = false;
  bool had_any_ = false;
  std::string invalid_;
};

}  // namespace lockstep
