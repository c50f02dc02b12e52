#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "physics/engine.h"
#include "scenario/scenario.h"

namespace lockstep {

/// The engines a scenario can name, by name.
class Engines {
 public:
  /// An engine added again replaces the old one of its name.
  void add(std::shared_ptr<const Engine> engine);

  const Engine* find(std::string_view name) const;
  std::vector<const Engine*> all() const;
  /// What they may have in a scenario file.
  std::vector<EngineChildSchema> schemas() const;

 private:
  std::map<std::string, std::shared_ptr<const Engine>> engines_;
};

/// The engine of a scenario; nothing, with an error, if there is none of that name.
const Engine* find_engine(const Scenario& scenario, const Engines& engines, Diagnostics& diagnostics);

/// Reports what is wrong with the engine's own options, and what in a model it cannot simulate.
void check_engine(const Engine& engine, const Model& model, Diagnostics& diagnostics);

/// Writes out the defaults of what only the engine has, as far as engine and options are known.
void write_out_engine_defaults(Scenario& scenario, const Engines& engines);

/// The engines and what they can do, as a chapter of the reference in Markdown.
std::string describe_engines(const Engines& engines);

}  // namespace lockstep
