
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "assemble/assemble.h"
#include "base/files.h"
#include "base/progress_line.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/limited_process.h"
#include "cli/output_file.h"
#include "cli/run_log.h"
#include "formats/formats.h"
#include "geometry/fit_cache.h"
#include "lockstep/world.h"
#include "model/build.h"
#include "scenario/base64.h"
#include "scenario/read.h"
#include "scenario/write.h"
#include "serve/html_export.h"

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
  std::string drive;                  ///< "servo", "speed", "torque", "none"; default: as the file says
  bool ground = false;
  std::string srdf;
  std::string density = "1000 kg/m^3";
  std::string keyframe;
  std::vector<std::string> arguments;         ///< of a xacro file, "NAME=VALUE"
  std::vector<std::string> launch_arguments;  ///< the same as ROS users write them, "NAME:=VALUE"
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

void print_report(FormatReport report, const char* first) {
  combine_repeated(report);
  const auto print = [](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    fmt::print("{}\n", title);
    for (const std::string& line : lines) fmt::print("  {}\n", line);
  };
  print(first, report.read);
  print("assumed", report.assumed);
  print("lost", report.lost);
  print("moves differently", report.differs);
  print("looks wrong", report.suspicious);
}

/// "robot" for "out/robot.xml".
std::string stem_of(const std::string& output) {
  return std::filesystem::path(output).stem().string();
}

constexpr std::array<std::pair<std::string_view, DriveKind>, 4> kDrives = {{{"servo", DriveKind::kServo},
                                                                            {"speed", DriveKind::kSpeed},
                                                                            {"torque", DriveKind::kTorque},
                                                                            {"none", DriveKind::kNone}}};

/// Folders of ROS packages: ROS_PACKAGE_PATH, and share/ below those of AMENT_PREFIX_PATH.
std::vector<std::filesystem::path> list_package_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& [variable, below] :
       {std::pair("ROS_PACKAGE_PATH", ""), std::pair("AMENT_PREFIX_PATH", "share")}) {
    const char* value = std::getenv(variable);
    std::string_view rest = value == nullptr ? "" : value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.push_back(std::filesystem::path(rest.substr(0, end)) / below);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (std::filesystem::path& folder : folders) folder = folder.lexically_normal();
  return folders;
}

/// Places in the imported file by line and column of the written scenario. What has none has that of the element
/// around it.
using SourcePlaces = std::map<std::pair<int, int>, Place>;

void add_source_places(const Element& element, std::string robot, std::optional<Place> around,
                       const std::map<std::string, Place>& places, SourcePlaces& found) {
  const Attribute* name = element.find_attribute("name");
  const std::string own = name == nullptr ? "" : name->value;
  if (element.name == "robot") robot = own;
  const std::string key =
      element.name == "robot" ? "robot " + own : fmt::format("{} {}/{}", element.name, robot, own);
  if (const auto known = places.find(key); known != places.end()) around = known->second;
  if (around) {
    found[{element.place.line, element.place.column}] = *around;
    for (const Attribute& attribute : element.attributes)
      found[{attribute.place.line, attribute.place.column}] = *around;
  }
  for (const Element& child : element.children) add_source_places(child, robot, around, places, found);
}

