#include "study/report.h"

#include <fmt/format.h>

#include <fstream>

#include "cli/commands.h"

namespace lockstep {

int write_report(const ReportCommand& command) {
  const Results results = read_results(command.results);
  std::ofstream out(command.output, std::ios::binary);
  out << make_report(results, command.results);
  if (!out.flush()) throw_user_error({command.output}, "cannot be written");
  return kExitDone;
}

}  // namespace lockstep
