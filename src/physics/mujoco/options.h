#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/math.h"
#include "scenario/fields.h"
#include "scenario/scenario.h"

/// Options specific to MuJoCo: the child elements <mujoco> of <engine>, of joints and of other constraints, as
/// plain structs. lockstep/fields.h explains the describe() functions.
namespace lockstep {

inline constexpr std::string_view kMujoco = "mujoco";  ///< name of the engine and of its elements

enum class FrictionCone { kPyramidal, kElliptic };
enum class Solver { kNewton, kCg, kPgs };

/// <mujoco> in <engine>.
struct MujocoOptions {
  Solver solver = Solver::kNewton;
  FrictionCone cone = FrictionCone::kElliptic;
  double friction_impedance_ratio = 1.0;  ///< MuJoCo's impratio; above 1: less creep at rest
  bool level_sliding = true;              ///< removes the lift that a convex friction cone gives sliding bodies
  bool steady_spin = true;                ///< integrates rotations with conserved energy and full order
  bool static_parents_collide = false;    ///< with their child links, as in MuJoCo
  std::vector<double> contact_impedance = {0.9999, 0.9999, 0.001};  ///< at zero depth, at width, width in m
  std::vector<double> constraint_impedance = {0.9999, 0.9999, 0.001};
  std::optional<std::int64_t> max_contacts;  ///< default: grows as needed
};

/// <mujoco> in <material_pair>.
struct MujocoContactOptions {
  std::optional<Vec3> impedance;  ///< at zero depth, at the width, width in m; default that of MujocoOptions
  double margin = 0.0;            ///< distance below which shapes are in contact, m
  double gap = 0.0;               ///< how much closer they must be before it exerts a force, m
};

/// <mujoco> in <loop>, <coupling> and <tendon>.
struct MujocoConstraintOptions {
  std::optional<Vec3> impedance;  ///< at zero, at the width, width in m or rad; default that of MujocoOptions
};

/// <mujoco> in <joint>.
struct MujocoJointOptions {
  std::optional<JointType> type;  ///< of the joint, if known: not an attribute, but it determines the units
  double reference = 0.0;         ///< position at which constraints are scaled, rad or m
  std::optional<Vec3> impedance;  ///< of stops and dry friction
};

/// The options in the engine children `own`, starting from `value`; children of other engines are ignored.
template <class T>
T read_own(const std::vector<Element>& own, Diagnostics& diagnostics, T value = {}) {
  for (const Element& element : own) {
    if (element.name == kMujoco) FieldReader(element, diagnostics).read_into(element, value);
  }
  return value;
}

/// The inverse: no element if all values are defaults.
template <class T>
std::vector<Element> write_own(const T& value) {
  Element element = write_fields(kMujoco, value, Defaults::kOmit);
  if (element.attributes.empty()) return {};
  return {std::move(element)};
}

inline constexpr std::array<std::pair<std::string_view, Solver>, 3> kSolvers = {{
    {"newton", Solver::kNewton},
    {"cg", Solver::kCg},
    {"pgs", Solver::kPgs},
}};
inline constexpr std::array<std::pair<std::string_view, FrictionCone>, 2> kFrictionCones = {{
    {"pyramidal", FrictionCone::kPyramidal},
    {"elliptic", FrictionCone::kElliptic},
}};

/// MuJoCo clamps impedances to this range; values outside are an error here instead of a silent change.
inline constexpr double kMinImpedance = 0.0001, kMaxImpedance = 0.9999;

template <class V>
void describe(V& v, MujocoOptions& o) {
  v.choice("solver", o.solver, kSolvers, {.doc = "Constraint solver."});
  v.choice(
      "cone", o.cone, kFrictionCones,
      {.doc = "Shape of the friction cone: elliptic is exact; pyramidal is faster, and has up to 29 % less "
              "friction in directions between its four edges, most at 45 degrees."});
  v.number("friction_impedance_ratio", o.friction_impedance_ratio,
           {.min = 0.0, .max = 1e4, .above_min = true, .doc = "MuJoCo's impratio; above 1: less creep."});
  v.flag(
      "level_sliding", o.level_sliding,
      {.doc =
           "Removes the lift that MuJoCo's convex friction gives sliding bodies, which would hop. Without it, "
           "results are those of plain mj_step: contacts without restitution rebound a little, and fast "
           "bodies may pass through thin ones."});
  v.flag(
      "steady_spin", o.steady_spin,
      {.doc = "Integrates rotations of free and ball joints so that euler and implicit conserve their energy "
              "and rk4 has fourth order. With MuJoCo's own methods the energy grows (euler) or decays "
              "(implicit), and rk4 has second order. Without it, results are those of plain mj_step."});
  v.flag("static_parents_collide", o.static_parents_collide,
         {.doc = "Whether a moving link collides with its parent if that is static, as in MuJoCo."});
  v.numbers(
      "contact_impedance", o.contact_impedance, {3, 3},
      {.min = kMinImpedance,
       .max = kMaxImpedance,
       .doc = "Impedance of contacts at depth zero, at the width, and the width in m. Nearer to 1 is harder."});
  v.numbers("constraint_impedance", o.constraint_impedance, {3, 3},
            {.min = kMinImpedance,
             .max = kMaxImpedance,
             .doc = "Like contact_impedance, for loops, limits and locks."});
  v.integer("max_contacts", o.max_contacts,
            {.min = 1,
             .max = 100'000,
             .doc = "Capacity for contacts. Default: as many as needed, while memory allows."});
}

template <class V>
void describe_impedance(V& v, std::optional<Vec3>& impedance) {
  v.vector("impedance", impedance,
           {.min = kMinImpedance,
            .max = kMaxImpedance,
            .doc = "At zero, at the width, and the width. Optional, default as in <engine>."});
}

template <class V>
void describe(V& v, MujocoContactOptions& o) {
  describe_impedance(v, o.impedance);
  v.number("margin", o.margin,
           {.unit = "m",
            .min = 0.0,
            .max = 1e3,
            .doc = "Distance below which shapes are in contact; they are pushed apart to this distance."});
  v.number("gap", o.gap,
           {.unit = "m",
            .min = 0.0,
            .max = 1e3,
            .doc = "Reduces the distance to which they are pushed apart to margin - gap."});
}

template <class V>
void describe(V& v, MujocoConstraintOptions& o) {
  describe_impedance(v, o.impedance);
}

template <class V>
void describe(V& v, MujocoJointOptions& o) {
  const bool slides = o.type == JointType::kSlide;
  if (!o.type || slides || o.type == JointType::kHinge) {
    v.number("reference", o.reference,
             {.unit = !o.type  ? "rad or m"
                      : slides ? "m"
                               : "rad",
              .doc = "Position at which MuJoCo scales constraints: contacts, limits and loops have about "
                     "the specified softness while the robot is near it (hinge, slide)."});
  } else {
    v.no_meaning("reference", "a ball joint");
  }
  describe_impedance(v, o.impedance);
}

}  // namespace lockstep
