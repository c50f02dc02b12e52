#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "lockstep/model.h"

/// The inertia that joints move, without an engine: for stability limits and for the gains of drives.
namespace lockstep {

/// Kinetic energy = v^T M v / 2 over the velocities v of all joints. Loops are open, couplings free.
struct MassMatrix {
  Eigen::MatrixXd matrix;    ///< M; kg m^2, kg m or kg
  std::vector<int> columns;  ///< the first of each joint, by JointId
};

/// M with the bodies at `poses`, X_WB by BodyId, as from calc_poses().
MassMatrix calc_mass_matrix(const Model& model, std::span<const Pose> poses);

/// Adds the joints that follow others to those they follow. Rows and columns of followers become those of the
/// identity.
void add_followers(const Model& model, MassMatrix& mass);

/// The load of gravity on the hinge or slide of each body that has one, by BodyId, and its largest value in any
/// orientation of the robot: weight times distance of the centre of mass from the axis; for a slide the weight.
struct WeightOnJoint {
  double below = 0.0;  ///< of what the joint carries, N m or N
  double above = 0.0;  ///< of the rest of its robot, as seen by the leg of a robot that stands
};
std::vector<WeightOnJoint> calc_weights(const Model& model, std::span<const Pose> poses);

/// The largest eigenvalue of M^-1 diag(d), for d >= 0: the rate of the fastest decay with damping d, 1/s, or the
/// square of the fastest frequency with stiffness d. M must be positive definite; otherwise infinity.
double calc_largest_rate(const Eigen::MatrixXd& mass_matrix, const Eigen::VectorXd& diagonal);

}  // namespace lockstep
