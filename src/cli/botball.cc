#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/child_process.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/time_option.h"
#include "scenario/bundled.h"

/// `lockstep botball`: compiles a Botball program for its era, links it with clients/botball, and runs it as the
/// controller of a robot. Nothing in the user's files is changed.
namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct BotballCommand {
  std::vector<std::string> programs;  ///< C files, or one project folder
  std::string era;                    ///< "C1", "C2", "L", "W"; detected if empty
  std::string output;                 ///< of build
  std::string scenario;               ///< default: the bundled demobot
  std::string robot;                  ///< default: the first connection of the scenario
  std::string length = "120s";
  std::optional<std::string> start;  ///< when the start light goes on
  std::vector<std::string> presses;  ///< "a@2s"
  std::optional<std::string> record_file;
  std::vector<std::string> log_files;
  std::vector<std::string> edits;
  bool json = false;
};

constexpr std::array<std::string_view, 4> kEras = {"C1", "C2", "L", "W"};

/// A folder for the files of one build and run, removed at its end.
class WorkFolder {
 public:
  WorkFolder() {
    std::string pattern = (fs::temp_directory_path() / "lockstep-botball-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw_user_error({pattern, 0, 0}, "cannot be created: {}", std::strerror(errno));
    }
    path_ = pattern;
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The library and its headers: beside the program, in a build and in an installation.
fs::path find_kit() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* libraries : {"lib", "lib/x86_64-linux-gnu", "lib64"}) {
    const fs::path folder = program.parent_path() / libraries / "lockstep/botball";
    if (fs::exists(folder / "libbotball.a", error)) return folder;
  }
  throw_user_error({"botball", 0, 0}, "the Botball library is not installed beside this program");
}

struct Sources {
  std::vector<fs::path> files;
  std::vector<fs::path> include_folders;
};

std::vector<fs::path> list_c_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".c" && entry.path().filename().string().front() != '.') {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

Sources find_sources(const std::vector<std::string>& programs) {
  Sources sources;
  for (const std::string& program : programs) {
    const fs::path path = program;
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const fs::path source_folder = fs::is_directory(path / "src", error) ? path / "src" : path;
      const std::vector<fs::path> files = list_c_files(source_folder);
      if (files.empty()) throw_user_error({program, 0, 0}, "has no C files in '{}'", source_folder.string());
      sources.files.insert(sources.files.end(), files.begin(), files.end());
      for (const fs::path& folder : {path / "include", source_folder, path}) {
        if (fs::is_directory(folder, error)) sources.include_folders.push_back(folder);
      }
    } else if (!fs::is_regular_file(path, error)) {
      throw_user_error({program, 0, 0}, "is not a file or folder");
    } else if (path.extension() == ".cpp" || path.extension() == ".cc") {
      throw_user_error({program, 0, 0}, "is a C++ file; expected a program in C");
    } else {
      sources.files.push_back(path);
      sources.include_folders.push_back(path.has_parent_path() ? path.parent_path() : fs::path("."));
    }
  }
  return sources;
}

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool matches(const std::string& text, const char* pattern) {
  return std::regex_search(text, std::regex(pattern, std::regex::optimize));
}

/// The era by the headers that a program includes, then by functions that only one era has.
std::string detect_era(const std::string& text) {
  if (matches(text, R"(#\s*include\s*[<"](kipr|wallaby)/)")) return "W";
  if (matches(text, R"(#\s*include\s*[<"]kovan/)")) return "L";
  const bool is_cbc =
      matches(text, R"(\b(track_\w+|cbc_\w+|start_process|kill_process|run_for|set_each_analog_state)\s*\()") ||
      matches(text, R"(\bget_create_\w+\s*\(\s*[0-9.])") || matches(text, R"(\bsleep\s*\(\s*[0-9]*\.)");
  if (is_cbc) {
    const bool is_first = matches(text, R"(\bset_servo_position\s*\(\s*4\s*,)") ||
                          matches(text, R"(\banalog(10)?\s*\(\s*([89]|1[0-5])\s*\))");
    return is_first ? "C1" : "C2";
  }
  return matches(text, R"(\bmotor_power\s*\(|\bgyro_[xyz]\s*\()") ? "W" : "L";
}

