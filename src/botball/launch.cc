#include "botball/launch.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/child_process.h"
#include "base/text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string in_shell_quotes(std::string text) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != std::string::npos; i += 4) text.replace(i, 1, "'\\''");
  return "'" + text + "'";
}

/// Files that the program finds, by their places on a controller.
void copy_files(const BuiltBotball& built, const fs::path& data) {
  std::error_code error;
  fs::create_directories(data / "etc/botui/channels", error);
  for (const fs::path& folder : built.data_folders) {
    fs::copy(folder, data, fs::copy_options::recursive | fs::copy_options::skip_symlinks, error);
  }
  for (const fs::path& file : built.channel_files) {
    fs::copy_file(file, data / "etc/botui/channels" / file.filename(), fs::copy_options::overwrite_existing,
                  error);
  }
}

/// The first of the addresses that is in a file of the user.
std::string find_place(const fs::path& program, const std::vector<std::string>& addresses,
                       const fs::path& folder) {
  const fs::path lines = folder / "lines";
  std::string command = fmt::format("exec addr2line -e {}", in_shell_quotes(program.string()));
  for (const std::string& address : addresses) command += " " + address;
  command += fmt::format(" > {} 2>/dev/null", in_shell_quotes(lines.string()));
  Result<ChildProcess> started = ChildProcess::start({.arguments = {"/bin/sh", "-c", command}});
  if (!started || !started->wait().is_success()) return "";
  std::ifstream all(lines);
  for (std::string line; std::getline(all, line);) {
    line = line.substr(0, line.find(" (discriminator"));
    if (!line.starts_with("??") && !line.ends_with("?")) return line;  // the libraries have no lines
  }
  return "";
}

}  // namespace

WorkFolder::WorkFolder() {
  std::string pattern = (fs::temp_directory_path() / "lockstep-botball-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw_user_error({pattern, 0, 0}, "cannot be created: {}", std::strerror(errno));
  }
  path_ = pattern;
}

WorkFolder::~WorkFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

fs::path WorkFolder::make_folder(const std::string& name) const {
  fs::path folder = path_ / name;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_user_error({folder.string(), 0, 0}, "cannot be created: {}", error.message());
  return folder;
}

std::string make_botball_command(const BuiltBotball& built, const fs::path& folder,
                                 const BotballRunOptions& options) {
  const fs::path data = folder / "data";
  copy_files(built, data);
  // The library reads them from a file beside the program; a command line would be repeated in every message about it.
  std::ofstream list(folder / "options");
  const auto add = [&](const char* name, const std::string& value) { list << name << '=' << value << '\n'; };
  add("LOCKSTEP_ADDRESS", options.address);
  add("LOCKSTEP_BOTBALL_ERA", built.era);
  add("LOCKSTEP_BOTBALL_RESULT", (folder / "result").string());
  add("LOCKSTEP_BOTBALL_FOLDER", data.string());
  if (options.has_operator) add("LOCKSTEP_BOTBALL_OPERATOR", "1");
  if (!options.label.empty()) add("LOCKSTEP_BOTBALL_LABEL", options.label);
  if (options.start) add("LOCKSTEP_BOTBALL_START", fmt::format("{}", *options.start));
  if (!options.presses.empty()) add("LOCKSTEP_BOTBALL_PRESS", options.presses);
  if (options.input) add("LOCKSTEP_BOTBALL_INPUT", fs::absolute(*options.input).string());
  if (options.console) add("LOCKSTEP_BOTBALL_CONSOLE", fs::absolute(*options.console).string());
  if (options.graphics) add("LOCKSTEP_BOTBALL_GRAPHICS", fs::absolute(*options.graphics).string());
  return "exec " + in_shell_quotes(built.executable.string());
}

bool BotballResult::is_good() const {
  return end == "main returned" || end == "shut_down_in" || end == "time limit" || end.starts_with("exit(");
}

BotballResult read_botball_result(const BuiltBotball& built, const fs::path& folder) {
  BotballResult result;
  std::vector<std::string> addresses;
  std::ifstream lines(folder / "result");
  // The program can write into this file: it is data of the user like any other.
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) continue;
    const std::string key = line.substr(0, tab), value = line.substr(tab + 1);
    if (key == "end") result.end = shown_text(value);
    if (key == "time") result.time = std::atof(value.c_str());
    if (key == "address" && value.find_first_not_of("0123456789abcdefx") == std::string::npos &&
        addresses.size() < 100)
      addresses.push_back(value);
    const auto second = value.find('\t');
    if (key == "waits" && second != std::string::npos && result.waits.size() < 1000)
      result.waits.emplace_back(shown_text(value.substr(0, second)), shown_text(value.substr(second + 1)));
  }
  if (!addresses.empty()) result.place = find_place(built.executable, addresses, folder);
  return result;
}

}  // namespace lockstep
