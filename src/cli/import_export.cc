
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "assemble/assemble.h"
#include "base/files.h"
#include "base/progress_line.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/limited_process.h"
#include "cli/output_file.h"
#include "cli/run_log.h"
#include "formats/common/report_lines.h"
#include "formats/formats.h"
#include "geometry/fit_cache.h"
#include "scenario/base64.h"
#include "scenario/read.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

/// Units of files that have none, as text: "100 mm". Empty: the default of the format.
struct UnitTexts {
  std::string length;
  std::string mass = "1 g";
};

struct ImportCommand {
  std::string file;
  std::string output;
  std::string format;  ///< detected from the file if empty
  UnitTexts units;
  std::vector<std::string> packages;  ///< "NAME=FOLDER"
  std::string root;                   ///< folder below which files may be read; default: that of the file
  std::string base = "fixed";         ///< or "free"
  std::string density = "1000 kg/m^3";
  std::string keyframe;
  std::string collision = "fitted";
  bool is_cached = true;
};

struct ExportCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::string output;
  std::string format;  ///< from the extension of the output if empty
  UnitTexts units;
  std::string robot;  ///< for formats that hold one robot
};

double read_unit(const char* option, const std::string& text, const char* si_unit) {
  const Result<std::vector<double>> read = parse_numbers(text, si_unit);
  if (!read) throw_user_error({option}, "{}", read.error());
  if (read->size() != 1 || read->front() <= 0.0)
    throw_user_error({option}, "'{}' is not a unit; expected a quantity above 0, such as '100 mm'", text);
  return read->front();
}

std::optional<double> read_length_unit(const UnitTexts& units) {
  if (units.length.empty()) return std::nullopt;
  return read_unit("--unit-length", units.length, "m");
}

FileUnits read_units(const UnitTexts& units) {
  return {.length = read_length_unit(units).value_or(FileUnits{}.length),
          .mass = read_unit("--unit-mass", units.mass, "kg")};
}

void print_report(const FormatReport& report, const char* first) {
  const auto print = [](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    fmt::print("{}\n", title);
    for (const std::string& line : merged_lines(lines)) fmt::print("  {}\n", line);
  };
  print(first, report.read);
  print("assumed", report.assumed);
  print("lost", report.lost);
  print("looks wrong", report.suspicious);
}

/// "robot" for "out/robot.xml".
std::string stem_of(const std::string& output) {
  return std::filesystem::path(output).stem().string();
}

ImportOptions read_import_options(const ImportCommand& command) {
  ImportOptions options;
  for (const std::string& package : command.packages) {
    const std::size_t at = package.find('=');
    if (at == std::string::npos || at == 0)
      throw_user_error({"--package"}, "'{}' is not a package; expected NAME=FOLDER", package);
    options.packages.emplace_back(package.substr(0, at), package.substr(at + 1));
  }
  if (!command.root.empty()) options.root = command.root;
  if (command.base != "fixed" && command.base != "free")
    throw_user_error({"--base"}, "'{}' is unknown; expected 'fixed' or 'free'", command.base);
  options.has_free_base = command.base == "free";
  options.density = read_unit("--density", command.density, "kg/m^3");
  options.keyframe = command.keyframe;
  const auto kind = std::find_if(kCollisionShapes.begin(), kCollisionShapes.end(),
                                 [&](const auto& each) { return each.first == command.collision; });
  if (kind == kCollisionShapes.end()) {
    throw_user_error({"--collision"}, "'{}' is unknown; expected 'fitted', 'hull', 'box' or 'none'",
                     command.collision);
  }
  options.collision = kind->second;
  if (command.is_cached) options.cache = find_fit_cache_folder();
  return options;
}

/// Makes a folder, and says so.
void make_folder(const std::filesystem::path& folder, FormatReport& report) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(folder, error);
  if (is_new) report.read.push_back(fmt::format("made the folder {}", folder.string()));
  if (error) throw_user_error({folder.string()}, "cannot create the folder: {}", error.message());
}

int import_file(const ImportCommand& command, const Registry& registry) {
  if (is_same_file(command.output, command.file))
    throw_user_error({"--output"}, "'{}' is the input file; choose another name", command.output);
  Result<FileContent> file = read_any_file(command.file, Document::kMaxFileBytes);
  if (!file) throw_user_error({}, "the file {}", file.error());
  ProgressLine line;
  ImportSource source{.name = command.file,
                      .bytes = std::move(file->bytes),
                      .units = read_units(command.units),
                      .unit_length = read_length_unit(command.units),
                      .path = command.file,
                      .asset_folder = stem_of(command.output) + "-meshes",
                      .options = read_import_options(command)};
  source.options.progress = [&](std::string_view text) {
    if (line.is_due()) line.show(text);
  };
  Imported imported = find_import_format(source, command.format).read(source);
  line.clear();
  const std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + write_element(imported.root);

  // The written scenario must be valid: report its errors now.
  const std::filesystem::path folder = std::filesystem::path(command.output).parent_path();
  const Document document = Document::read_text(text, command.output, folder);
  Scenario scenario = read_scenario(document);
  for (const ExportedFile& each : imported.files)
    scenario.files.push_back({.place = {}, .path = each.path, .data = encode_base64(each.bytes)});
  Diagnostics diagnostics;
  (void)assemble(scenario, Assets(scenario, folder), registry, diagnostics);
  std::fputs(diagnostics.text().c_str(), stderr);
  for (const ExportedFile& each : imported.files) {
    make_folder((folder / each.path).parent_path(), imported.report);
    write_file(folder / each.path, each.bytes);
  }
  write_file(command.output, text);
  print_report(imported.report, "read");
  return kExitDone;
}

