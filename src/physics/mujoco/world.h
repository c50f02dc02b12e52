#pragma once

#include <array>
#include <memory>
#include <vector>

#include "physics/engine.h"
#include "physics/mujoco/compile.h"
#include "physics/mujoco/detachable.h"
#include "physics/mujoco/impacts.h"
#include "physics/mujoco/joint_reactions.h"
#include "physics/mujoco/runge_kutta.h"

namespace lockstep {

/// World by MuJoCo.
///
/// MuJoCo's own mj_step() computes Cartesian data, then integrates, and so leaves them one step behind. Here
/// the same pieces run in another order: what depends on forces, integration, then positions and velocities of
/// the new instant. The trajectory is the same bit for bit and the cost is the same.
///
/// It never calls mj_forward() or mj_check…(): the former would move the warm start, the latter would reset a
/// diverged state.
class MujocoWorld final : public World {
 public:
  explicit MujocoWorld(std::shared_ptr<const Model> model);

  const Model& model() const override { return *model_; }
  std::int64_t step_count() const override { return step_count_; }

  Pose body_pose(BodyId body) const override;
  Twist body_velocity(BodyId body) const override;
  Twist body_acceleration(BodyId body) const override;
  std::span<const double> joint_position(JointId joint) const override;
  std::span<const double> joint_velocity(JointId joint) const override;
  std::span<const double> joint_force(JointId joint) const override;
  Wrench joint_reaction(JointId joint) const override;
  bool is_attached(JointId joint) const override;

  std::span<const ContactPoint> contacts() const override { return tracked_.contacts; }
  Energy energy() const override;
  Momentum momentum() const override;
  SolverStatistics statistics() const override;
  std::optional<RayHit> cast_ray(const Vec3& origin, const Vec3& direction, double range,
                                 std::span<const BodyId> ignored) const override;

  void add_joint_force(JointId joint, std::span<const double> force) override;
  void add_body_force(BodyId body, const Vec3& point_W, const Wrench& wrench) override;
  void set_attached(JointId joint, bool attached) override;
  void set_joint_position(JointId joint, double position) override;
  void track(Tracking tracking) override;

  Status step() override;

  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  /// What is kept of a step beyond the state it leads to.
  struct Tracked {
    std::vector<ContactPoint> contacts;
    std::vector<Twist> accelerations;  // by body
    std::vector<Wrench> reactions;     // by joint
  };

  /// Forces handed over for one step.
  struct Forces {
    bool any = false;               // else the rest is meaningless
    bool any_on_bodies = false;     // else on_bodies is meaningless
    std::vector<double> on_dofs;    // MuJoCo's qfrc_applied
    std::vector<double> on_bodies;  // MuJoCo's xfrc_applied
    std::vector<double> by_joint;   // as handed to add_joint_force()
  };

  /// All that a step begins with.
  struct Start {
    std::vector<double> qpos;
    std::vector<double> qvel;
    std::vector<double> warmstart;
    std::vector<DetachableJoints::State> detachable;
    Forces forces;
  };

  // world_step.cc
  void run_position_stage(bool at_an_instant);
  void run_velocity_stage();
  void make_constraints();
  void resolve_impacts();
  void update_instant();
  void drop_damping_of_slack_ropes();
  bool advance(Status& status);
  bool advance_explicitly(Status& status);
  bool advance_implicitly(Status& status);
  void calc_acceleration();
  bool acceleration_is_good(Status& status) const;
  bool state_is_good(Status& status) const;
  bool has_room(Status& status) const;
  void begin_capture();
  void capture_step();
  void capture_contacts();
  void capture_accelerations();
  void capture_reactions();
  void forget_last_step();
  bool is_tracking() const { return tracking_.contact_forces || tracking_.accelerations; }
  void copy_start(Start& start) const;
  void go_to(const Start& start);
  void clear_forces();
  Status fail(Status status);
  std::string name_of_dof(int dof) const;
  std::string name_of_coordinate(int coordinate) const;

  // world_state.cc
  std::array<int, 7> sizes() const;  // tells models apart
  static void write_forces(const Forces& forces, StateWriter& writer);
  static void write_states(const std::vector<DetachableJoints::State>& states, StateWriter& writer);
  Start read_start(StateReader& reader) const;
  Forces read_forces(StateReader& reader) const;
  std::vector<DetachableJoints::State> read_states(StateReader& reader) const;
  void set_forces(const Forces& forces);

  std::shared_ptr<const Model> model_;
  CompiledModel compiled_;
  DetachableJoints detachable_;
  mjModel* m_ = nullptr;  // of compiled_; ours alone, so that closures can be switched
  MjDataPtr data_;
  mjData* d_ = nullptr;  // of data_
  RungeKutta4 runge_kutta_;
  Impacts impacts_;
  bool has_box_pairs_ = false;

  std::int64_t step_count_ = 0;
  bool is_moved_ = false;  // a joint was put elsewhere since the last step
  // Positions before MuJoCo brings quaternions to unit length, which done twice gives other bits than done
  // once.
  std::vector<double> qpos_;
  std::array<Start, 2> starts_;      // the two below, which change places in every step
  Start* start_ = &starts_[0];       // of the step being taken: where to go back to if it fails
  Start* last_start_ = &starts_[1];  // of the step that led here; meaningful after the first step
  Tracking tracking_;                // with all that joint reactions need
  JointReactions reactions_;
  Tracked tracked_;
  Tracked capturing_;  // becomes tracked_ when the step has succeeded

  /// Where the numbers of a joint stand; asked for by every device in every step.
  struct JointPlace {
    std::span<const double> position;
    std::span<const double> velocity;
    double* applied = nullptr;     // in MuJoCo's qfrc_applied; none if it has no such joint
    std::size_t force_offset = 0;  // into the two vectors below
    std::size_t force_count = 0;
    bool detachable = false;
  };
  void find_joints();

  std::vector<JointPlace> joints_;
  std::vector<double> next_joint_force_;
  std::vector<double> joint_force_;
  bool has_forces_ = false;
  bool has_body_forces_ = false;
  bool had_forces_ = false;
  std::string invalid_force_;  // first joint or body that was handed NaN or infinity
};

}  // namespace lockstep
