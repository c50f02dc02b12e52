#include "serve/serve.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"

namespace lockstep {
namespace {

struct ServeCommand {
  std::optional<std::string> scenario;
  std::optional<std::string> root;  ///< the folder of the scenario, or this one
  std::string address = "127.0.0.1";
  int port = 8080;
  std::optional<std::string> token;
  std::optional<std::string> replay_file;
  bool play = false;  ///< when the first viewer comes
};

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

}  // namespace

Command add_serve_command(CLI::App& app) {
  auto options = std::make_shared<ServeCommand>();
  CLI::App* command = app.add_subcommand("serve", "Show and steer a run in the browser");
  command->add_option("scenario", options->scenario, "Scenario file; one can also be opened in the page");
  command
      ->add_option("--root", options->root,
                   "Folder whose scenarios can be opened; that of the scenario, or this one, if omitted")
      ->type_name("FOLDER");
  command->add_option("--address", options->address, "Address to listen on; all but this machine needs a token")
      ->capture_default_str()
      ->type_name("ADDRESS");
  command->add_option("--port", options->port, "Port to listen on; 0 takes a free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  command
      ->add_option("--token", options->token, "Secret that viewers need; a new one if it is needed and omitted")
      ->type_name("TEXT");
  command->add_flag("--play", options->play,
                    "Begin when the first viewer comes, not when somebody presses play");
  command->add_option("--replay", options->replay_file, "Show a recording of run --record instead")
      ->type_name("FILE");
  return {command, [options](const Registry& registry) { return serve_viewers(*options, registry); }};
}

}  // namespace lockstep
