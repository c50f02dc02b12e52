#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assemble/registry.h"

/// The commands of the command line, each with its options as a plain struct. They return the exit code and
/// throw UserError for wrong input.
namespace lockstep {

inline constexpr int kExitDone = 0;
inline constexpr int kExitOutcome = 1;  ///< the run ended otherwise than hoped
inline constexpr int kExitUser = 2;     ///< the input is wrong

struct RunCommand {
  std::string scenario;
  std::vector<std::string> edits;     ///< "XPATH=VALUE"
  std::optional<std::string> length;  ///< "10 s"; the scenario's duration if left out
  bool real_time = false;
  bool is_plain = false;             ///< in real time: without priority and locked memory
  std::optional<double> speed;       ///< real time times this
  std::optional<std::string> grace;  ///< overruns in this time from the start are not counted
  std::optional<std::int64_t> max_overruns;
  std::vector<std::string> controllers;  ///< commands to start for the links
  std::optional<std::string> record_file;
  std::vector<std::string> log_files;    ///< .csv, .h5 or .hdf5
  std::vector<std::string> log_signals;  ///< patterns; all signals if there is none
  std::int64_t log_every = 1;            ///< steps between rows
  std::string output_folder = ".";       ///< for the files that the scenario's observers write
  std::optional<std::string> save_file;
  std::optional<std::string> load_file;
  std::optional<std::string> hash_log_file;  ///< "step hash" per line
  bool json = false;
  bool progress = false;  ///< also when not on a terminal
};
int run_scenario(const RunCommand& command, const Registry& registry);

struct ReplayCommand {
  std::string recording;
  bool as_plant = false;                 ///< with controllers at the links, whose commands are compared
  std::vector<std::string> controllers;  ///< commands to start for the links
  std::vector<std::string> addresses;    ///< of the links, in their order, instead of the recorded ones
  std::optional<double> tolerance;       ///< of commands
  bool json = false;
};
int replay_recording(const ReplayCommand& command, const Registry& registry);

struct RenderCommand {
  std::string source;                 ///< scenario or recording
  bool is_recording = false;          ///< `source` is one
  std::vector<std::string> edits;     ///< of the scenario
  std::string output;                 ///< .mp4, .png or a folder
  std::optional<std::string> length;  ///< "10 s"; the scenario's duration if left out
  std::optional<std::string> at;      ///< "2 s": one picture of this moment
  std::optional<double> rate_hz;      ///< frames per second; 30 if left out
  std::optional<double> speed;        ///< simulated seconds per second of film; 1 if left out
  std::string size = "1280x720";
  std::vector<std::string> camera;       ///< "azimuth=30deg distance=2m"
  std::vector<std::string> shown;        ///< beside the visible shapes
  std::vector<std::string> controllers;  ///< commands to start for the links
};
int render(const RenderCommand& command, const Registry& registry);

struct CheckCommand {
  std::string scenario;
  std::vector<std::string> edits;
  bool json = false;
};
int check_scenario(const CheckCommand& command, const Registry& registry);

struct PackCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::string output;
};
int pack_scenario(const PackCommand& command);

struct SchemaCommand {
  bool reference = false;  ///< Markdown instead of XSD
};
int print_schema(const SchemaCommand& command, const Registry& registry);

struct PlotCommand {
  std::string log;
  std::vector<std::string> signals;  ///< patterns; all signals if there is none
  std::string output;                ///< .svg
  std::string title;
  std::optional<std::string> from;  ///< "2 s"
  std::optional<std::string> to;
  int width = 800;
  int height = 0;  ///< 0: by the number of panels
};
int plot_log(const PlotCommand& command);

struct ServeCommand {
  std::optional<std::string> scenario;
  std::optional<std::string> root;  ///< the folder of the scenario, or this one
  std::string address = "127.0.0.1";
  int port = 8080;
  std::optional<std::string> token;
  std::optional<std::string> replay_file;
  bool play = false;  ///< when the first viewer comes
};
int serve_viewers(const ServeCommand& command, const Registry& registry);

struct OptimizeCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::string study;    ///< name; the only one if empty
  int threads = 0;      ///< 0: as many as there are cores
  std::string results;  ///< file; named after scenario and study if empty
  bool resume = false;
  bool replay_best = false;
  bool json = false;
  bool progress = false;  ///< also when not on a terminal
};
int optimize_scenario(const OptimizeCommand& command, const Registry& registry);

struct ReportCommand {
  std::string results;
  std::string output;  ///< .html
};
int write_report(const ReportCommand& command);

struct BenchCommand;  // bench/bench.h
int run_bench(const BenchCommand& command, const Registry& registry);

}  // namespace lockstep
