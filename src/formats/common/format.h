#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/assets.h"
#include "scenario/document.h"
#include "scenario/scenario.h"

/// What a format of another program is given and what it gives back; formats/formats.h lists the formats.
namespace lockstep {

/// What became of a file, for people: one sentence per line.
struct ExchangeReport {
  std::vector<std::string> read;        ///< what is in the result
  std::vector<std::string> assumed;     ///< what the file does not say
  std::vector<std::string> lost;        ///< what the other side cannot hold
  std::vector<std::string> suspicious;  ///< what looks wrong
};

/// What a number without a unit means in a file that knows none.
struct FileUnits {
  double length = 0.1;  ///< m
  double mass = 0.001;  ///< kg
};

/// A file beside the main one.
struct ExportedFile {
  std::string path;  ///< relative to the folder that is written; empty for the main file itself
  std::string bytes;
};

/// What only some formats ask for.
struct ImportOptions {
  /// Folders of the packages that a file names (package://NAME/…), where they are not found by themselves.
  std::vector<std::pair<std::string, std::filesystem::path>> packages;
  std::optional<std::filesystem::path> root;  ///< files below it may be read; else below the file's own folder
  bool has_free_base = false;                 ///< robots move freely, instead of standing where they are
  double density = 1000.0;                    ///< kg/m^3, of links without a mass
  std::string keyframe;                       ///< position to start from, by name
};

struct ImportSource {
  std::string name;  ///< as messages show it
  std::string bytes;
  FileUnits units = {};
  std::optional<double> unit_length = {};  ///< m, where the user gave one
  std::filesystem::path path = {};         ///< of the file; files that it names are looked for near it
  std::string asset_folder = "meshes";     ///< where the result keeps them, relative to the scenario
  ImportOptions options = {};
};

struct Imported {
  Element root;  ///< <scenario>
  ExchangeReport report;
  std::vector<ExportedFile> files = {};  ///< that its src attributes name, where they are not embedded
};

struct ImportFormat {
  std::string_view name;
  std::string_view doc;
  bool (*matches)(const ImportSource& source);
  Imported (*read)(const ImportSource& source);  ///< throws UserError with the place of what is wrong
};

struct ExportSource {
  const Element& root;       ///< <scenario> with includes and edits carried out, chains as they are written
  const Scenario& scenario;  ///< the same, with chains expanded
  const Assets& assets;
  FileUnits units = {};
  std::string asset_folder = "meshes";  ///< for files beside the main one, relative to it
  std::string robot = {};               ///< which one, by name, if the format holds only one
};

struct Exported {
  std::vector<ExportedFile> files;
  ExchangeReport report;
};

struct ExportFormat {
  std::string_view name;
  std::string_view ending;  ///< of the output that means this format: ".xml", or "/" for a folder
  std::string_view doc;
  Exported (*write)(const ExportSource& source);

  bool is_folder() const { return ending == "/"; }
};

}  // namespace lockstep
