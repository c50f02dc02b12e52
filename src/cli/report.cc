#include "study/report.h"

#include "cli/command.h"
#include "cli/output_file.h"

namespace lockstep {
namespace {

struct ReportCommand {
  std::string results;
  std::string output;  ///< .html
};

int write_report(const ReportCommand& command) {
  const Results results = read_results(command.results);
  write_file(command.output, make_report(results, command.results));
  return kExitDone;
}

}  // namespace

Command add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand("report", "Write the results of a study as an HTML page");
  command->footer(
      "Examples:\n"
      R"(  lockstep optimize scenarios/studies/gait-study.xml --study gait --set "//study/@evaluations=20" --set "//study/@islands=1" --results gait.results)"
      "\n"
      R"(  lockstep report gait.results -o gait.html)");
  command->add_option("results", options->results, "File written by optimize")->required();
  command->add_option("-o,--output", options->output, "File to write")->required()->type_name("FILE.html");
  return {command, [options](const Registry&) { return write_report(*options); }};
}

}  // namespace lockstep
