#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "scenario/document.h"
#include "serve/command.h"
#include "serve/scene.h"
#include "simulation/simulation.h"

namespace lockstep::serve {

/// The open scenario of a session: document, simulation, scene for the viewers, and connections to controllers
/// outside. May be empty.
class OpenedScenario {
 public:
  /// A simulation that is ready to be opened.
  struct Candidate {
    ReadScenario scenario;
    std::unique_ptr<Simulation> simulation;
    std::vector<std::string> warnings;
  };

  /// Connections that wait for a controller poll `is_wait_cancelled`.
  OpenedScenario(const Registry& registry, std::function<bool()> is_wait_cancelled)
      : registry_(registry), is_wait_cancelled_(std::move(is_wait_cancelled)) {}
  ~OpenedScenario() { close_connections(); }
  OpenedScenario(const OpenedScenario&) = delete;
  OpenedScenario& operator=(const OpenedScenario&) = delete;

  /// Reads and assembles a scenario without opening it. Throws UserError.
  Candidate prepare(const Open& source, bool has_live_connections) const;
  Candidate prepare(const Document& document, bool has_live_connections) const;

  /// Replaces the open scenario by a candidate, at its start, connections still closed. `shown` is the path
  /// shown to viewers.
  void open(Candidate candidate, const std::string& shown);

  bool is_open() const { return simulation_ != nullptr; }
  Simulation& simulation() const;  ///< throws Rejection if none is open

  // Only while a scenario is open.
  const ReadScenario& scenario() const { return *scenario_; }
  const std::shared_ptr<const Scene>& scene() const { return scene_; }
  std::span<const std::uint8_t> start() const { return start_; }  ///< state at time 0

  /// Returns the errors of connections that cannot be opened.
  std::vector<std::string> open_connections();
  void close_connections();
  bool is_live() const { return is_live_; }  ///< the scenario has connections, and they are open

 private:
  const Registry& registry_;
  std::function<bool()> is_wait_cancelled_;
  std::unique_ptr<Simulation> simulation_;
  std::optional<ReadScenario> scenario_;
  std::shared_ptr<const Scene> scene_;
  std::uint32_t next_scene_ = 1;
  std::vector<std::uint8_t> start_;
  bool is_live_ = false;
};

}  // namespace lockstep::serve
