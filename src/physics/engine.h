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

/// A physics engine creates worlds. It is a class with a name, a list of capabilities, a description of its own
/// options, and two functions over a model: check() and make_world(). The registry (assemble/registry.h) holds
/// the engines; a program adds one with `registry.engines.add(…)`.
namespace lockstep {

/// What an engine can simulate beyond trees of rigid bodies with contacts, which every engine can. The
/// conformance suite skips missing capabilities; `lockstep check` and the reference list them.
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
  bool driven_joints = false;
  bool joint_friction = false;   ///< dry (Coulomb) friction in joints
  bool ray_casts = false;        ///< World::cast_ray()
  bool contact_forces = false;   ///< World::contacts()
  bool joint_reactions = false;  ///< World::joint_reaction()
  bool exact_restore = false;    ///< restores a state bit for bit, also in another process
};

/// All but the integrators, by name, in the order above: "closed_loops" and so on.
std::vector<std::pair<std::string_view, bool>> list_capabilities(const EngineCapabilities& capabilities);
/// "euler, implicit, rk4"
std::string list_integrators(const EngineCapabilities& capabilities);

/// A child element with the engine's name, in one place of the scenario file, with options of that engine.
struct EngineChild {
  EngineHost host = EngineHost::kEngine;
  ElementSchema schema;
  /// The element with every default written out; unchanged if it has errors.
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

  /// The name in <engine name="…">, which is also the name of its child elements.
  virtual std::string_view name() const = 0;
  virtual EngineCapabilities capabilities() const = 0;
  /// One for each place where the engine has options.
  virtual std::vector<EngineChild> children() const = 0;

  /// Reports, with their places, errors in the engine's own options and elements of the model that it cannot
  /// simulate, except those that follow from its capabilities. Called before make_world().
  virtual void check(const Model& model, Diagnostics& diagnostics) const = 0;

  /// A world in the initial state of the model. Throws UserError for the errors of check(), and for errors
  /// found only when the world is made. Thread-safe.
  virtual std::unique_ptr<World> make_world(std::shared_ptr<const Model> model) const = 0;
};

/// Reports elements of the model that need a capability the engine lacks.
void check_capabilities(const Engine& engine, const Model& model, Diagnostics& diagnostics);

}  // namespace lockstep
