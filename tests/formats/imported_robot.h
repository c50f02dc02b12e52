#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "base/material_testing.h"
#include "formats/formats.h"
#include "model/build.h"
#include "scenario/base64.h"
#include "scenario/read.h"
#include "scenario/write.h"

/// Scenarios from text and from other formats, and round trips through them.
namespace lockstep {

struct LoadedRobot {
  Element root;
  Scenario scenario;
  FormatReport report;

  Assets assets() const { return Assets(scenario, "."); }
  std::shared_ptr<const Model> model() const {
    Diagnostics diagnostics;
    auto built = build_model(scenario, assets(), diagnostics);
    diagnostics.throw_if_errors();
    return built;
  }
};

inline LoadedRobot load_text(const std::string& text) {
  const Document document = Document::read_text(text, "robot.xml", LOCKSTEP_SOURCE_DIR "/scenarios");
  return {document.root(), read_scenario(document), {}};
}

/// A bundled scenario, with its files embedded.
inline LoadedRobot load_packed(const std::filesystem::path& file) {
  return load_text(pack(Document::read_file(file)));
}

inline LoadedRobot load_imported(const ImportSource& source) {
  Imported imported = find_import_format(source, "").read(source);
  LoadedRobot robot = load_text(write_element(imported.root));
  robot.report = imported.report;
  for (const ExportedFile& file : imported.files)
    robot.scenario.files.push_back({.place = {}, .path = file.path, .data = encode_base64(file.bytes)});
  return robot;
}

inline std::string read_whole(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline LoadedRobot load_imported(const std::filesystem::path& file, const std::string& keyframe = "") {
  ImportSource source{.name = file.string(), .bytes = read_whole(file), .path = file};
  source.options.keyframe = keyframe;
  return load_imported(source);
}

/// Exports to a format and imports again, by files in `folder`.
inline LoadedRobot there_and_back(const LoadedRobot& robot, const std::string& ending,
                                  const std::filesystem::path& folder) {
  const Assets assets = robot.assets();
  const std::string name = "robot" + ending;
  const Exported exported =
      find_export_format(name, "").write({.root = robot.root, .scenario = robot.scenario, .assets = assets});
  for (const ExportedFile& file : exported.files) {
    const std::filesystem::path path = folder / (file.path.empty() ? name : file.path);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << file.bytes;
  }
  return load_imported(folder / name);
}

}  // namespace lockstep