int export_scenario(const ExportCommand& command) {
  if (is_same_file(command.output, command.scenario))
    throw_user_error({"--output"}, "'{}' is the scenario itself", command.output);
  const ExportFormat& format = find_export_format(command.output, command.format);
  Document document = Document::read_file(command.scenario);
  apply_edits(document, command.edits);
  const Scenario scenario = read_scenario(document);
  const Assets assets(scenario, document.root_folder());
  const Element root = document.root();
  Exported exported = format.write({.root = root,
                                    .scenario = scenario,
                                    .assets = assets,
                                    .units = read_units(command.units),
                                    .asset_folder = stem_of(command.output) + "-meshes",
                                    .robot = command.robot});
  const std::filesystem::path output = command.output;
  const std::filesystem::path folder = format.is_folder() ? output : output.parent_path();
  for (const ExportedFile& file : exported.files) {
    const std::filesystem::path path = file.path.empty() ? output : folder / file.path;
    if (path.has_parent_path() && !file.path.empty()) make_folder(path.parent_path(), exported.report);
    write_file(path, file.bytes);
  }
  print_report(exported.report, "written");
  return kExitDone;
}

void add_unit_options(CLI::App* app, UnitTexts& units) {
  app->add_option("--unit-length", units.length,
                  "Length unit of a file without units; default 100 mm for MRSim, 1 m for shapes")
      ->type_name("LENGTH");
  app->add_option("--unit-mass", units.mass, "Mass unit of a file without units")
      ->capture_default_str()
      ->type_name("MASS");
}

}  // namespace

Command add_import_command(CLI::App& app) {
  auto options = std::make_shared<ImportCommand>();
  CLI::App* command = app.add_subcommand("import", "Convert a file of another program to a scenario");
  command->footer(
      "Examples:\n"
      R"(  lockstep export scenarios/arms/six-joints.xml -o arm.urdf)"
      "\n"
      R"(  lockstep import arm.urdf -o arm.xml)");
  command->add_option("file", options->file, "File to read: STEP, OBJ, STL, DAE, glTF, URDF, MJCF, MRSim's XML")
      ->required();
  command->add_option("-o,--output", options->output, "Scenario to write")->required()->type_name("FILE.xml");
  command->add_option("--format", options->format,
                      "Format: urdf, mjcf, mrsim, shapes; default: detected from the file");
  command
      ->add_option("--package", options->packages,
                   "Folder of a package that the file refers to (package://NAME/…)")
      ->type_name("NAME=FOLDER")
      ->allow_extra_args(false);
  command
      ->add_option("--root", options->root,
                   "Files below this folder may be read; default: the folder of the file or its package")
      ->type_name("FOLDER");
  command->add_option("--base", options->base, "Base of a URDF robot: fixed or free")
      ->capture_default_str()
      ->type_name("fixed|free");
  command->add_option("--density", options->density, "Density of moving links without a mass in the file")
      ->capture_default_str()
      ->type_name("DENSITY");
  command->add_option("--key", options->keyframe, "Keyframe of an MJCF file to start from")->type_name("NAME");
  command->add_option("--collision", options->collision, "Collision shapes of a file of shapes")
      ->capture_default_str()
      ->type_name("fitted|hull|box|none");
  command->add_flag("!--no-cache", options->is_cached,
                    "Fit collision shapes again, instead of using those of an earlier import");
  add_unit_options(command, options->units);
  return {command, [options](const Registry& registry) {
            return run_limited(options->file, [&] { return import_file(*options, registry); });
          }};
}

Command add_export_command(CLI::App& app) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "Convert a scenario to files of another program");
  command->footer(
      "Examples:\n"
      R"(  lockstep export scenarios/arms/six-joints.xml -o arm.urdf)");
  add_scenario_options(command, options->scenario, options->edits);
  command
      ->add_option("-o,--output", options->output,
                   "FILE.urdf, FILE.mjcf, FILE.xml for MRSim, FOLDER/ for parts as STL in millimetres")
      ->required()
      ->type_name("FILE|FOLDER/");
  command->add_option("--format", options->format,
                      "Format: urdf, mjcf, mrsim, stl; default: from the extension");
  command->add_option("--robot", options->robot, "Robot to export to URDF, if there are several")
      ->type_name("NAME");
  add_unit_options(command, options->units);
  return {command, [options](const Registry&) { return export_scenario(*options); }, &options->edits};
}

}  // namespace lockstep
