#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/assembly.h"
#include "scenario/scenario.h"

/// A robot design: parts of an assembly on the way to a simulation model.
///
/// Everything is in the frame A of the assembly with all joints at zero, so that no operation has to move
/// the result of another. Link frames are defined at the end (result.h): each has the axes of A and its origin
/// at the joint.
namespace lockstep {

enum class CollisionRule {
  kBest,  ///< the cheapest shapes that fit well enough
  kBox,   ///< the smallest enclosing one, of any orientation; so the next three
  kSphere,
  kCapsule,
  kCylinder,
  kHull,             ///< convex
  kBoundingCapsule,  ///< from the bounding box: the rule of iRMSS
  kNone,
};

/// How the collision shapes of a body are made.
struct CollisionChoice {
  CollisionRule rule = CollisionRule::kBest;
  bool each_part = false;       ///< for each part of the body, instead of all of them together
  double max_error = 0.05;      ///< for kBest: maximum error, relative to the size
  std::int64_t max_shapes = 8;  ///< for kBest
};

/// Mass properties given instead of computed. If only the mass is given, the computed inertia is scaled to it.
struct GivenMass {
  double mass = 1.0;             ///< kg
  std::optional<Vec3> center;    ///< p_AC_A, m
  std::optional<Vec3> diagonal;  ///< Ixx Iyy Izz about the centre, axes of A, kg m^2
  Vec3 products = Vec3::Zero();  ///< Ixy Ixz Iyz as matrix entries
};

/// A link of the robot, or an object.
struct DesignBody {
  Place place;
  std::string name;
  std::string parent;          ///< "" for the root, and for an object
  std::vector<int> parts;      ///< of the assembly, each with a shape
  std::optional<Joint> joint;  ///< position and axis in A
  Vec3 origin = Vec3::Zero();  ///< of its frame in A, m
  std::string material;        ///< "": that of each part in the file, else the built-in one
  std::optional<GivenMass> mass;
  CollisionChoice collision;
  std::vector<Site> sites;  ///< poses in A
  bool is_static = false;   ///< an object that never moves
};

struct Design {
  std::shared_ptr<const Assembly> assembly;  ///< shared by all versions of a design; constant
  std::string robot = "robot";
  Pose pose;  ///< X_WA
  std::vector<DesignBody> links;
  std::vector<DesignBody> objects;
  std::vector<Loop> loops;
  std::vector<int> ignored;  ///< parts that are not simulated
  Devices devices;
  Scenario environment;  ///< the scenario around the robot
};

}  // namespace lockstep
