#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "scenario/document.h"
#include "serve/command.h"
#include "serve/scene.h"
#include "simulation/controller_process.h"
#include "simulation/simulation.h"

namespace lockstep::serve {

/// The open scenario of a session: document, simulation, scene for the viewers, and connections to controllers
/// outside, with the processes that were started for them. May be empty.
class OpenedScenario {
 public:
  struct Options {
    const Registry& registry;
    /// Connections that wait for a controller, and scripts that take long, ask it: true ends the step, which
    /// is then repeated.
    std::function<bool()> is_wait_cancelled;
    /// For scenarios that viewers upload or edit: the folder for their sockets and pipes. Empty: they may use
    /// any address, and scripts of any length.
    std::filesystem::path socket_folder;
  };
  /// A simulation that is ready to be opened.
  struct Candidate {
    ReadScenario scenario;
    std::unique_ptr<Simulation> simulation;
    std::vector<std::string> warnings;
    bool is_from_file = false;  ///< as it is on disk
  };

  explicit OpenedScenario(Options options) : options_(std::move(options)) {}
  ~OpenedScenario() { close_connections(); }
  OpenedScenario(const OpenedScenario&) = delete;
  OpenedScenario& operator=(const OpenedScenario&) = delete;

  /// Reads and assembles a scenario without opening it. Throws UserError.
  Candidate prepare(const Open& source, bool has_live_connections) const;
  /// The same of the open scenario with edits.
  Candidate prepare_edited(const Document& document) const;

  /// Replaces the open scenario by a candidate from this source, at its start, connections still closed.
  void open(Candidate candidate, const Open& source);

  bool is_open() const { return simulation_ != nullptr; }
  Simulation& simulation() const;  ///< throws Rejection if none is open

  // Only while a scenario is open.
  const ReadScenario& scenario() const { return *scenario_; }
  const std::shared_ptr<const Scene>& scene() const { return scene_; }
  std::span<const std::uint8_t> start() const { return start_; }  ///< state at time 0
  bool has_scripts() const { return has_scripts_; }               ///< whose calls may be cancelled

  /// Opens them at the ports that they had before, and starts the controllers. Returns what failed.
  std::vector<std::string> open_connections();
  void close_connections();
  bool is_live() const { return is_live_; }  ///< the scenario has connections, and they are open
  /// While the run is paused, call it now and then: controllers connect and leave.
  void look_for_controllers();
  /// Sentences about started controllers that have ended since the last call.
  std::vector<std::string> take_ended_controllers();

 private:
  Candidate assemble_document(const Document& document, bool has_live_connections, bool is_trusted) const;
  void start_controllers(std::vector<std::string>& errors);

  Options options_;
  std::unique_ptr<Simulation> simulation_;
  std::optional<ReadScenario> scenario_;
  std::shared_ptr<const Scene> scene_;
  std::uint32_t next_scene_ = 1;
  std::vector<std::uint8_t> start_;
  bool is_live_ = false;
  bool has_scripts_ = false;
  std::string shown_;                           // path of the source
  std::vector<std::string> commands_;           // of its controllers
  std::set<std::string> trusted_;               // see Restrictions; of the file on disk
  std::map<std::string, std::uint16_t> ports_;  // of the connections of this file, by name
  std::list<ControllerProcess> controllers_;    // those that have not ended
};

}  // namespace lockstep::serve
