#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "physics/engine.h"
#include "scenario/scenario.h"

namespace lockstep {

/// The engines that a scenario can use, by name.
class Engines {
 public:
  /// Adds an engine; replaces one of the same name.
  void add(std::shared_ptr<const Engine> engine);

  const Engine* find(std::string_view name) const;
  std::vector<const Engine*> all() const;
  /// Engine-specific elements of a scenario file.
  std::vector<EngineChildSchema> schemas() const;

 private:
  std::map<std::string, std::shared_ptr<const Engine>> engines_;
};

/// The engine of a scenario; null, with an error, if there is none of that name.
const Engine* find_engine(const Scenario& scenario, const Engines& engines, Diagnostics& diagnostics);

/// Reports errors in the engine-specific options, and elements of the model that the engine cannot simulate.
void check_engine(const Engine& engine, const Model& model, Diagnostics& diagnostics);

/// Writes out the defaults of engine-specific options, as far as engine and options are known.
void write_out_engine_defaults(Scenario& scenario, const Engines& engines);

/// The engines and their capabilities, as a Markdown chapter of the reference.
std::string describe_engines(const Engines& engines);

}  // namespace lockstep
