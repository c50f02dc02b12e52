#pragma once

#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/model.h"
#include "scenario/fields.h"

/// Forward kinematics check: positions of points on links for given joint positions.
///
/// A point v of link n, given with all joints at zero, must be at v' = M_n v, where M_n = M_{n-1} T_n R_n
/// T_n⁻¹ rotates about the joint of every link from the root to n.
namespace lockstep {

struct ExpectedJoint {
  Place place;
  std::string joint;
  double position = 0.0;  ///< rad or m
};

struct ExpectedPoint {
  Place place;
  std::string link;
  Vec3 at = Vec3::Zero();        ///< in the frame of the robot with all joints at zero, m
  Vec3 expected = Vec3::Zero();  ///< in the frame of the robot, m
};

/// <expect>: one pose of a robot.
struct Expectation {
  Place place;
  std::string name;
  double tolerance = 1e-4;            ///< m
  std::vector<ExpectedJoint> joints;  ///< all others are at zero
  std::vector<ExpectedPoint> points;
};

template <class V>
void describe(V& v, ExpectedJoint& j) {
  v.text("joint", j.joint, {.doc = "Joint of the robot.", .required = true});
  v.number("position", j.position, {.unit = "rad or m", .doc = "Joint position.", .required = true});
}

template <class V>
void describe(V& v, ExpectedPoint& p) {
  v.text("link", p.link, {.doc = "Link that the point moves with.", .required = true});
  v.vector("at", p.at,
           {.unit = "m", .doc = "The point in the assembly, with all joints at zero.", .required = true});
  v.vector("expected", p.expected,
           {.unit = "m", .doc = "Expected position, in the same frame.", .required = true});
}

template <class V>
void describe(V& v, Expectation& e) {
  v.text("name", e.name, {.doc = "Name in messages."});
  v.number("tolerance", e.tolerance, {.unit = "m", .min = 0.0, .above_min = true, .doc = "Maximum error."});
  v.children("joint_position", e.joints, {.doc = "Sets a joint position; all others are zero."});
  v.children("expected_point", e.points, {.doc = "A point and its expected position."}, {1});
}

/// A file of expectations for a scenario.
struct ExpectationFile {
  std::vector<Expectation> expectations;
};

template <class V>
void describe(V& v, ExpectationFile& f) {
  v.children("expect", f.expectations, {.doc = "Expected positions of points for given joint positions."}, {1});
}

/// Reports points off their expected position as errors, the others as notes. `robot` is the name of the robot,
/// whose frame is X_WR.
void check_expectations(const std::vector<Expectation>& expectations, const Model& model,
                        const std::string& robot, const Pose& X_WR, Diagnostics& diagnostics);

/// The model with all joints that are not free at zero.
Model at_zero(const Model& model);

}  // namespace lockstep
