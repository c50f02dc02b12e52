#include "cli/exchange.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "assemble/assemble.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/run_log.h"
#include "exchange/formats.h"
#include "scenario/files.h"
#include "scenario/read.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

double read_unit(const char* option, const std::string& text, const char* si_unit) {
  const NumbersOrError read = parse_numbers(text, si_unit);
  if (!read.error.empty()) throw_user_error({option}, "{}", read.error);
  if (read.numbers.size() != 1 || read.numbers[0] <= 0.0)
    throw_user_error({option}, "'{}' is no unit; expected one number above 0, such as '100 mm'", text);
  return read.numbers[0];
}

FileUnits read_units(const ExchangeUnits& units) {
  return {.length = read_unit("--unit-length", units.length, "m"),
          .mass = read_unit("--unit-mass", units.mass, "kg")};
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << bytes;
  stream.close();
  if (!stream) throw_user_error({path.string()}, "cannot be written: {}", std::strerror(errno));
}

void print_report(const ExchangeReport& report, const char* first) {
  const auto print = [](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    fmt::print("{}\n", title);
    for (const std::string& line : lines) fmt::print("  {}\n", line);
  };
  print(first, report.read);
  print("assumed", report.assumed);
  print("lost", report.lost);
}

}  // namespace

int import_file(const ImportCommand& command, const Registry& registry) {
  if (is_same_file(command.output, command.file))
    throw_user_error({"--output"}, "'{}' is the file to import itself", command.output);
  FileOrError file = read_any_file(command.file, Document::kMaxFileBytes);
  if (!file.error.empty()) throw_user_error({}, "the file {}", file.error);
  const ImportSource source{
      .name = command.file, .bytes = std::move(file.bytes), .units = read_units(command.units)};
  const Imported imported = find_import_format(source, command.format).read(source);
  const std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + write_element(imported.root);

  // What is written must run: whatever would be wrong with it is said now.
  const std::filesystem::path folder = std::filesystem::path(command.output).parent_path();
  const Document document = Document::read_text(text, command.output, folder);
  const Scenario scenario = read_scenario(document);
  Diagnostics diagnostics;
  (void)assemble(scenario, Assets(scenario, folder), registry, diagnostics);
  std::fputs(diagnostics.text().c_str(), stderr);
  write_file(command.output, text);
  print_report(imported.report, "read");
  return kExitDone;
}

int export_scenario(const ExportCommand& command) {
  if (is_same_file(command.output, command.scenario))
    throw_user_error({"--output"}, "'{}' is the scenario itself", command.output);
  const ExportFormat& format = find_export_format(command.output, command.format);
  Document document = Document::read_file(command.scenario);
  for (const std::string& edit : command.edits) {
    const auto [xpath, value] = split_edit(edit);
    document.set(xpath, value, "--set " + shown_edit(edit));
  }
  const Scenario scenario = read_scenario(document);
  const Assets assets(scenario, document.root_folder());
  const Element root = document.root();
  const Exported exported =
      format.write({.root = root, .scenario = scenario, .assets = assets, .units = read_units(command.units)});
  const std::filesystem::path output = command.output;
  if (format.is_folder()) {
    std::error_code error;
    std::filesystem::create_directories(output, error);
    if (error) throw_user_error({command.output}, "cannot be made: {}", error.message());
  }
  for (const ExportedFile& file : exported.files)
    write_file(format.is_folder() ? output / file.path : output, file.bytes);
  print_report(exported.report, "written");
  return kExitDone;
}

int print_expanded(const std::string& scenario, const std::vector<std::string>& edits,
                   const Registry& registry) {
  const LoadedScenario loaded = load_scenario(scenario, edits);
  Diagnostics diagnostics;
  (void)assemble(loaded.scenario, loaded.assets, registry, diagnostics);
  std::fputs(diagnostics.text().c_str(), stderr);
  std::fputs(write_scenario(loaded.scenario, Defaults::kLeaveOut).c_str(), stdout);
  return kExitDone;
}

}  // namespace lockstep
