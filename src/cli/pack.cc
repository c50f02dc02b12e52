#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/run_log.h"
#include "scenario/assets.h"
#include "scenario/document.h"

namespace lockstep {

int pack_scenario(const PackCommand& command) {
  if (is_same_file(command.output, command.scenario)) {
    throw_user_error({"--output", 0, 0}, "'{}' is the scenario itself", command.output);
  }
  Document document = Document::read_file(command.scenario);
  apply_edits(document, command.edits);
  write_file(command.output, pack(document));
  return kExitDone;
}

}  // namespace lockstep
