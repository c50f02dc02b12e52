#include "serve/serve.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"

namespace lockstep {
namespace {

struct ServeCommand {
  std::optional<std::string> scenario;
  std::optional<std::string> root;  ///< default: the folder of the scenario, else the current folder
  std::string address = "127.0.0.1";
  int port = 8080;
  std::optional<std::string> token;
  std::optional<std::string> replay_file;
  bool play = false;  ///< start when the first viewer is ready
  std::vector<std::string> controllers;
  bool trusts_viewers = false;
};

int serve_viewers(const ServeCommand& command, const Registry& registry) {
  serve::ServeOptions options;
  options.scenario = command.scenario;
  options.replay = command.replay_file;
  options.root = command.root;
  options.play = command.play;
  options.controllers = command.controllers;
  options.trusts_viewers = command.trusts_viewers;
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

}  // namespace

Command add_serve_command(CLI::App& app) {
  auto options = std::make_shared<ServeCommand>();
  CLI::App* command = app.add_subcommand("serve", "View and control a run in the browser");
  command->footer(
      "Examples:\n"
      R"(  lockstep serve scenarios/chains/snake.xml)"
      "\n"
      R"(  lockstep serve scenarios/machines/delta.xml --controller delta_controller --play)");
  command->add_option("scenario", options->scenario, "Scenario file; can also be opened in the page");
  command
      ->add_option(
          "--root", options->root,
          "Folder whose scenarios can be opened; default: that of the scenario, else the current folder")
      ->type_name("FOLDER");
  command
      ->add_option("--address", options->address,
                   "Address to listen on; any address but loopback needs a token")
      ->capture_default_str()
      ->type_name("ADDRESS");
  command->add_option("--port", options->port, "Port to listen on; 0 selects a free port")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  command->add_option("--token", options->token, "Token that viewers need; default: generated if needed")
      ->type_name("TEXT");
  command->add_flag("--play", options->play,
                    "Start when the first page has drawn the scene instead of waiting for Play");
  add_controller_option(command, options->controllers);
  command->add_flag("--trust-viewers", options->trusts_viewers,
                    "Uploaded and edited scenarios may listen on any address and have scripts of any length");
  command->add_option("--replay", options->replay_file, "Show a recording made by run --record instead")
      ->type_name("FILE");
  return {command, [options](const Registry& registry) { return serve_viewers(*options, registry); }};
}

}  // namespace lockstep
