#include "log/plot.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"

namespace lockstep {
namespace {

double time_of(const char* option, const std::string& text) {
  const NumbersOrError parsed = parse_numbers(text, "s");
  if (!parsed.error.empty()) throw_user_error({option, 0, 0}, "{}", parsed.error);
  if (parsed.numbers.size() != 1) throw_user_error({option, 0, 0}, "'{}' is no time; expected one", text);
  return parsed.numbers[0];
}

void require_size(const char* option, int pixels) {
  constexpr int kFewest = 200, kMost = 10'000;
  if (pixels >= kFewest && pixels <= kMost) return;
  throw_user_error({option, 0, 0}, "{} is out of range; expected {} to {} pixels", pixels, kFewest, kMost);
}

void write_file(const std::string& file, const std::string& text) {
  std::FILE* out = std::fopen(file.c_str(), "wb");
  bool done = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (out != nullptr) done = std::fclose(out) == 0 && done;
  if (!done) throw_user_error({file, 0, 0}, "cannot be written: {}", std::strerror(errno));
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
