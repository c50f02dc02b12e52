#include "study/report.h"

#include <fmt/format.h>

#include <fstream>

#include "cli/command.h"

namespace lockstep {
namespace {

struct ReportCommand {
  std::string results;
  std::string output;  ///< .html
};

int write_report(const ReportCommand& command) {
  const Results results = read_results(command.results);
  std::ofstream out(command.output, std::ios::binary);
  out << make_report(results, command.results);
  if (!out.flush()) throw_user_error({command.output}, "cannot be written");
  return kExitDone;
}

}  // namespace

Command add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand("report", "Show the results of a study as one HTML page");
  command->add_option("results", options->results, "File written by optimize")->required();
  command->add_option("-o,--output", options->output, "File to write")->required()->type_name("FILE.html");
  return {command, [options](const Registry&) { return write_report(*options); }};
}

}  // namespace lockstep