int era_number(const std::string& era) {
  const auto found = std::ranges::find(kEras, era);
  if (found == kEras.end()) {
    throw_user_error({"--era", 0, 0}, "unknown era '{}'; expected C1, C2, L or W", shown_text(era));
  }
  return static_cast<int>(found - kEras.begin()) + 1;
}

/// Runs a tool with its output on stderr; whether it succeeded.
bool run_tool(const std::vector<std::string>& arguments) {
  Result<ChildProcess> started = ChildProcess::start({.arguments = arguments});
  if (!started) throw_user_error({arguments.front(), 0, 0}, "cannot be started: {}", started.error());
  return started->wait().is_success();
}

/// Compiles and links; false if the compiler rejected the program and has said why.
///
/// All symbols of the program become local, so that its functions may have the names of others. Its references to
/// functions of the C library that take or tell time, or reach out of the process, go to clients/botball/libc.c.
bool build_program(const Sources& sources, int era, const fs::path& folder, const fs::path& output) {
  const fs::path kit = find_kit();
  std::vector<std::string> objects;
  for (const fs::path& file : sources.files) {
    const std::string text = read_text(file);
    const std::string object = (folder / fmt::format("{}.o", objects.size())).string();
    std::vector<std::string> compile = {"cc",
                                        "-x",
                                        "c",
                                        "-std=gnu11",
                                        "-O0",
                                        "-g",
                                        "-w",
                                        "-fno-omit-frame-pointer",
                                        "-funsigned-char",
                                        "-fcommon",
                                        "-fno-pie",
                                        "-ffp-contract=off",
                                        "-fno-stack-protector",
                                        "-fsanitize-coverage=trace-pc",
                                        "-ftrivial-auto-var-init=zero",
                                        fmt::format("-DLS_BB_ERA={}", era)};
    for (const fs::path& include : sources.include_folders) compile.push_back("-I" + include.string());
    compile.push_back("-I" + (kit / "include").string());
    // Before the macro `sleep` of the CBC, as there.
    if (era <= 2 && matches(text, R"(#\s*include\s*<unistd\.h>)"))
      compile.insert(compile.end(), {"-include", "unistd.h"});
    compile.insert(compile.end(), {"-include", "lockstep/botball.h"});
    if (text.find("create3_") != std::string::npos)
      compile.insert(compile.end(), {"-include", "lockstep/create3.h"});
    compile.insert(compile.end(), {"-c", file.string(), "-o", object});
    if (!run_tool(compile)) return false;
    objects.push_back(object);
  }
  const std::string whole = (folder / "program.o").string();
  std::vector<std::string> combine = {"ld", "-r", "-d", "-o", whole};
  combine.insert(combine.end(), objects.begin(), objects.end());
  const std::string names = (folder / "names").string();
  {
    std::ofstream list(names);
    std::istringstream all(read_text(kit / "libc_names.txt"));
    for (std::string name; all >> name;) list << name << " ls_bb_libc_" << name << '\n';
    list << "main ls_bb_user_main\n";
  }
  return run_tool(combine) && run_tool({"objcopy", "--redefine-syms=" + names, whole}) &&
         run_tool({"objcopy", "--keep-global-symbol=ls_bb_user_main", whole}) &&
         run_tool({"cc", "-no-pie", "-o", output.string(), whole, (kit / "libbotball.a").string(), "-lm"});
}

/// What the library wrote about the end of a program.
struct ProgramResult {
  std::string end = "no result: the program was killed";
  double time = 0.0;
  std::string place;                                       ///< file and line of a crash
  std::vector<std::pair<std::string, std::string>> waits;  ///< thread and what it waits for

  bool is_good() const {
    return end == "main returned" || end == "shut_down_in" || end == "time limit" || end.starts_with("exit(");
  }
};

/// The first of the addresses that is in a file of the user.
std::string find_place(const fs::path& program, const std::vector<std::string>& addresses,
                       const fs::path& folder) {
  const fs::path lines = folder / "lines";
  std::string command = fmt::format("exec addr2line -e '{}'", program.string());
  for (const std::string& address : addresses) command += " " + address;
  if (!run_tool({"/bin/sh", "-c", command + " > '" + lines.string() + "' 2>/dev/null"})) return "";
  std::istringstream all(read_text(lines));
  for (std::string line; std::getline(all, line);) {
    line = line.substr(0, line.find(" (discriminator"));
    if (!line.starts_with("??") && !line.ends_with("?")) return line;  // the libraries have no lines
  }
  return "";
}

