#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/commands.h"
#include "cli/run_log.h"
#include "scenario/assets.h"
#include "scenario/document.h"

namespace lockstep {

int pack_scenario(const PackCommand& command) {
  if (is_same_file(command.output, command.scenario)) {
    throw_user_error({"--output", 0, 0}, "'{}' is the scenario itself", command.output);
  }
  Document document = Document::read_file(command.scenario);
  for (const std::string& edit : command.edits) {
    const auto [xpath, value] = split_edit(edit);
    document.set(xpath, value, "--set " + edit);
  }
  const std::string text = pack(document);
  std::ofstream stream(command.output, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw_user_error({command.output, 0, 0}, "cannot be written: {}", std::strerror(errno));
  return kExitDone;
}

}  // namespace lockstep
