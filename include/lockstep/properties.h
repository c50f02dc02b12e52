#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/math.h"
#include "lockstep/shapes.h"

/// What a scenario file states and the model keeps as it is: materials, what surrounds everything, types of
/// joints and loops, and how the physics engine solves. Plain data with the defaults of the file format.
namespace lockstep {

/// How a joint lets a link move against its parent.
enum class JointType {
  kFixed,  ///< not at all; as a detachable joint it can be released
  kHinge,  ///< turns about one axis, rad
  kSlide,  ///< moves along one axis, m
  kBall,   ///< turns about any axis
  kFree,   ///< moves and turns freely, as a vehicle does
};

/// What two sites that close a kinematic loop have in common.
enum class LoopType {
  kPoint,  ///< their origins
  kHinge,  ///< their origins and their z axes
  kWeld,   ///< position and orientation
};

/// <material>: what a shape is made of.
struct Material {
  Place place;                      ///< where it was written
  std::string name;                 ///< unique; "default" is the one that shapes without a material have
  double density = 1000.0;          ///< kg/m^3
  double friction = 0.8;            ///< Coulomb coefficient against the same material
  double torsional_friction = 0.0;  ///< torque about the normal per normal force, m
  double rolling_friction = 0.0;    ///< torque against rolling per normal force, m
  double restitution = 0.0;         ///< speed after a bounce per speed before it, 0…1
  std::optional<double> stiffness;  ///< of a contact, N/m; default: as stiff as the step allows
  Color color = {0.6, 0.62, 0.65, 1.0};
};

/// <medium>: what surrounds everything. Above `water_level` is air, below it water.
struct Medium {
  Place place;                        ///< where it was written
  double air_density = 0.0;           ///< kg/m^3; 0 means vacuum
  double air_viscosity = 0.0;         ///< Pa s
  Vec3 wind = Vec3::Zero();           ///< velocity of the air, world axes, m/s
  std::optional<double> water_level;  ///< z of the surface, m; none: no water
  double water_density = 1000.0;      ///< kg/m^3
  double water_viscosity = 1.0e-3;    ///< Pa s
  Vec3 current = Vec3::Zero();        ///< velocity of the water, world axes, m/s
};

/// How firmly one constraint (a stop, a contact, a loop, a coupling) holds, where that differs from what
/// <engine> says for all. An error e of the constraint decays as a damped spring does:
///
///     e'' + (2 / T) e' + e / (T z)^2 = 0,    time constant T, damping ratio z (1: critically damped)
struct Firmness {
  std::optional<double> time_constant;  ///< T, s; stable from about 2 steps on
  std::optional<double> damping_ratio;  ///< z
  /// Options that only the engine in use has: a child element of its name, as written. The engine reads it.
  std::vector<Element> own = {};
};

/// How the engine integrates one step.
enum class Integrator {
  kEuler,     ///< semi-implicit; one evaluation per step
  kImplicit,  ///< implicit in velocities, for strong damping
  kRk4,       ///< Runge-Kutta, fourth order; four evaluations per step
};

/// <engine>: which physics engine, and how it solves, as far as that means the same for every engine.
struct EngineOptions {
  Place place;                  ///< where it was written
  std::string name = "mujoco";  ///< of the engine
  Integrator integrator = Integrator::kEuler;
  std::int64_t iterations = 100;  ///< of the constraint solver, at most, per step
  double tolerance = 1e-10;       ///< improvement of an iteration below which the solver ends early
  /// T and z of contacts, as in Firmness. T in s; default 2 steps.
  std::optional<double> contact_time_constant;
  double contact_damping_ratio = 2.0;
  /// T and z of loops, limits and locks. T in s; default 2 steps.
  std::optional<double> constraint_time_constant;
  double constraint_damping_ratio = 1.0;
  /// Growth of the energy without a cause that ends a run, relative to the energy that the bodies have and have
  /// exchanged; see simulation/energy_balance.h. Zero: never.
  double energy_bound = 0.1;
  /// Options that only this engine has, as in Firmness.
  std::vector<Element> own = {};
};

}  // namespace lockstep
