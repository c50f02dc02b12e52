#include "log/plot.h"

#include "base/units.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

struct PlotCommand {
  std::string log;
  std::vector<std::string> signals;  ///< patterns; all signals if empty
  std::string output;                ///< .svg
  std::string title;
  std::optional<std::string> from;  ///< "2 s"
  std::optional<std::string> to;
  int width = 800;
  int height = 0;  ///< 0: from the number of panels
};

double time_of(const char* option, const std::string& text) {
  const Result<std::vector<double>> parsed = parse_numbers(text, "s");
  if (!parsed) throw_user_error({option, 0, 0}, "{}", parsed.error());
  if (parsed->size() != 1)
    throw_user_error({option, 0, 0}, "'{}' is not a time; expected one time, such as 2s", text);
  return parsed->front();
}

void require_size(const char* option, int pixels) {
  constexpr int kMin = 200, kMax = 10'000;
  if (pixels >= kMin && pixels <= kMax) return;
  throw_user_error({option, 0, 0}, "{} is out of range; expected {} to {} pixels", pixels, kMin, kMax);
}

int plot_log(const PlotCommand& command) {
  require_size("--width", command.width);
  if (command.height != 0) require_size("--height", command.height);
  if (std::filesystem::path(command.output).extension() != ".svg") {
    throw_user_error({"--output", 0, 0}, "'{}' has an unknown extension; expected '.svg'", command.output);
  }
  LogQuery query;
  if (command.from) query.from = time_of("--from", *command.from);
  if (command.to) query.to = time_of("--to", *command.to);
  if (!command.signals.empty()) query.signals.clear();
  for (const std::string& pattern : command.signals) query.signals += pattern + " ";
  const LogData data = read_log(command.log, query);
  const Place place{command.log, 0, 0};
  const std::size_t curves = data.columns.size() - 1;
  if (curves == 0) throw_user_error(place, "no signal to plot besides the time; select another signal");
  if (curves > kMaxCurves) {
    throw_user_error(place, "{} signals are too many for one plot; choose at most {} with -s", curves,
                     kMaxCurves);
  }
  if (data.values[0].empty()) throw_user_error(place, "the log has no rows in this time range");
  const std::string title =
      command.title.empty() ? std::filesystem::path(command.log).filename().string() : command.title;
  write_file(command.output,
             draw_plot(data, {.title = title, .width = command.width, .height = command.height}));
  return kExitDone;
}

}  // namespace

Command add_plot_command(CLI::App& app) {
  auto options = std::make_shared<PlotCommand>();
  CLI::App* command = app.add_subcommand("plot", "Plot signals of a log");
  command->footer(
      "Examples:\n"
      R"(  lockstep run scenarios/basics/pendulum.xml --log swing.csv)"
      "\n"
      R"(  lockstep plot swing.csv --signal '*/angle' -o swing.svg)");
  command->add_option("log", options->log, "Log file: .csv, .h5 or .hdf5")->required();
  command->add_option("-s,--signal", options->signals, "Signals to plot: names, '*' for any text; default: all")
      ->type_name("PATTERN");
  command->add_option("-o,--output", options->output, "File to write")->required()->type_name("FILE.svg");
  command->add_option("--from", options->from, "Start at this time, such as 2s")->type_name("TIME");
  command->add_option("--to", options->to, "End at this time")->type_name("TIME");
  command->add_option("--title", options->title, "Title; default: the name of the log")->type_name("TEXT");
  command->add_option("--width", options->width, "Width in pixels")->capture_default_str()->type_name("N");
  command->add_option("--height", options->height, "Height in pixels; default: from the number of panels")
      ->type_name("N");
  return {command, [options](const Registry&) { return plot_log(*options); }};
}

}  // namespace lockstep
