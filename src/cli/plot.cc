#include "log/plot.h"

#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/output_file.h"

namespace lockstep {
namespace {

double time_of(const char* option, const std::string& text) {
  const Result<std::vector<double>> parsed = parse_numbers(text, "s");
  if (!parsed) throw_user_error({option, 0, 0}, "{}", parsed.error());
  if (parsed->size() != 1) throw_user_error({option, 0, 0}, "'{}' is no time; expected one", text);
  return parsed->front();
}

void require_size(const char* option, int pixels) {
  constexpr int kFewest = 200, kMost = 10'000;
  if (pixels >= kFewest && pixels <= kMost) return;
  throw_user_error({option, 0, 0}, "{} is out of range; expected {} to {} pixels", pixels, kFewest, kMost);
}

}  // namespace

int plot_log(const PlotCommand& command) {
  require_size("--width", command.width);
  if (command.height != 0) require_size("--height", command.height);
  if (std::filesystem::path(command.output).extension() != ".svg") {
    throw_user_error({"--output", 0, 0}, "'{}' has an unknown ending; expected '.svg'", command.output);
  }
  LogQuery query;
  if (command.from) query.from = time_of("--from", *command.from);
  if (command.to) query.to = time_of("--to", *command.to);
  if (!command.signals.empty()) query.signals.clear();
  for (const std::string& pattern : command.signals) query.signals += pattern + " ";
  const LogData data = read_log(command.log, query);
  const Place place{command.log, 0, 0};
  const std::size_t curves = data.columns.size() - 1;
  if (curves == 0) throw_user_error(place, "there is nothing to draw over the time; expected another signal");
  if (curves > kMostCurves) {
    throw_user_error(place, "{} signals are too many for one plot; choose at most {} with -s", curves,
                     kMostCurves);
  }
  if (data.values[0].empty()) throw_user_error(place, "there are no rows in that time");
  const std::string title =
      command.title.empty() ? std::filesystem::path(command.log).filename().string() : command.title;
  write_file(command.output,
             draw_plot(data, {.title = title, .width = command.width, .height = command.height}));
  return kExitDone;
}

}  // namespace lockstep
