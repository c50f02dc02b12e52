#include "study/report.h"

#include "cli/commands.h"
#include "cli/output_file.h"

namespace lockstep {

int write_report(const ReportCommand& command) {
  const Results results = read_results(command.results);
  write_file(command.output, make_report(results, command.results));
  return kExitDone;
}

}  // namespace lockstep
