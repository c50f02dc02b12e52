#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/cores.h"
#include "base/text.h"
#include "botball/launch.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/time_option.h"
#include "scenario/bundled.h"

/// `lockstep botball`: compiles Botball programs for their era, and runs each as the controller of a robot.
namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct BotballCommand {
  std::vector<std::string> programs;  ///< C files, or one project folder
  std::string era;                    ///< "C1", "C2", "L", "W"; detected if empty
  std::string output;                 ///< of build
  std::string scenario;               ///< default: the bundled demobot
  std::string robot;                  ///< default: the first robot of the scenario with a connection
  std::vector<std::string> others;    ///< "ROBOT=PROGRAM"
  std::string length = "120s";
  std::optional<std::string> start;  ///< when the start light goes on
  bool has_operator = false;
  std::vector<std::string> presses;  ///< "a@2s"
  std::optional<std::string> input, console, graphics;
  std::optional<std::string> record_file;
  std::vector<std::string> log_files;
  std::vector<std::string> edits;
  bool json = false;
};

/// A program and the robot it drives.
struct Driver {
  std::string robot;  ///< empty: the first
  BotballSource source;
  fs::path folder = {};
  BuiltBotball built = {};
};

/// "a@2+0.2,b@3.5+0.4" in seconds, of options such as "a@2s" and "b@3.5s+400ms".
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

std::vector<Driver> find_drivers(const BotballCommand& command) {
  std::vector<Driver> drivers;
  std::set<std::string> robots;
  if (!command.programs.empty()) drivers.push_back({command.robot, {command.programs, command.era}});
  for (const std::string& other : command.others) {
    const auto equals = other.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == other.size()) {
      throw_user_error({"--drive", 0, 0}, "'{}'; expected ROBOT=PROGRAM, such as red=line.c",
                       shown_text(other));
    }
    drivers.push_back({other.substr(0, equals), {{other.substr(equals + 1)}, command.era}});
  }
  if (drivers.empty())
    throw_user_error({"botball", 0, 0}, "no program is given; expected a C file or a folder");
  for (Driver& driver : drivers) {
    if (drivers.size() > 1 && driver.robot.empty())
      throw_user_error({"--robot", 0, 0}, "is needed for the first program, as there are several");
    if (driver.robot.find('\'') != std::string::npos || !robots.insert(driver.robot).second)
      throw_user_error({"--drive", 0, 0}, "robot '{}' has two programs, or is not a name",
                       shown_text(driver.robot));
  }
  return drivers;
}

bool build(Driver& driver, const WorkFolder& work) {
  driver.folder = work.make_folder(driver.robot.empty() ? "program" : driver.robot);
  driver.built = build_botball(driver.source, driver.folder);
  fmt::print(stderr, "era: {}{}\n", driver.built.era,
             driver.source.era.empty() ? " (detected; --era sets another)" : "");
  return driver.built.is_built;
}

int run_botball_build(const BotballCommand& command) {
  const WorkFolder work;
  Driver driver{"", {command.programs, command.era}};
  if (!build(driver, work)) return kExitUser;
  std::error_code error;
  fs::copy_file(driver.built.executable, command.output, fs::copy_options::overwrite_existing, error);
  if (error) throw_user_error({command.output, 0, 0}, "cannot be written: {}", error.message());
  return kExitDone;
}

void print_result(const Driver& driver, const BotballResult& result, bool has_others) {
  fmt::print("program{}: {} at {:.3f} s{}{}\n", has_others ? " of " + driver.robot : "", result.end,
             result.time, result.place.empty() ? "" : ", ", result.place);
  for (const auto& [thread, what] : result.waits) fmt::print("thread {}: {}\n", thread, what);
}

nlohmann::ordered_json to_json(const Driver& driver, const BotballResult& result) {
  nlohmann::ordered_json waits = nlohmann::ordered_json::array();
  for (const auto& [thread, what] : result.waits) waits.push_back({{"thread", thread}, {"waits_for", what}});
  return {{"robot", driver.robot}, {"era", driver.built.era}, {"end", result.end},
          {"time", result.time},   {"place", result.place},   {"threads", waits}};
}

/// Edits of the scenario for the connections of its robots. A robot without a program stays as it is; a program that is
/// killed leaves its robot with all commands zero, and the run goes on.
std::vector<std::string> make_edits(const std::vector<Driver>& drivers,
                                    const std::vector<std::string>& addresses) {
  std::vector<std::string> edits = {"//robot/connections/wire/@silence=zero"};
  if (!drivers.front().robot.empty()) {
    edits.emplace_back("//robot/connections/wire/@connect_timeout=0 s");
    edits.emplace_back("//robot/connections/wire/@timeout=1 ms");
  }
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    const std::string wire = drivers[i].robot.empty()
                                 ? "(//robot[connections/wire])[1]/connections/wire"
                                 : fmt::format("//robot[@name='{}']/connections/wire", drivers[i].robot);
    edits.push_back(fmt::format("{}/@address={}", wire, addresses[i]));
    edits.push_back(wire + "/@connect_timeout=60 s");
    edits.push_back(wire + "/@timeout=60 s");
  }
  return edits;
}