/// Messages about the written scenario, with places in the file that was imported.
Diagnostics at_source(const Diagnostics& diagnostics, const std::string& output, const SourcePlaces& places) {
  Diagnostics moved;
  for (Diagnostic each : diagnostics.list()) {
    if (each.place.file == output) {
      const auto found = places.find({each.place.line, each.place.column});
      each.place = found == places.end() ? Place{} : found->second;
    }
    moved.add(std::move(each));
  }
  return moved;
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
  for (const std::string& argument : command.arguments) {
    const std::size_t at = argument.find('=');
    if (at == std::string::npos || at == 0)
      throw_user_error({"--arg"}, "'{}' is not an argument; expected NAME=VALUE", argument);
    const std::size_t end = at > 1 && argument[at - 1] == ':' ? at - 1 : at;  // NAME:=VALUE
    options.arguments.emplace_back(argument.substr(0, end), argument.substr(at + 1));
  }
  for (const std::string& argument : command.launch_arguments) {
    const std::size_t at = argument.find(":=");
    if (at == std::string::npos || at == 0)
      throw_user_error({}, "'{}' is neither the file nor an argument of it; expected NAME:=VALUE", argument);
    options.arguments.emplace_back(argument.substr(0, at), argument.substr(at + 2));
  }
  options.package_folders = list_package_folders();
  options.has_ground = command.ground;
  if (!command.srdf.empty()) options.srdf = command.srdf;
  if (!command.drive.empty()) {
    const auto found = std::find_if(kDrives.begin(), kDrives.end(),
                                    [&](const auto& drive) { return drive.first == command.drive; });
    if (found == kDrives.end()) {
      throw_user_error({"--drive"}, "'{}' is unknown; expected 'servo', 'speed', 'torque' or 'none'",
                       command.drive);
    }
    options.drive = found->second;
  }
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

/// The scenario of an imported file, with its files embedded.
Scenario make_scenario(const Imported& imported, const Document& document) {
  Scenario scenario = read_scenario(document);
  for (const ExportedFile& each : imported.files)
    scenario.files.push_back({.place = {}, .path = each.path, .data = encode_base64(each.bytes)});
  return scenario;
}

/// Pairs of links of one robot that overlap at the start, by full name.
std::vector<std::pair<std::string, std::string>> find_overlaps(const Imported& imported,
                                                               const Registry& registry) {
  const Document document = Document::read_text(write_element(imported.root), "scenario.xml", ".");
  const Scenario scenario = make_scenario(imported, document);
  Diagnostics diagnostics;
  const auto model = build_model(scenario, Assets(scenario, "."), diagnostics);
  diagnostics.throw_if_errors();
  const auto world = registry.lists().engines.find(scenario.engine.name)->make_world(model);
  world->track({.contact_forces = true});
  if (!world->step().ok()) return {};
  std::set<std::pair<std::string, std::string>> pairs;
  for (const ContactPoint& contact : world->contacts()) {
    const BodyId a = model->shapes[index(contact.a)].body, b = model->shapes[index(contact.b)].body;
    if (a != kWorldBody && b != kWorldBody && contact.depth > 0.0)
      pairs.insert(std::minmax(model->body(a).name, model->body(b).name));
  }
  return {pairs.begin(), pairs.end()};
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
  const ImportFormat& format = find_import_format(source, command.format);
  Imported imported = format.read(source);
  if (imported.self_collides) {
    source.options.never_collide = find_overlaps(imported, registry);
    if (!source.options.never_collide.empty()) imported = format.read(source);
  }
  line.clear();
  const std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + write_element(imported.root);

  // The written scenario must be valid: report its errors now.
  const std::filesystem::path folder = std::filesystem::path(command.output).parent_path();
  const Document document = Document::read_text(text, command.output, folder);
  SourcePlaces places;
  add_source_places(document.root(), "", std::nullopt, imported.places, places);
  Diagnostics diagnostics;
  try {
    const Scenario scenario = make_scenario(imported, document);
    (void)assemble(scenario, Assets(scenario, folder), registry, diagnostics);
  } catch (const UserError& error) {
    if (places.empty()) throw;
    throw UserError(at_source(error.diagnostics(), command.output, places));
  }
  std::fputs(at_source(diagnostics, command.output, places).text().c_str(), stderr);
  for (const ExportedFile& each : imported.files) {
    make_folder((folder / each.path).parent_path(), imported.report);
    write_file(folder / each.path, each.bytes);
  }
  write_file(command.output, text);
  print_report(imported.report, "read");
  return kExitDone;
}

/// A recording as a page that opens without a server.
int export_recording(const ExportCommand& command, const Registry& registry) {
  if (!command.edits.empty())
    throw_user_error({"--set"}, "does not apply to a recording, which '{}' is made from", command.output);
  const std::string html = serve::make_html(std::filesystem::path(command.scenario), registry);
  write_file(command.output, html);
  fmt::print("written\n  {} ({:.1f} MB); open it in a browser\n", command.output,
             1e-6 * static_cast<double>(html.size()));
  return kExitDone;
}

int export_scenario(const ExportCommand& command, const Registry& registry) {
  if (is_same_file(command.output, command.scenario))
    throw_user_error({"--output"}, "'{}' is the scenario itself", command.output);
  const bool is_html = command.format.empty() && std::filesystem::path(command.output).extension() == ".html";
  if (is_html || command.format == "html") return export_recording(command, registry);
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
  command
      ->add_option("file", options->file,
                   "File to read: STEP, OBJ, STL, DAE, glTF, URDF, xacro, SDF, MJCF, MRSim's XML")
      ->required();
  command->add_option("arguments", options->launch_arguments, "Arguments of a xacro file, as with --arg")
      ->type_name("NAME:=VALUE");
  command->add_option("-o,--output", options->output, "Scenario to write")->required()->type_name("FILE.xml");
  command->add_option("--format", options->format,
                      "Format: urdf, xacro, sdf, mjcf, mrsim, shapes; default: detected from the file");
  command->add_option("--arg", options->arguments, "Argument of a xacro file (<xacro:arg>)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
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
  command
      ->add_option(
          "--drive", options->drive,
          "What drives the joints of a URDF robot: servo (holds a position), speed, torque or none; default: "
          "by its <transmission> and <ros2_control>, else servo")
      ->type_name("servo|speed|torque|none");
  command->add_flag("--ground", options->ground, "Add a ground, and put a URDF robot with a free base on it");
  command
      ->add_option(
          "--srdf", options->srdf,
          "SRDF of a URDF robot: links that never collide, and named poses for --key; default: that with "
          "the same name beside it")
      ->type_name("FILE.srdf");
  command->add_option("--density", options->density, "Density of moving links without a mass in the file")
      ->capture_default_str()
      ->type_name("DENSITY");
  command->add_option("--key", options->keyframe, "Keyframe of an MJCF file, or pose of an SRDF, to start from")
      ->type_name("NAME");
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
  CLI::App* command =
      app.add_subcommand("export", "Convert a scenario to files of another program, or a recording to a page");
  command->footer(
      "Examples:\n"
      R"(  lockstep export scenarios/arms/six-joints.xml -o arm.urdf)");
  add_scenario_options(command, options->scenario, options->edits);
  command
      ->add_option(
          "-o,--output", options->output,
          "FILE.urdf, FILE.sdf, FILE.mjcf, FILE.xml for MRSim, FOLDER/ for parts as STL in millimetres; "
          "FILE.html for a recording of 'lockstep run --record'")
      ->required()
      ->type_name("FILE|FOLDER/");
  command->add_option("--format", options->format,
                      "Format: urdf, sdf, mjcf, mrsim, stl, html; default: from the extension");
  command
      ->add_option("--robot", options->robot,
                   "Robot to export to URDF, if there are several; to SDF, instead of all")
      ->type_name("NAME");
  add_unit_options(command, options->units);
  return {command, [options](const Registry& registry) { return export_scenario(*options, registry); },
          &options->edits};
}

}  // namespace lockstep
