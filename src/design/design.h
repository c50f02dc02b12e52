#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/assembly.h"
#include "scenario/scenario.h"

/// A robot on its way from parts to a simulation model.
///
/// Everything is in the frame A of the assembly with all joints at zero, so that no operation has to move
/// what another one has set. Link frames are cut out of it at the very end (result.h): each has the axes of A
/// and its origin at the joint.
namespace lockstep {

enum class CollisionRule {
  kBest,  ///< whatever fits well enough at the least cost
  kBox,   ///< the smallest around it, turned as it likes; so the next three
  kSphere,
  kCapsule,
  kCylinder,
  kHull,             ///< convex
  kBoundingCapsule,  ///< from the box around it: the rule of iRMSS
  kNone,
};

/// How the collision shapes of a body come about.
struct CollisionChoice {
  CollisionRule rule = CollisionRule::kBest;
  bool each_part = false;       ///< for each part of the body, instead of all of them together
  double max_error = 0.05;      ///< for kBest: largest distance, as a part of the size
  std::int64_t max_shapes = 8;  ///< for kBest
};

/// Mass properties given instead of computed. Only the mass: that of the volumes, scaled to it.
struct GivenMass {
  double mass = 1.0;             ///< kg
  std::optional<Vec3> center;    ///< p_AC_A, m
  std::optional<Vec3> diagonal;  ///< Ixx Iyy Izz about the centre, axes of A, kg m^2
  Vec3 products = Vec3::Zero();  ///< Ixy Ixz Iyz as matrix entries
};

/// A link of the robot, or an object beside it.
struct DesignBody {
  Place place;
  std::string name;
  std::string parent;          ///< "" for the root, and for an object
  std::vector<int> parts;      ///< of the assembly, each with a shape
  std::optional<Joint> joint;  ///< position and axis in A
  Vec3 origin = Vec3::Zero();  ///< of its frame in A, m
  std::string material;        ///< "": what the file says of each part, else the built-in one
  std::optional<GivenMass> mass;
  CollisionChoice collision;
  std::vector<Site> sites;  ///< poses in A
  bool is_static = false;   ///< an object that never moves
};

struct Design {
  std::shared_ptr<const Assembly> assembly;  ///< shared by all states of a design: it never changes
  std::string robot = "robot";
  Pose pose;  ///< X_WA
  std::vector<DesignBody> links;
  std::vector<DesignBody> objects;
  std::vector<Loop> loops;
  std::vector<int> left_out;  ///< parts that are in no body on purpose
  Devices devices;
  Scenario surroundings;  ///< what the result has beside the robot
};

}  // namespace lockstep