int run_botball(const BotballCommand& command, const Registry& registry) {
  const WorkFolder work;
  std::vector<Driver> drivers = find_drivers(command);
  for (Driver& driver : drivers) {
    if (!build(driver, work)) return kExitUser;
  }
  const bool has_others = drivers.size() > 1;

  RunCommand run;
  run.scenario = command.scenario;
  run.edits = command.edits;
  if (run.scenario.empty()) {
    const auto scenarios = find_bundled_scenarios();
    if (!scenarios)
      throw_user_error({"--scenario", 0, 0}, "is needed: the bundled scenarios are not installed");
    run.scenario = (*scenarios / "botball/demobot.xml").string();
    // The counters of the earlier controllers count 1000 per turn.
    if (drivers.front().built.era != "W") run.edits.insert(run.edits.begin(), "//encoder/@ticks=1000");
  }
  std::vector<std::string> addresses;
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    addresses.push_back(fmt::format("shm:lockstep-botball-{}-{}", getpid(), i));
    BotballRunOptions options{.address = addresses.back(),
                              .label = has_others ? drivers[i].robot : "",
                              .presses = presses_in_seconds(command.presses),
                              .has_operator = command.has_operator,
                              .input = command.input};
    if (command.start) options.start = parse_time("--start", *command.start);
    if (i == 0) {
      options.console = command.console;
      options.graphics = command.graphics;
    }
    run.controllers.push_back(make_botball_command(drivers[i].built, drivers[i].folder, options));
  }
  // Those of the user come last, and win.
  const std::vector<std::string> edits = make_edits(drivers, addresses);
  run.edits.insert(run.edits.begin(), edits.begin(), edits.end());
  run.length = command.length;
  run.record_file = command.record_file;
  run.log_files = command.log_files;
  run.json = command.json;
  run.until_off = "*/panel/running";

  bool are_good = true, are_read = false;
  run.add_results = [&](nlohmann::ordered_json* json) {
    are_read = true;
    for (const Driver& driver : drivers) {
      const BotballResult result = read_botball_result(driver.built, driver.folder);
      are_good = are_good && result.is_good();
      if (json == nullptr) {
        print_result(driver, result, has_others);
        continue;
      }
      if (&driver == &drivers.front()) (*json)["program"] = to_json(driver, result);
      (*json)["programs"].push_back(to_json(driver, result));
    }
  };
  // The simulation and a program take turns, a thousand times per simulated second: waking the other one is several times
  // faster on the same core.
  stay_on(sched_getcpu());
  const int code = run_scenario(run, registry);
  return code == kExitDone && are_read && !are_good ? kExitOutcome : code;
}

void add_run_options(CLI::App* run, BotballCommand& options) {
  run->add_option("--scenario", options.scenario, "Scenario file; a demobot on a table if omitted")
      ->type_name("FILE");
  run->add_option("--robot", options.robot, "Robot of the scenario to run on; the first if omitted")
      ->type_name("NAME");
  run->add_option("--drive", options.others, "Program of another robot: ROBOT=PROGRAM; may be repeated")
      ->type_name("ROBOT=PROGRAM")
      ->allow_extra_args(false);
  run->add_option("--for", options.length, "Longest simulated time; the run ends when the programs do")
      ->type_name("TIME")
      ->capture_default_str();
  run->add_option("--start", options.start, "When the start light goes on")->type_name("TIME");
  run->add_flag("--operator", options.has_operator,
                "wait_for_light calibrates: an operator switches the lamp and presses the buttons");
  run->add_option("--press", options.presses,
                  "Press a button: BUTTON@TIME or BUTTON@TIME+LENGTH; may be repeated")
      ->type_name("PRESS")
      ->allow_extra_args(false);
  run->add_option("--input", options.input, "Text that the program reads from the keyboard")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  run->add_option("--console", options.console, "Write the console of the program, without times")
      ->type_name("FILE");
  run->add_option("--graphics", options.graphics, "Write the graphics window of the program at each update")
      ->type_name("FILE.bmp");
  run->add_option("--record", options.record_file, "Record the run for `lockstep replay`")->type_name("FILE");
  run->add_option("--log", options.log_files, "Write the signals of every step to a file; may be repeated")
      ->type_name("FILE.csv|FILE.h5")
      ->allow_extra_args(false);
  add_edit_option(run, options.edits);
  run->add_flag("--json", options.json, "Print the result as one JSON object");
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
        ->required(each == build_command);
    each->add_option(
            "--era", options->era,
            "Controller: C1 (CBC, 2009), C2 (CBC, 2010 to 2012), L (Link), W (Wallaby, Wombat); detected "
            "from the program if omitted")
        ->type_name("ERA");
  }
  build_command->add_option("-o,--output", options->output, "The executable to write")
      ->required()
      ->type_name("FILE");
  add_run_options(run_command, *options);
  return {command,
          [options, build_command](const Registry& registry) {
            return build_command->parsed() ? run_botball_build(*options) : run_botball(*options, registry);
          },
          &options->edits};
}

}  // namespace lockstep
