#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/model.h"
#include "lockstep/world.h"
#include "scenario/fields.h"

/// What makes worlds. A physics engine is a class with a name, a list of what it can do, a description of the
/// options that only it has, and two functions over a model: check() and make_world(). The registry
/// (assemble/registry.h) holds engines; a program adds its own with `registry.engines.add(…)`.
namespace lockstep {

/// What an engine can do beyond rigid bodies in trees with contacts, which every engine can. The conformance
/// suite skips what an engine lacks, `lockstep check` and the reference list it.
struct EngineCapabilities {
  std::vector<Integrator> integrators;
  bool closed_loops = false;       ///< <loop>
  bool couplings = false;          ///< <coupling>: joints that follow others
  bool springs_and_ropes = false;  ///< <spring> and <rope>
  bool height_fields = false;      ///< <terrain>
  bool meshes = false;             ///< collision by the convex hull of a mesh
  bool restitution = false;        ///< bounces
  bool rolling_friction = false;   ///< and torsional friction
  bool detachable_joints = false;
  bool joint_friction = false;   ///< dry friction in joints
  bool ray_casts = false;        ///< World::cast_ray()
  bool contact_forces = false;   ///< World::contacts()
  bool joint_reactions = false;  ///< World::joint_reaction()
  bool exact_restore = false;    ///< bit for bit, in another process as well
};

/// All but the integrators, by name, in the order above: "closed_loops" and so on.
std::vector<std::pair<std::string_view, bool>> list_capabilities(const EngineCapabilities& capabilities);
/// "euler, implicit, rk4"
std::string list_integrators(const EngineCapabilities& capabilities);

/// An element of the engine's name in one place of the scenario file, with options that only it has.
struct EngineChild {
  EngineHost host = EngineHost::kEngine;
  ElementSchema schema;
  /// The element with every default written out; as it is if something is wrong with it.
  std::function<Element(const Element&)> write_out;
};

/// `Config` is a plain struct with a describe() function (lockstep/fields.h).
template <class Config>
EngineChild make_engine_child(EngineHost host, std::string_view engine, std::string_view doc) {
  return {host, schema_of<Config>(engine, doc), [](const Element& element) {
            Diagnostics diagnostics;
            const auto config = read_fields<Config>(element, diagnostics);
            if (diagnostics.has_errors()) return element;
            return write_fields(element.name, config, Defaults::kWriteOut);
          }};
}

class Engine {
 public:
  virtual ~Engine() = default;

  /// What <engine name="…"> says, and how its child elements are called.
  virtual std::string_view name() const = 0;
  virtual EngineCapabilities capabilities() const = 0;
  /// One for each place where it has options of its own.
  virtual std::vector<EngineChild> children() const = 0;

  /// Reports, each with its place, what is wrong with the engine's own options and what in the model it cannot
  /// simulate, beside what follows from its capabilities. Called before anything else is made of the model.
  virtual void check(const Model& model, Diagnostics& diagnostics) const = 0;

  /// A world at the start of the model. Throws UserError for what check() reports, and for what shows only when
  /// the world is made. Several threads may call it at the same time.
  virtual std::unique_ptr<World> make_world(std::shared_ptr<const Model> model) const = 0;
};

/// Reports what in the model needs a capability that the engine lacks.
void check_capabilities(const Engine& engine, const Model& model, Diagnostics& diagnostics);

}  // namespace lockstep
