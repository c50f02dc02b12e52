#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"

/// The browser interface: one simulation, any number of viewers.
namespace lockstep::serve {

struct ServeOptions {
  std::optional<std::filesystem::path> scenario;
  std::optional<std::filesystem::path> replay;  ///< a recording instead
  std::optional<std::filesystem::path> root;    ///< folder of the files that viewers may open
  std::string address = "127.0.0.1";
  bool play = false;                     ///< start when the first viewer is ready
  std::vector<std::string> controllers;  ///< commands that start the controllers of `scenario`
  bool trusts_viewers = false;           ///< uploads and edits may use any address and scripts of any length
  std::uint16_t port = 8080;             ///< 0: any free port
  std::optional<std::string> token;      ///< generated if needed
  std::string version;                   ///< of the program
  /// Called when the server is listening, with the URL for a browser.
  std::function<void(const std::string& shown, const std::string& url)> on_ready;
};

/// Serves until Ctrl-C. Throws UserError if the scenario is invalid or the port is in use.
void serve(const ServeOptions& options, const Registry& registry);

}  // namespace lockstep::serve
