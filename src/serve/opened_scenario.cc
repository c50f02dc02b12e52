#include "serve/opened_scenario.h"

#include <fmt/format.h>

#include "assemble/assemble.h"
#include "serve/refusal.h"

namespace lockstep::serve {

OpenedScenario::Candidate OpenedScenario::prepare(const Open& source, bool has_live_links) const {
  return prepare(source.file.empty() ? Document::read_text(source.text, source.shown, source.folder)
                                     : Document::read_file(source.file),
                 has_live_links);
}

OpenedScenario::Candidate OpenedScenario::prepare(const Document& document, bool has_live_links) const {
  Diagnostics diagnostics;
  Candidate candidate{read_all(document, registry_, diagnostics), nullptr, {}};
  const AssembleOptions options{.output_folder = {},
                                .links = {.live = has_live_links, .cancelled = is_wait_cancelled_}};
  const LoadedScenario& loaded = candidate.scenario.loaded;
  candidate.simulation.reset(
      new Simulation(assemble(loaded.scenario, loaded.assets, registry_, diagnostics, options)));
  for (const Diagnostic& diagnostic : diagnostics.list()) candidate.warnings.push_back(to_string(diagnostic));
  return candidate;
}

void OpenedScenario::open(Candidate candidate, const std::string& shown) {
  close_links();
  simulation_ = std::move(candidate.simulation);
  scenario_ = std::move(candidate.scenario);
  StateWriter start;
  simulation_->save(start);
  start_.assign(start.bytes().begin(), start.bytes().end());
  simulation_->keep_arrivals();
  scene_ = make_scene(next_scene_++, shown, *scenario_, *simulation_);
}

Simulation& OpenedScenario::simulation() const {
  if (!simulation_) throw Refusal("no scenario is open");
  return *simulation_;
}

std::vector<std::string> OpenedScenario::open_links() {
  std::vector<std::string> errors;
  for (const auto& link : simulation_->links()) {
    const std::string error = link.part->open();
    if (!error.empty()) errors.push_back(fmt::format("link '{}': {}", link.name, error));
    is_live_ = true;
  }
  return errors;
}

void OpenedScenario::close_links() {
  if (!is_live_) return;
  is_live_ = false;
  for (const auto& link : simulation_->links()) link.part->close();
}

}  // namespace lockstep::serve
