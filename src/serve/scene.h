#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "assemble/assemble.h"
#include "scenario/document.h"
#include "simulation/simulation.h"

namespace lockstep::serve {

/// A scenario in every form that a session needs.
struct ReadScenario {
  LoadedScenario loaded;
  Element root;
  std::string text;  ///< of the document, with everything that it includes
};

/// Errors go into `diagnostics`; assemble() throws them together with its own.
ReadScenario read_all(const Document& document, const Registry& registry, Diagnostics& diagnostics);

/// All of a loaded scenario that stays the same while it runs, ready to be sent. Shared by all threads.
struct Scene {
  std::uint32_t id = 0;
  std::string path;                               ///< as viewers know it
  std::string text;                               ///< of the scenario as it stands
  std::string json;                               ///< the scene object of docs/viewer-protocol.md
  Element root;                                   ///< of the document
  std::unordered_map<std::string, Slot> signals;  ///< looked up only, never iterated
  std::unordered_map<std::string, JointType> joints;
  std::vector<std::string> meshes, heightmaps;  ///< as the page fetches them
};

std::shared_ptr<const Scene> make_scene(std::uint32_t id, std::string path, const ReadScenario& scenario,
                                        const Simulation& simulation);

}  // namespace lockstep::serve
