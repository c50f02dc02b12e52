#include "serve/serve.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"

namespace lockstep {

int serve_viewers(const ServeCommand& command, const Registry& registry) {
  serve::ServeOptions options;
  options.scenario = command.scenario;
  options.replay = command.replay_file;
  options.root = command.root;
  options.play = command.play;
  options.address = command.address;
  options.port = static_cast<std::uint16_t>(command.port);
  options.token = command.token;
  options.version = LOCKSTEP_VERSION;
  options.on_ready = [](const std::string& shown, const std::string& url) {
    fmt::print("lockstep serves {} at {}\n", shown, url);
    std::fflush(stdout);
  };
  serve::serve(options, registry);
  return kExitDone;
}

}  // namespace lockstep
