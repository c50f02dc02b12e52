#include "assemble/engines.h"

#include <fmt/format.h>

#include <iterator>

#include "scenario/read.h"

namespace lockstep {

void Engines::add(std::shared_ptr<const Engine> engine) {
  std::string name(engine->name());
  engines_[std::move(name)] = std::move(engine);
}

const Engine* Engines::find(std::string_view name) const {
  const auto it = engines_.find(std::string(name));
  return it == engines_.end() ? nullptr : it->second.get();
}

std::vector<const Engine*> Engines::all() const {
  std::vector<const Engine*> all;
  for (const auto& [_, engine] : engines_) all.push_back(engine.get());
  return all;
}

std::vector<EngineChildSchema> Engines::schemas() const {
  std::vector<EngineChildSchema> schemas;
  for (const auto& [_, engine] : engines_) {
    for (EngineChild& child : engine->children()) schemas.push_back({child.host, std::move(child.schema)});
  }
  return schemas;
}

const Engine* find_engine(const Scenario& scenario, const Engines& engines, Diagnostics& diagnostics) {
  const Engine* engine = engines.find(scenario.engine.name);
  if (engine == nullptr) {
    std::vector<std::string> names;
    for (const Engine* each : engines.all()) names.emplace_back(each->name());
    diagnostics.error(scenario.engine.place, "engine: unknown engine '{}'{}", scenario.engine.name,
                      suggest(scenario.engine.name, names));
  }
  return engine;
}

void check_engine(const Engine& engine, const Model& model, Diagnostics& diagnostics) {
  check_capabilities(engine, model, diagnostics);
  engine.check(model, diagnostics);
}

void write_out_engine_defaults(Scenario& scenario, const Engines& engines) {
  const Engine* engine = engines.find(scenario.engine.name);
  if (engine == nullptr) return;
  const std::vector<EngineChild> children = engine->children();
  const auto write_out = [&](EngineHost host, std::vector<Element>& own) {
    for (const EngineChild& child : children) {
      if (child.host != host) continue;
      for (Element& element : own) element = child.write_out(element);
    }
  };
  // Elsewhere an omitted element has no effect; here its defaults affect the results.
  std::vector<Element>& own = scenario.engine.own;
  for (const EngineChild& child : children) {
    if (child.host == EngineHost::kEngine && own.empty())
      own.push_back({.name = std::string(engine->name()), .place = scenario.engine.place});
  }
  write_out(EngineHost::kEngine, own);
  for (ContactPair& pair : scenario.contacts) write_out(EngineHost::kContact, pair.firmness.own);
  for (Loop& loop : scenario.loops) write_out(EngineHost::kConstraint, loop.firmness.own);
  for (Robot& robot : scenario.robots) {
    for (Link& link : robot.links) {
      if (link.joint) write_out(EngineHost::kJoint, link.joint->firmness.own);
    }
    for (Loop& loop : robot.loops) write_out(EngineHost::kConstraint, loop.firmness.own);
    for (Coupling& coupling : robot.couplings) write_out(EngineHost::kConstraint, coupling.firmness.own);
  }
}

std::string describe_engines(const Engines& engines) {
  std::string text = "\n## Engines\n\nWhat `<engine name=\"…\">` can be, and what each can do.\n";
  for (const Engine* engine : engines.all()) {
    const EngineCapabilities capabilities = engine->capabilities();
    fmt::format_to(std::back_inserter(text), "\n### {}\n\n| capability | |\n|---|---|\n| integrators | {} |\n",
                   engine->name(), list_integrators(capabilities));
    for (const auto& [name, is_offered] : list_capabilities(capabilities)) {
      std::string words(name);
      for (char& c : words) c = c == '_' ? ' ' : c;
      fmt::format_to(std::back_inserter(text), "| {} | {} |\n", words, is_offered ? "yes" : "no");
    }
  }
  return text;
}

}  // namespace lockstep
