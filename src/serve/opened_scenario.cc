#include "serve/opened_scenario.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "assemble/assemble.h"
#include "scenario/bundled.h"
#include "serve/rejection.h"
#include "simulation/live_connections.h"

namespace lockstep::serve {
namespace {

/// Of a script from a viewer, per call: about 30 ms.
constexpr std::int64_t kMaxInstructions = 1'000'000;

/// Calls `found` for each element of the tree.
template <typename Found>
void visit_all(const Element& element, const Found& found) {
  found(element);
  for (const Element& child : element.children) visit_all(child, found);
}

/// Values that an edited scenario may keep, because the file has them.
std::set<std::string> restricted_values(const Element& root) {
  std::set<std::string> values;
  visit_all(root, [&](const Element& element) {
    for (const char* name : {"address", "instructions"}) {
      if (const Attribute* attribute = element.find_attribute(name)) values.insert(attribute->value);
    }
  });
  return values;
}

/// Port at the end of an address such as "tcp:127.0.0.1:7000"; 0 if it has none.
std::uint16_t port_of(const std::string& address) {
  std::uint16_t port = 0;
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return 0;
  const char* end = address.data() + address.size();
  const auto [rest, error] = std::from_chars(address.data() + colon + 1, end, port);
  return error == std::errc() && rest == end ? port : std::uint16_t{0};
}

}  // namespace

OpenedScenario::Candidate OpenedScenario::prepare(const Open& source, bool has_live_connections) const {
  const bool is_upload = source.file.empty();
  return assemble_document(is_upload ? Document::read_text(source.text, source.shown, source.folder)
                                     : Document::read_file(source.file),
                           has_live_connections, !is_upload || source.is_trusted);
}

OpenedScenario::Candidate OpenedScenario::prepare_edited(const Document& document) const {
  return assemble_document(document, true, false);
}

OpenedScenario::Candidate OpenedScenario::assemble_document(const Document& document, bool has_live_connections,
                                                            bool is_trusted) const {
  Diagnostics diagnostics;
  Candidate candidate{read_all(document, options_.registry, diagnostics), nullptr, {}, is_trusted};
  AssembleOptions options{
      .output_folder = {},
      .connections = {.live = has_live_connections, .cancelled = options_.is_wait_cancelled, .ports = ports_},
      .script_cancelled = options_.is_wait_cancelled};
  if (!is_trusted && !options_.socket_folder.empty()) {
    options.restrictions = {
        .folder = options_.socket_folder, .max_instructions = kMaxInstructions, .trusted = trusted_};
  }
  const LoadedScenario& loaded = candidate.scenario.loaded;
  candidate.simulation.reset(
      new Simulation(assemble(loaded.scenario, loaded.assets, options_.registry, diagnostics, options)));
  for (const Diagnostic& diagnostic : diagnostics.list()) candidate.warnings.push_back(to_string(diagnostic));
  return candidate;
}

void OpenedScenario::open(Candidate candidate, const Open& source) {
  close_connections();
  const bool is_another = shown_ != source.shown;
  simulation_ = std::move(candidate.simulation);
  scenario_ = std::move(candidate.scenario);
  if (is_another) ports_.clear();
  // Edits keep what the file has; an upload has nothing that is trusted.
  if (candidate.is_from_file) {
    trusted_ = restricted_values(scenario_->root);
  } else if (source.file.empty()) {
    trusted_.clear();
  }
  shown_ = source.shown;
  commands_ = source.controllers;
  has_scripts_ = false;
  visit_all(scenario_->root, [&](const Element& element) { has_scripts_ |= element.name == "lua"; });
  StateWriter start;
  simulation_->save(start);
  start_.assign(start.bytes().begin(), start.bytes().end());
  simulation_->keep_arrivals();
  scene_ = make_scene(next_scene_++, shown_, *scenario_, *simulation_, scene_.get());
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
    if (const std::uint16_t port = port_of(connection.device->address()); port != 0)
      ports_[connection.name] = port;
    is_live_ = true;
  }
  if (is_live_) start_controllers(errors);
  return errors;
}

void OpenedScenario::start_controllers(std::vector<std::string>& errors) {
  std::vector<std::pair<std::string, std::string>> environment = controller_environment(*simulation_);
  // Controllers of the gallery are beside this program.
  const char* path = std::getenv("PATH");
  environment.emplace_back("PATH",
                           fmt::format("{}:{}", path != nullptr ? path : "", program_folder().string()));
  for (const std::string& command : commands_) {
    try {
      controllers_.emplace_back(command, environment);
    } catch (const UserError& error) {
      errors.emplace_back(error.what());
    }
  }
}

void OpenedScenario::close_connections() {
  if (!is_live_) return;
  is_live_ = false;
  for (const auto& connection : simulation_->connections()) connection.device->close();
  controllers_.clear();
}

void OpenedScenario::look_for_controllers() {
  if (!is_live_) return;
  for (const auto& connection : simulation_->connections()) connection.device->look();
}

std::vector<std::string> OpenedScenario::take_ended_controllers() {
  std::vector<std::string> ended;
  controllers_.remove_if([&](ControllerProcess& process) {
    if (!process.has_ended()) return false;
    ended.push_back(fmt::format("controller '{}' has ended: {}", process.command(), process.result()));
    return true;
  });
  return ended;
}

}  // namespace lockstep::serve
