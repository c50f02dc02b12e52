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

/// The scenario that a session shows: what was read, its simulation, the scene that viewers get, and the
/// connections to controllers outside. There may be none.
class OpenedScenario {
 public:
  /// A simulation that may be opened.
  struct Candidate {
    ReadScenario scenario;
    std::unique_ptr<Simulation> simulation;
    std::vector<std::string> warnings;
  };

  /// `is_wait_cancelled` is asked by connections that wait for a controller.
  OpenedScenario(const Registry& registry, std::function<bool()> is_wait_cancelled)
      : registry_(registry), is_wait_cancelled_(std::move(is_wait_cancelled)) {}
  ~OpenedScenario() { close_connections(); }
  OpenedScenario(const OpenedScenario&) = delete;
  OpenedScenario& operator=(const OpenedScenario&) = delete;

  /// Reads and assembles, without opening it. Throws UserError.
  Candidate prepare(const Open& source, bool has_live_connections) const;
  Candidate prepare(const Document& document, bool has_live_connections) const;

  /// Takes a candidate in place of what was open, at its start, with its connections still closed. `shown` is
  /// its path as viewers know it.
  void open(Candidate candidate, const std::string& shown);

  bool is_open() const { return simulation_ != nullptr; }
  Simulation& simulation() const;  ///< throws Rejection if none is open

  // Only while one is open.
  const ReadScenario& scenario() const { return *scenario_; }
  const std::shared_ptr<const Scene>& scene() const { return scene_; }
  std::span<const std::uint8_t> start() const { return start_; }  ///< state at time 0

  /// Returns what is wrong with connections that cannot be opened.
  std::vector<std::string> open_connections();
  void close_connections();
  bool is_live() const { return is_live_; }  ///< there are connections, and they are open

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
