#pragma once

#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/model.h"
#include "scenario/fields.h"

/// The check by forward kinematics: points of links, for given joint positions, against where they ought to be.
///
/// A point v of link n, given with all joints at zero, must come to v' = M_n v, where M_n = M_{n-1} T_n R_n
/// T_n⁻¹ turns about the joint of every link on the way.
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
  v.number("position", j.position, {.unit = "rad or m", .doc = "Where it is put.", .required = true});
}

template <class V>
void describe(V& v, ExpectedPoint& p) {
  v.text("link", p.link, {.doc = "Link that the point moves with.", .required = true});
  v.vector("at", p.at,
           {.unit = "m", .doc = "The point in the assembly, with all joints at zero.", .required = true});
  v.vector("expected", p.expected,
           {.unit = "m", .doc = "Where it must be then, in the same frame.", .required = true});
}

template <class V>
void describe(V& v, Expectation& e) {
  v.text("name", e.name, {.doc = "For messages."});
  v.number("tolerance", e.tolerance,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "How far off it may be."});
  v.children("joint_position", e.joints, {.doc = "Puts a joint to a position; all others are at zero."});
  v.children("expected_point", e.points, {.doc = "A point, and where it must be."}, {1});
}

/// A file of expectations alone, for a scenario.
struct ExpectationFile {
  std::vector<Expectation> expectations;
};

template <class V>
void describe(V& v, ExpectationFile& f) {
  v.children("expect", f.expectations, {.doc = "Where points must be for given joint positions."}, {1});
}

/// Reports what is not where it is expected as errors, what is as notes. `robot` is the name of the robot,
/// whose frame is X_WR.
void check_expectations(const std::vector<Expectation>& expectations, const Model& model,
                        const std::string& robot, const Pose& X_WR, Diagnostics& diagnostics);

/// The model with all joints that are not free at zero.
Model at_zero(const Model& model);

}  // namespace lockstep
