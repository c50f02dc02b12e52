#include "cli/design.h"

#include <fmt/format.h>

#include <cstdio>

#include "assemble/assemble.h"
#include "base/files.h"
#include "base/units.h"
#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "cli/run_log.h"
#include "design/script_edit.h"
#include "design/static_checks.h"
#include "geometry/assembly_reader.h"
#include "scenario/read.h"
#include "scenario/reference.h"
#include "scenario/write.h"

namespace lockstep {
namespace {

void print_lines(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("{}\n", title);
  for (const std::string& line : lines) fmt::print("  {}\n", line);
}

void print_bodies(const ModelResult& result) {
  fmt::print("bodies\n");
  for (const BodyResult& body : result.bodies) {
    fmt::print("  {}: {} parts, {:.6g} kg{}\n", body.name, body.parts, body.mass.mass,
               body.collision.empty() ? "" : "; " + body.collision);
  }
}

std::string read_text_file(const std::string& path) {
  Result<FileContent> file = read_any_file(path, Document::kMaxFileBytes);
  if (!file) throw_user_error({}, "the script {}", file.error());
  return std::move(file->bytes);
}

/// Writes a script if it can be read back and has the expected number of operations.
void replace_script(const std::string& path, const std::string& text, std::size_t operations) {
  const DesignScript changed =
      read_script(Document::read_text(text, path, std::filesystem::path(path).parent_path()));
  LOCKSTEP_CHECK(changed.operations.size() == operations);
  write_file(path, text);
}

}  // namespace

ReadFile files_beside(const std::filesystem::path& folder) {
  return [folder](const std::string& src, const Place& place) {
    Result<FileContent> file = read_file_below(folder, src, Assets::kMaxFileBytes);
    if (!file) throw_user_error(place, "src {}", file.error());
    return std::move(file->bytes);
  };
}

int design_run(const DesignRunCommand& command, const Registry& registry) {
  if (is_same_file(command.output, command.script.file))
    throw_user_error({"--output"}, "'{}' is the script itself", command.output);
  const CarriedOut done = carry_out(command.script, Document::read_file(command.script.file));
  const std::filesystem::path output = command.output;
  const std::string folder = output.stem().string() + "_files";
  ModelResult result = make_result(done.design, folder, files_beside(done.folder));

  // The written scenario must be valid: report its errors now, with the place in the script.
  std::vector<ResultFile> files = result.files;
  embed_files(result);
  Diagnostics diagnostics;
  const Simulation simulation =
      assemble(result.scenario, Assets(result.scenario, output.parent_path()), registry, diagnostics);
  check_parts(done.design, diagnostics);
  check_model(simulation.model(), diagnostics);
  std::fputs(diagnostics.text().c_str(), stderr);

  if (!command.embed) {
    result.scenario.files = done.script.scenario.files;
    std::error_code error;
    std::filesystem::create_directories(output.parent_path() / folder, error);
    if (error) throw_user_error({folder}, "cannot create the folder: {}", error.message());
    for (const ResultFile& file : files) write_file(output.parent_path() / file.path, file.bytes);
  }
  write_file(output, write_scenario(result.scenario, Defaults::kOmit));
  print_lines("read", done.notes.read);
  print_bodies(result);
  std::vector<std::string> assumed = done.notes.assumed;
  assumed.insert(assumed.end(), result.assumed.begin(), result.assumed.end());
  print_lines("assumed", assumed);
  print_lines("lost", done.notes.lost);
  print_lines("suspicious", done.notes.suspicious);
  return kExitDone;
}

int design_new(const DesignNewCommand& command) {
  const std::filesystem::path output = command.output, file = command.file;
  std::error_code error;
  if (std::filesystem::exists(output, error))
    throw_user_error({command.output}, "already exists; expected a new file");
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(output), error).parent_path();
  const std::string src = std::filesystem::weakly_canonical(std::filesystem::absolute(file), error)
                              .lexically_relative(folder)
                              .generic_string();
  if (!stays_below(normal_path(src)))
    throw_user_error({command.file},
                     "is outside the folder of the script; put the script in the same folder or above");
  if (!std::filesystem::is_regular_file(file, error)) throw_user_error({command.file}, "is not a file");
  Element root{.name = "design", .place = {}, .attributes = {}, .children = {}, .text = {}};
  root.attributes = {{"src", src, {}}, {"robot", command.robot, {}}};
  if (command.unit) root.attributes.push_back({"unit", *command.unit, {}});
  const std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + write_element(root);
  (void)read_script(Document::read_text(text, command.output, folder));  // the unit may be invalid
  write_file(output, text);
  return kExitDone;
}

int design_apply(const DesignApplyCommand& command) {
  const std::string& path = command.script.file;
  const std::string text = read_text_file(path);
  const DesignScript script = read_script(Document::read_file(path));
  const Place origin{"design apply"};
  const std::string changed =
      with_appended(text, make_operation_element(command.operation, command.settings, origin));
  // Run before writing: a written script is always valid.
  const CarriedOut done =
      carry_out(command.script, Document::read_text(changed, path, std::filesystem::path(path).parent_path()));
  replace_script(path, changed, script.operations.size() + 1);
  fmt::print("{}: {} operations, {} links, {} parts in no link\n", path, script.operations.size() + 1,
             done.design.links.size(), find_unused_parts(done.design).size());
  return kExitDone;
}

int design_undo(const DesignUndoCommand& command) {
  const std::string text = read_text_file(command.script);
  const DesignScript script = read_script(Document::read_file(command.script));
  if (script.operations.empty()) throw_user_error({command.script}, "has no operation to undo");
  const Place& last = script.operations.back().place;
  const std::string changed = without_element(text, last);
  replace_script(command.script, changed, script.operations.size() - 1);
  fmt::print("{}: undid the operation at line {}; {} left\n", command.script, last.line,
             script.operations.size() - 1);
  return kExitDone;
}

int print_design_reference(const Registry& registry) {
  ElementSchema schema = script_schema();
  add_engine_children(schema, registry.lists().engines.schemas());
  std::fputs(write_reference(schema, {.heading = "Design scripts", .file = "a design script"}).c_str(), stdout);
  return kExitDone;
}

}  // namespace lockstep