ProgramResult read_result(const fs::path& file, const fs::path& program, const fs::path& folder) {
  ProgramResult result;
  std::vector<std::string> addresses;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) continue;
    const std::string key = line.substr(0, tab), value = line.substr(tab + 1);
    if (key == "end") result.end = value;
    if (key == "time") result.time = std::atof(value.c_str());
    if (key == "address" && value.find_first_not_of("0123456789abcdefx") == std::string::npos)
      addresses.push_back(value);
    if (key == "waits") {
      const auto second = value.find('\t');
      if (second != std::string::npos)
        result.waits.emplace_back(value.substr(0, second), value.substr(second + 1));
    }
  }
  if (!addresses.empty()) result.place = find_place(program, addresses, folder);
  return result;
}

void print_result(const ProgramResult& result) {
  fmt::print("program: {} at {:.3f} s{}{}\n", result.end, result.time, result.place.empty() ? "" : ", ",
             result.place);
  for (const auto& [thread, what] : result.waits) fmt::print("thread {}: {}\n", thread, what);
}

std::string in_shell_quotes(std::string text) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != std::string::npos; i += 4) text.replace(i, 1, "'\\''");
  return "'" + text + "'";
}

/// "a@2,b@3.5+0.4" in seconds, of options such as "a@2s" and "b@3.5s+400ms".
std::string presses_in_seconds(const std::vector<std::string>& presses) {
  std::string all;
  for (const std::string& press : presses) {
    const auto at = press.find('@');
    if (at == std::string::npos || at == 0 || at > 7) {
      throw_user_error({"--press", 0, 0}, "'{}'; expected BUTTON@TIME, such as a@2s, or BUTTON@TIME+LENGTH",
                       shown_text(press));
    }
    const auto plus = press.find('+', at);
    const std::string length = plus == std::string::npos ? "0.2s" : press.substr(plus + 1);
    all += fmt::format(
        "{}{}@{}+{}", all.empty() ? "" : ",", press.substr(0, at),
        parse_time("--press", press.substr(at + 1, plus == std::string::npos ? plus : plus - at - 1)),
        parse_time("--press", length));
  }
  return all;
}

struct BuiltProgram {
  std::string era;
  bool is_built = false;
};

BuiltProgram build(const BotballCommand& command, const fs::path& folder, const fs::path& output) {
  const Sources sources = find_sources(command.programs);
  std::string text;
  for (const fs::path& file : sources.files) text += read_text(file) + "\n";
  const std::string era = command.era.empty() ? detect_era(text) : command.era;
  const int number = era_number(era);
  fmt::print(stderr, "era: {}{}\n", era, command.era.empty() ? " (detected; --era sets another)" : "");
  return {era, build_program(sources, number, folder, output)};
}

int run_botball_build(const BotballCommand& command) {
  const WorkFolder work;
  return build(command, work.path(), command.output).is_built ? kExitDone : kExitUser;
}

