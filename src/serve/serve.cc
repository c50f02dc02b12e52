#include "serve/serve.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "scenario/bundled.h"
#include "serve/access.h"
#include "serve/http_server.h"
#include "serve/hub.h"
#include "serve/scenario_files.h"
#include "serve/session.h"
#include "serve/token.h"

namespace lockstep::serve {
namespace {

namespace fs = std::filesystem;

fs::path root_of(const ServeOptions& options) {
  std::error_code error;
  if (options.scenario && !fs::is_regular_file(*options.scenario, error)) {
    throw_user_error({options.scenario->string(), 0, 0}, "no such file");
  }
  fs::path folder = ".";
  if (options.root) {
    folder = *options.root;
  } else if (options.scenario && options.scenario->has_parent_path()) {
    folder = options.scenario->parent_path();
  }
  const fs::path root = fs::canonical(folder, error);
  if (error || !fs::is_directory(root, error))
    throw_user_error({"--root", 0, 0}, "'{}' is not a folder", folder.string());
  return root;
}

std::string token_of(const ServeOptions& options) {
  if (!is_address(options.address)) {
    throw_user_error({"--address", 0, 0}, "'{}' is not an address; expected one such as 127.0.0.1 or ::1",
                     options.address);
  }
  if (!options.token) return is_loopback(options.address) ? "" : make_secret();
  const std::string error = find_token_error(*options.token);
  if (!error.empty()) throw_user_error({"--token", 0, 0}, "invalid token: {}", error);
  return *options.token;
}

/// The scenario of the command line. It may be in any folder; below the root it is shown with its relative
/// path.
Open scenario_of(const ServeOptions& options, const fs::path& root) {
  const fs::path file = fs::canonical(*options.scenario);
  const fs::path relative = file.lexically_relative(root);
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  return {.file = file,
          .folder = file.parent_path(),
          .shown = is_below ? relative.generic_string() : file.filename().string(),
          .text = {},
          .controllers = options.controllers};
}

/// A folder for the sockets and pipes of uploaded scenarios, removed at the end.
class SocketFolder {
 public:
  SocketFolder() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    std::error_code error;
    const bool has_runtime = runtime != nullptr && fs::is_directory(runtime, error);
    std::string path =
        ((has_runtime ? fs::path(runtime) : fs::temp_directory_path()) / "lockstep-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      throw_user_error({path, 0, 0}, "cannot make this folder: {}", std::strerror(errno));
    path_ = path;
  }
  ~SocketFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string url_of(const ServeOptions& options, std::uint16_t port, const std::string& token) {
  const std::string host = options.address == "0.0.0.0" ? "127.0.0.1"
                           : options.address == "::"    ? "::1"
                                                        : options.address;
  const std::string bracketed = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return fmt::format("http://{}:{}/{}", bracketed, port, token.empty() ? "" : "?token=" + token);
}

}  // namespace

void serve(const ServeOptions& options, const Registry& registry) {
  if (options.scenario && options.replay) {
    throw_user_error({"--replay", 0, 0},
                     "a recording contains its scenario; give either a scenario or --replay");
  }
  if (!options.controllers.empty() && !options.scenario)
    throw_user_error({"--controller", 0, 0}, "needs a scenario with a connection for the controller");
  const fs::path root = root_of(options);
  std::optional<SocketFolder> sockets;
  if (!options.trusts_viewers) sockets.emplace();
  const std::string token = token_of(options);
  HttpServer server({.address = options.address, .port = options.port, .token = token});
  Session session({.registry = registry,
                   .version = options.version,
                   .wake = [&] { server.wake(); },
                   .root = root,
                   .socket_folder = sockets ? sockets->path() : fs::path(),
                   .plays_when_ready = options.play});
  std::string shown = "any scenario";
  if (options.scenario) {
    session.open_first(scenario_of(options, root));
    shown = options.scenario->string();
  } else if (options.replay) {
    session.replay_first(*options.replay);
    shown = options.replay->string();
  }
  const std::optional<fs::path> gallery = find_bundled_scenarios();
  Hub hub({.root = root,
           .gallery = gallery,
           .controllers = gallery ? read_controllers(*gallery) : std::map<std::string, std::string>(),
           .schema = scenario_schema(registry),
           .version = options.version,
           .token = token},
          session);
  session.start();
  if (options.on_ready) options.on_ready(shown, url_of(options, server.port(), token));
  server.run(hub);
  session.quit();
}

}  // namespace lockstep::serve
