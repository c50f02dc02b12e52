#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/assets.h"
#include "scenario/document.h"
#include "scenario/scenario.h"

/// Input and output of importers and exporters; formats/formats.h lists the formats.
namespace lockstep {

/// Report of an import or export: one sentence per line, which begins with its place in the file if it has one.
struct FormatReport {
  std::vector<std::string> read;        ///< what is in the result
  std::vector<std::string> assumed;     ///< what the file does not specify
  std::vector<std::string> lost;        ///< what the target format does not support
  std::vector<std::string> suspicious;  ///< what looks wrong
  std::vector<std::string> differs;     ///< what moves differently than in the program that the file is for
};

/// Lines that differ only in places, names and numbers become one, with their count, if there are more than three.
void combine_repeated(FormatReport& report);

/// Units of the numbers in a file format without units.
struct FileUnits {
  double length = 0.1;  ///< m
  double mass = 0.001;  ///< kg
};

/// A file beside the main one.
struct ExportedFile {
  std::string path;  ///< relative to the folder that is written; empty for the main file itself
  std::string bytes;
};

/// What drives the joints of an imported robot.
enum class DriveKind { kServo, kSpeed, kTorque, kNone };

/// Collision shapes of the parts of a file of shapes.
enum class CollisionShapes {
  kFitted,  ///< the cheapest simple shapes within a bound of their error
  kHull,    ///< the convex hull of each part
  kBox,     ///< a box around each part
  kNone,
};
inline constexpr std::array<std::pair<std::string_view, CollisionShapes>, 4> kCollisionShapes = {
    {{"fitted", CollisionShapes::kFitted},
     {"hull", CollisionShapes::kHull},
     {"box", CollisionShapes::kBox},
     {"none", CollisionShapes::kNone}}};

/// Options of some formats.
struct ImportOptions {
  /// Folders of packages (package://NAME/…) that are not found automatically.
  std::vector<std::pair<std::string, std::filesystem::path>> packages;
  /// Folders that contain packages, or are packages, from the environment.
  std::vector<std::filesystem::path> package_folders;
  std::optional<std::filesystem::path> root;  ///< files below it may be read; default: the folder of the file
  bool has_free_base = false;                 ///< robots have a free base, instead of a fixed one
  double density = 1000.0;                    ///< kg/m^3, of links without a mass
  std::string keyframe;                       ///< initial position, by name
  std::vector<std::pair<std::string, std::string>> arguments;  ///< of a xacro file
  std::optional<DriveKind> drive;                              ///< of every joint; default: as the file says
  bool has_ground = false;                    ///< adds a ground, and puts robots with a free base on it
  std::optional<std::filesystem::path> srdf;  ///< default: the one beside the file
  /// Further pairs of links that never collide, by full name: "arm/hand".
  std::vector<std::pair<std::string, std::string>> never_collide = {};
  CollisionShapes collision = CollisionShapes::kFitted;
  std::optional<std::filesystem::path> cache;                ///< folder for fitted shapes; default: none
  std::function<void(std::string_view text)> progress = {};  ///< called before work that may take long
};

struct ImportSource {
  std::string name;  ///< as shown in messages
  std::string bytes;
  FileUnits units = {};
  std::optional<double> unit_length = {};  ///< m, if given by the user
  std::filesystem::path path = {};         ///< of the file; referenced files are searched near it
  std::string asset_folder = "meshes";     ///< for the meshes of the result, relative to the scenario
  ImportOptions options = {};
  std::optional<Element> tree = {};  ///< the file after macros were expanded; replaces the bytes
};

struct Imported {
  Element root;  ///< <scenario>
  FormatReport report;
  std::vector<ExportedFile> files = {};  ///< named by its src attributes, if not embedded
  /// Links collide with each other; those that overlap at the start should not, which ImportOptions::never_collide
  /// says.
  bool self_collides = false;
  std::map<std::string, Place> places = {};  ///< in the imported file: of "link arm/forearm", "joint arm/elbow"
};

struct ImportFormat {
  std::string_view name;
  std::string_view doc;
  bool (*matches)(const ImportSource& source);
  Imported (*read)(const ImportSource& source);  ///< throws UserError with the place of each error
};

struct ExportSource {
  const Element& root;       ///< <scenario> with includes expanded and edits applied, chains not expanded
  const Scenario& scenario;  ///< the same, with chains expanded
  const Assets& assets;
  FileUnits units = {};
  std::string asset_folder = "meshes";  ///< for files beside the main one, relative to it
  std::string robot = {};               ///< name of the robot, if the format has only one
};

struct Exported {
  std::vector<ExportedFile> files;
  FormatReport report;
};

struct ExportFormat {
  std::string_view name;
  std::string_view ending;  ///< of an output in this format: ".xml", or "/" for a folder
  std::string_view doc;
  Exported (*write)(const ExportSource& source);

  bool is_folder() const { return ending == "/"; }
};

}  // namespace lockstep
