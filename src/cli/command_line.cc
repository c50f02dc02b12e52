#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <string_view>

#include "assemble/assemble.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exchange.h"
#include "cli/limited_process.h"
#include "cli/model_options.h"

namespace lockstep {
namespace {

void add_edit_option(CLI::App* app, std::vector<std::string>& edits) {
  app->add_option("--set", edits,
                  "Change the scenario: XPATH=VALUE, such as //joint[@name='elbow']/@damping=0.2")
      ->type_name("XPATH=VALUE")
      ->allow_extra_args(false);
}

void add_scenario_options(CLI::App* app, std::string& scenario, std::vector<std::string>& edits) {
  app->add_option("scenario", scenario, "Scenario file")->required();
  add_edit_option(app, edits);
}

void add_controller_option(CLI::App* app, std::vector<std::string>& controllers) {
  app->add_option(
         "--controller", controllers,
         "Start this command, which finds the address of the link in LOCKSTEP_ADDRESS; may be repeated")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
}

void add_render_options(CLI::App* app, RenderCommand& render) {
  app->add_option("scenario", render.source, "Scenario file; a recording with --replay")->required();
  add_edit_option(app, render.edits);
  app->add_flag("--replay", render.is_recording, "The file is a recording, made by run --record");
  app->add_option("-o,--output", render.output, "Film, picture, or folder for the pictures of a film")
      ->required()
      ->type_name("FILE.mp4|FILE.png|FOLDER");
  app->add_option("--for", render.length, "Length of simulated time, such as 10s")->type_name("TIME");
  app->add_option("--at", render.at, "One picture of this moment, such as 2s")->type_name("TIME");
  app->add_option("--fps", render.rate_hz, "Frames per second of film; 30 if left out")->type_name("NUMBER");
  app->add_option("--speed", render.speed, "Simulated seconds per second of film; 0.1 is slow motion")
      ->type_name("FACTOR");
  app->add_option("--size", render.size, "Pixels")->capture_default_str()->type_name("WIDTHxHEIGHT");
  app->add_option("--camera", render.camera,
                  "Where to look from: 'follow=BODY' or 'target=X,Y,Z', 'distance=2m', 'azimuth=30deg', "
                  "'elevation=20deg'; what is left out is chosen to show everything")
      ->type_name("SETTINGS")
      ->allow_extra_args(false);
  app->add_option("--show", render.shown, "collision shapes instead of visible ones, joints, frames, masses")
      ->type_name("WHAT")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_controller_option(app, render.controllers);
}

void add_unit_options(CLI::App* app, ExchangeUnits& units) {
  app->add_option("--unit-length", units.length,
                  "What a length of 1 is in a file without units; by default 100 mm for MRSim, 1 m for shapes")
      ->type_name("LENGTH");
  app->add_option("--unit-mass", units.mass, "What a mass of 1 is in a file without units")
      ->capture_default_str()
      ->type_name("MASS");
}

/// An error in what an edit changed may stand at the element, whose text in the file is another.
void note_edits(std::string_view errors, const std::vector<std::string>& edits) {
  if (errors.find("--set") != std::string_view::npos) return;
  for (const std::string& edit : edits) {
    fmt::print(stderr, "--set {}: note: the scenario was changed by this before it was checked\n",
               shown_text(edit));
  }
}

/// Runs a command and turns what it throws into a message and an exit code.
template <typename Command>
int guard(const std::vector<std::string>& edits, Command command) {
  try {
    return command();
  } catch (const UserError& error) {
    std::fputs(error.what(), stderr);
    note_edits(error.what(), edits);
    return kExitUser;
  }
}

/// The same where running out of memory is nobody's fault.
template <typename Command>
int guard_memory(const std::vector<std::string>& edits, Command command) {
  try {
    return guard(edits, command);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return kExitOutcome;
  }
}

}  // namespace

int run_command_line(int argc, char** argv, const Registry& registry) {
  CLI::App app("Lockstep simulates robots and machines with their controller in the loop.", "lockstep");
  app.set_version_flag("--version", LOCKSTEP_VERSION);
  app.require_subcommand(1);

  RunCommand run;
  CLI::App* run_app = app.add_subcommand("run", "Run a scenario");
  add_scenario_options(run_app, run.scenario, run.edits);
  run_app->add_option("--for", run.length, "Length of simulated time from where the run starts, such as 10s")
      ->type_name("TIME");
  run_app->add_flag("--realtime", run.real_time, "Keep simulated time to the clock on the wall");
  run_app->add_flag("--no-rt", run.is_plain, "With --realtime: ask for no priority and no locked memory");
  run_app->add_option("--speed", run.speed, "Simulated seconds per second; 1 is real time")
      ->type_name("FACTOR");
  run_app->add_option("--grace", run.grace, "Overruns in this time from the start are not counted")
      ->type_name("TIME");
  run_app->add_option("--max-overruns", run.max_overruns, "End the run when there are more")
      ->type_name("COUNT");
  add_controller_option(run_app, run.controllers);
  run_app->add_option("--record", run.record_file, "Record the run for `lockstep replay`")->type_name("FILE");
  run_app->add_option("--log", run.log_files, "Write the signals of every step to a file; may be repeated")
      ->type_name("FILE.csv|FILE.h5")
      ->allow_extra_args(false);
  run_app
      ->add_option("--log-signals", run.log_signals,
                   "Write only these signals to the logs: names, '*' for any text, such as 'arm/*/angle'")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  run_app->add_option("--log-every", run.log_every, "Write only every N-th step to the logs")->type_name("N");
  run_app->add_option("--out", run.output_folder, "Folder for the files that the scenario's observers write")
      ->type_name("FOLDER");
  run_app->add_option("--save", run.save_file, "Write the state at the end to a snapshot")->type_name("FILE");
  run_app->add_option("--load", run.load_file, "Start from a snapshot")->type_name("FILE");
  run_app->add_option("--hash-log", run.hash_log_file, "Write the hash of the state after every step")
      ->type_name("FILE");
  run_app->add_flag("--json", run.json, "Print the result as one JSON object");
  run_app->add_flag("--progress", run.progress, "Show progress also when not on a terminal");

  ReplayCommand replay;
  CLI::App* replay_app = app.add_subcommand("replay", "Repeat a recorded run and find the first difference");
  replay_app->add_option("recording", replay.recording, "File written by run --record")
      ->required()
      ->type_name("FILE");
  replay_app->add_flag("--as-plant", replay.as_plant,
                       "Be the recorded machine for a controller, and find the first command that differs");
  add_controller_option(replay_app, replay.controllers);
  replay_app
      ->add_option("--address", replay.addresses, "Wait there instead; repeated for the second link and so on")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  replay_app
      ->add_option("--tolerance", replay.tolerance, "How much a command may differ, in its unit; 0 if left out")
      ->type_name("NUMBER");
  replay_app->add_flag("--json", replay.json, "Print the result as one JSON object");

  RenderCommand rendered;
  CLI::App* render_app = app.add_subcommand("render", "Make a film or pictures of a run");
  add_render_options(render_app, rendered);

  CheckCommand check;
  bool expand = false;
  CLI::App* check_app =
      app.add_subcommand("check", "Find everything wrong without running, and sum up the model");
  add_scenario_options(check_app, check.scenario, check.edits);
  CLI::Option* check_json = check_app->add_flag("--json", check.json, "Print the result as one JSON object");
  check_app
      ->add_flag("--expand", expand,
                 "Print the scenario with includes, edits and chains carried out instead of the summary")
      ->excludes(check_json);

  PackCommand pack;
  CLI::App* pack_app = app.add_subcommand("pack", "Put a scenario and all its files into one file");
  add_scenario_options(pack_app, pack.scenario, pack.edits);
  pack_app->add_option("-o,--output", pack.output, "File to write")->required()->type_name("FILE");

  ImportCommand import;
  CLI::App* import_app = app.add_subcommand("import", "Turn a file of another program into a scenario");
  import_app
      ->add_option("file", import.file, "File to read: STEP, OBJ, STL, DAE, glTF, URDF, MJCF, MRSim's XML")
      ->required();
  import_app->add_option("-o,--output", import.output, "Scenario to write")->required()->type_name("FILE.xml");
  import_app->add_option("--format", import.format,
                         "Which format: urdf, mjcf, mrsim, shapes; by the file if left out");
  import_app
      ->add_option("--package", import.packages, "Where a package lies that the file names (package://NAME/…)")
      ->type_name("NAME=FOLDER")
      ->allow_extra_args(false);
  import_app
      ->add_option("--root", import.root,
                   "Files below this folder may be read; that of the file or its package if left out")
      ->type_name("FOLDER");
  import_app->add_option("--base", import.base, "Whether a robot of a URDF is fixed or free to move")
      ->capture_default_str()
      ->type_name("fixed|free");
  import_app->add_option("--density", import.density, "Of links that move and have no mass in the file")
      ->capture_default_str()
      ->type_name("DENSITY");
  import_app->add_option("--key", import.keyframe, "Keyframe of an MJCF to start from")->type_name("NAME");
  add_unit_options(import_app, import.units);

  ExportCommand exported;
  CLI::App* export_app = app.add_subcommand("export", "Turn a scenario into files of another program");
  add_scenario_options(export_app, exported.scenario, exported.edits);
  export_app
      ->add_option("-o,--output", exported.output,
                   "FILE.urdf, FILE.mjcf, FILE.xml for MRSim, FOLDER/ for parts as STL in millimetres")
      ->required()
      ->type_name("FILE|FOLDER/");
  export_app->add_option("--format", exported.format,
                         "Which format: urdf, mjcf, mrsim, stl; by the ending if left out");
  export_app->add_option("--robot", exported.robot, "Which robot, for URDF, if there are several")
      ->type_name("NAME");
  add_unit_options(export_app, exported.units);

  ModelOptions model(app);
  PosesCommand poses;
  CLI::App* poses_app = app.add_subcommand(
      "poses", "Print where every link is for given positions of the joints (forward kinematics)");
  add_scenario_options(poses_app, poses.scenario, poses.edits);
  poses_app
      ->add_option("--joint", poses.joints,
                   "Position of a hinge or slide joint, such as arm/elbow=30deg; where it starts if left out")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  poses_app->add_flag("--json", poses.json, "Print the result as one JSON object");

  SchemaCommand schema;
  CLI::App* schema_app =
      app.add_subcommand("schema", "Print the XML schema (XSD) of scenario files, for editors");
  schema_app->add_flag("--reference", schema.reference, "Print the reference as Markdown instead");

  PlotCommand plot;
  CLI::App* plot_app = app.add_subcommand("plot", "Draw signals of a log as curves");
  plot_app->add_option("log", plot.log, "Log file: .csv, .h5 or .hdf5")->required();
  plot_app->add_option("-s,--signal", plot.signals, "Signals to draw: names, '*' for any text; all if left out")
      ->type_name("PATTERN");
  plot_app->add_option("-o,--output", plot.output, "File to write")->required()->type_name("FILE.svg");
  plot_app->add_option("--from", plot.from, "Begin at this time, such as 2s")->type_name("TIME");
  plot_app->add_option("--to", plot.to, "End at this time")->type_name("TIME");
  plot_app->add_option("--title", plot.title, "Heading; the name of the log if left out")->type_name("TEXT");
  plot_app->add_option("--width", plot.width, "Width in pixels")->capture_default_str()->type_name("N");
  plot_app->add_option("--height", plot.height, "Height in pixels; by the number of panels if left out")
      ->type_name("N");

  ServeCommand serve;
  CLI::App* serve_app = app.add_subcommand("serve", "Show and steer a run in the browser");
  serve_app->add_option("scenario", serve.scenario, "Scenario file; one can also be opened in the page");
  serve_app
      ->add_option("--root", serve.root,
                   "Folder whose scenarios can be opened; that of the scenario, or this one, if left out")
      ->type_name("FOLDER");
  serve_app->add_option("--address", serve.address, "Address to listen on; all but this machine needs a token")
      ->capture_default_str()
      ->type_name("ADDRESS");
  serve_app->add_option("--port", serve.port, "Port to listen on; 0 takes a free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  serve_app
      ->add_option("--token", serve.token, "Secret that viewers need; a new one if it is needed and left out")
      ->type_name("TEXT");
  serve_app->add_flag("--play", serve.play,
                      "Begin when the first viewer comes, not when somebody presses play");
  serve_app->add_option("--replay", serve.replay_file, "Show a recording of run --record instead")
      ->type_name("FILE");

  OptimizeCommand optimize;
  CLI::App* optimize_app = app.add_subcommand(
      "optimize", "Search for better values, as a <study> of the scenario says; also under mpirun");
  add_scenario_options(optimize_app, optimize.scenario, optimize.edits);
  optimize_app->add_option("--study", optimize.study, "Which study, if there are several")->type_name("NAME");
  optimize_app
      ->add_option("--threads", optimize.threads, "Candidates that run at the same time; all cores if left out")
      ->type_name("N");
  optimize_app
      ->add_option("--results", optimize.results,
                   "File of all evaluations; SCENARIO.STUDY.results if left out. The winner is FILE.best.xml")
      ->type_name("FILE");
  optimize_app->add_flag("--resume", optimize.resume, "Go on with the results that are there");
  optimize_app->add_flag("--replay-best", optimize.replay_best,
                         "Run the winner again and compare with what was recorded");
  optimize_app->add_flag("--json", optimize.json, "Print the result as one JSON object");
  optimize_app->add_flag("--progress", optimize.progress, "Show progress also when not on a terminal");

  ReportCommand report;
  CLI::App* report_app = app.add_subcommand("report", "Show the results of a study as one HTML page");
  report_app->add_option("results", report.results, "File written by optimize")->required();
  report_app->add_option("-o,--output", report.output, "File to write")->required()->type_name("FILE.html");

  BenchCommand bench;
  CLI::App* bench_app = app.add_subcommand(
      "bench", "Measure against the raw engine, the raw wire or a bare loop, or what viewers cost");
  bench_app->add_option("name", bench.name, "Which bench: engine, link, optimize, realtime, serve")
      ->capture_default_str();
  bench_app->add_flag("--json", bench.json, "Print the result as one JSON object");
  bench_app->add_flag("--thorough", bench.thorough, "Take as long as it needs");
  bench_app->add_option("--case", bench.only, "Measure only this case, as in --case fourbar");
  bench_app->add_option("--seconds", bench.seconds, "Take so long for each case")->type_name("NUMBER");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUser;
  }
  const std::vector<std::string>& edits = run_app->parsed()        ? run.edits
                                          : render_app->parsed()   ? rendered.edits
                                          : check_app->parsed()    ? check.edits
                                          : export_app->parsed()   ? exported.edits
                                          : poses_app->parsed()    ? poses.edits
                                          : optimize_app->parsed() ? optimize.edits
                                                                   : pack.edits;
  if (import_app->parsed())
    return run_limited(import.file, [&] { return guard({}, [&] { return import_file(import, registry); }); });
  return guard_memory(edits, [&] {
    if (run_app->parsed()) return run_scenario(run, registry);
    if (replay_app->parsed()) return replay_recording(replay, registry);
    if (render_app->parsed()) return render(rendered, registry);
    if (check_app->parsed() && expand) return print_expanded(check.scenario, check.edits, registry);
    if (check_app->parsed()) return check_scenario(check, registry);
    if (pack_app->parsed()) return pack_scenario(pack);
    if (export_app->parsed()) return export_scenario(exported);
    if (model.parsed()) return model.run(registry);
    if (poses_app->parsed()) return print_poses(poses);
    if (schema_app->parsed()) return print_schema(schema, registry);
    if (plot_app->parsed()) return plot_log(plot);
    if (serve_app->parsed()) return serve_viewers(serve, registry);
    if (optimize_app->parsed()) return optimize_scenario(optimize, registry);
    if (report_app->parsed()) return write_report(report);
    return run_bench(bench, registry);
  });
}

}  // namespace lockstep