int run_botball(const BotballCommand& command, const Registry& registry) {
  const WorkFolder work;
  const fs::path program = work.path() / "robot";
  const BuiltProgram built = build(command, work.path(), program);
  if (!built.is_built) return kExitUser;

  RunCommand run;
  run.scenario = command.scenario;
  run.edits = command.edits;
  if (run.scenario.empty()) {
    const auto scenarios = find_bundled_scenarios();
    if (!scenarios)
      throw_user_error({"--scenario", 0, 0}, "is needed: the bundled scenarios are not installed");
    run.scenario = (*scenarios / "botball/demobot.xml").string();
    // The counters of the earlier controllers count 1000 per turn.
    if (built.era != "W") run.edits.insert(run.edits.begin(), "//encoder/@ticks=1000");
  }
  const std::string robots = command.robot.empty() ? "" : fmt::format("[@name='{}']", command.robot);
  run.edits.push_back(
      fmt::format("//robot{}/connections/wire/@address=shm:lockstep-botball-{}", robots, getpid()));
  run.length = command.length;
  run.record_file = command.record_file;
  run.log_files = command.log_files;
  run.json = command.json;
  run.until_off = "*/panel/running";

  const fs::path result_file = work.path() / "result", data = work.path() / "data";
  fs::create_directory(data);
  // For the library in the program; a command line would be repeated in every message about the controller.
  const auto pass_on = [](const char* name, const std::string& value) { setenv(name, value.c_str(), 1); };
  pass_on("LOCKSTEP_BOTBALL_ERA", built.era);
  pass_on("LOCKSTEP_BOTBALL_RESULT", result_file.string());
  pass_on("LOCKSTEP_BOTBALL_FOLDER", data.string());
  if (command.start)
    pass_on("LOCKSTEP_BOTBALL_START", fmt::format("{}", parse_time("--start", *command.start)));
  if (!command.presses.empty()) pass_on("LOCKSTEP_BOTBALL_PRESS", presses_in_seconds(command.presses));
  run.controllers = {"exec " + in_shell_quotes(program.string())};

  std::optional<ProgramResult> result;
  run.add_results = [&](nlohmann::ordered_json* json) {
    result = read_result(result_file, program, work.path());
    if (json == nullptr) {
      print_result(*result);
      return;
    }
    nlohmann::ordered_json waits = nlohmann::ordered_json::array();
    for (const auto& [thread, what] : result->waits) waits.push_back({{"thread", thread}, {"waits_for", what}});
    (*json)["program"] = {{"era", built.era},
                          {"end", result->end},
                          {"time", result->time},
                          {"place", result->place},
                          {"threads", waits}};
  };
  const int code = run_scenario(run, registry);
  return code == kExitDone && result && !result->is_good() ? kExitOutcome : code;
}

}  // namespace

Command add_botball_command(CLI::App& app) {
  auto options = std::make_shared<BotballCommand>();
  CLI::App* command =
      app.add_subcommand("botball", "Compile and run a Botball program in C on a simulated robot");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  lockstep botball run examples/botball/drive_to_line.c\n"
      "  lockstep botball run examples/botball/drive_to_line.c --for 20s --press a@1s --json");
  CLI::App* build_command = command->add_subcommand("build", "Compile and link only");
  CLI::App* run_command = command->add_subcommand("run", "Compile, and run on a robot");
  for (CLI::App* each : {build_command, run_command}) {
    each->add_option("program", options->programs, "C files of the program, or the folder of a project")
        ->required();
    each->add_option(
            "--era", options->era,
            "Controller: C1 (CBC, 2009), C2 (CBC, 2010 to 2012), L (Link), W (Wallaby, Wombat); detected "
            "from the program if omitted")
        ->type_name("ERA");
  }
  build_command->add_option("-o,--output", options->output, "The executable to write")
      ->required()
      ->type_name("FILE");
  run_command->add_option("--scenario", options->scenario, "Scenario file; a demobot on a table if omitted")
      ->type_name("FILE");
  run_command->add_option("--robot", options->robot, "Robot of the scenario to run on; the first if omitted")
      ->type_name("NAME");
  run_command
      ->add_option("--for", options->length, "Longest simulated time; the run ends when the program does")
      ->type_name("TIME")
      ->capture_default_str();
  run_command->add_option("--start", options->start, "When the start light goes on")->type_name("TIME");
  run_command
      ->add_option("--press", options->presses,
                   "Press a button: BUTTON@TIME or BUTTON@TIME+LENGTH; may be repeated")
      ->type_name("PRESS")
      ->allow_extra_args(false);
  run_command->add_option("--record", options->record_file, "Record the run for `lockstep replay`")
      ->type_name("FILE");
  run_command
      ->add_option("--log", options->log_files, "Write the signals of every step to a file; may be repeated")
      ->type_name("FILE.csv|FILE.h5")
      ->allow_extra_args(false);
  add_edit_option(run_command, options->edits);
  run_command->add_flag("--json", options->json, "Print the result as one JSON object");
  return {command,
          [options, build_command](const Registry& registry) {
            return build_command->parsed() ? run_botball_build(*options) : run_botball(*options, registry);
          },
          &options->edits};
}

}  // namespace lockstep
