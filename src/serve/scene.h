#pragma once

#include <cstdint>
#include <map>
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
  std::string text;  ///< of the document, with all included files
};

/// Errors go into `diagnostics`; assemble() throws them together with its own.
ReadScenario read_all(const Document& document, const Registry& registry, Diagnostics& diagnostics);

/// The constant data of a loaded scenario, ready to be sent to viewers. Immutable, shared by all threads.
struct Scene {
  std::uint32_t id = 0;
  double step = 0.0;  ///< physics step, s
  std::string path;  ///< shown to viewers
  std::string text;  ///< current text of the scenario
  std::string json;  ///< the scene object of docs/viewer-protocol.md
  Element root;      ///< of the document
  SignalTable signals;
  std::unordered_map<std::string, JointType> joints;
  std::unordered_map<std::string, std::string>
      paths;  ///< XPath of the element of a body, joint, site or device
  /// Meshes and heightmaps, compressed, by URL path. The path contains a hash of the content, so a browser
  /// fetches an asset once, no matter how many scenes have it.
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> assets;
};

/// Shares the assets that are also in the `last` scene; null: there is none.
std::shared_ptr<const Scene> make_scene(std::uint32_t id, std::string path, const ReadScenario& scenario,
                                        const Simulation& simulation, const Scene* last);

}  // namespace lockstep::serve
