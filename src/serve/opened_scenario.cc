#include "serve/opened_scenario.h"

#include <fmt/format.h>

#include "assemble/assemble.h"
#include "serve/rejection.h"

namespace lockstep::serve {

OpenedScenario::Candidate OpenedScenario::prepare(const Open& source, bool has_live_connections) const {
  return prepare(source.file.empty() ? Document::read_text(source.text, source.shown, source.folder)
                                     : Document::read_file(source.file),
                 has_live_connections);
}

OpenedScenario::Candidate OpenedScenario::prepare(const Document& document, bool has_live_connections) const {
  Diagnostics diagnostics;
  Candidate candidate{read_all(document, registry_, diagnostics), nullptr, {}};
  const AssembleOptions options{.output_folder = {},
                                .connections = {.live = has_live_connections, .cancelled = is_wait_cancelled_}};
  const LoadedScenario& loaded = candidate.scenario.loaded;
  candidate.simulation.reset(
      new Simulation(assemble(loaded.scenario, loaded.assets, registry_, diagnostics, options)));
  for (const Diagnostic& diagnostic : diagnostics.list()) candidate.warnings.push_back(to_string(diagnostic));
  return candidate;
}

void OpenedScenario::open(Candidate candidate, const std::string& shown) {
  close_connections();
  simulation_ = std::move(candidate.simulation);
  scenario_ = std::move(candidate.scenario);
  StateWriter start;
  simulation_->save(start);
  start_.assign(start.bytes().begin(), start.bytes().end());
  simulation_->keep_arrivals();
  scene_ = make_scene(next_scene_++, shown, *scenario_, *simulation_, scene_.get());
}

Simulation& OpenedScenario::simulation() const {
  if (!simulation_) throw Rejection("no scenario is open");
  return *simulation_;
}

std::vector<std::string> OpenedScenario::open_connections() {
  std::vector<std::string> errors;
  for (const auto& connection : simulation_->connections()) {
    const std::string error = connection.device->open();
    if (!error.empty()) errors.push_back(fmt::format("connection '{}': {}", connection.name, error));
    is_live_ = true;
  }
  return errors;
}

void OpenedScenario::close_connections() {
  if (!is_live_) return;
  is_live_ = false;
  for (const auto& connection : simulation_->connections()) connection.device->close();
}

}  // namespace lockstep::serve
