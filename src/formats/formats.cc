#include "formats/formats.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "formats/mjcf/mjcf.h"
#include "formats/mrsim/mrsim.h"
#include "formats/sdf/sdf.h"
#include "formats/shapes/gltf_export.h"
#include "formats/shapes/import.h"
#include "formats/shapes/stl_parts.h"
#include "formats/urdf/urdf.h"
#include "formats/xacro/xacro.h"

namespace lockstep {

namespace {

/// The name of the root element; empty if the file is not XML.
std::string_view root_name(const ImportSource& source) {
  if (source.tree) return source.tree->name;
  const std::string_view text = source.bytes;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    ++at;
    if (text.substr(at, 3) == "!--") {
      at = std::min(text.find("-->", at), text.size());
    } else if (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0) {
      const std::size_t end = text.find_first_of(" \t\r\n/>", at);
      return text.substr(at, std::min(end, text.size()) - at);
    }
  }
  return {};
}

bool is_mrsim(const ImportSource& source) {
  return root_name(source) == "Scenario";
}

bool is_urdf(const ImportSource& source) {
  return root_name(source) == "robot";
}

bool is_sdf(const ImportSource& source) {
  return root_name(source) == "sdf";
}

bool is_mjcf(const ImportSource& source) {
  return root_name(source) == "mujoco";
}

/// Expands the macros, then reads the result in its own format.
Imported import_xacro(const ImportSource& source) {
  ImportSource expanded = source;
  FormatReport report;
  expanded.tree = expand_xacro(source, report);
  Imported imported = find_import_format(expanded, "").read(expanded);
  FormatReport& rest = imported.report;
  rest.read.insert(rest.read.begin(), report.read.begin(), report.read.end());
  rest.assumed.insert(rest.assumed.begin(), report.assumed.begin(), report.assumed.end());
  rest.suspicious.insert(rest.suspicious.begin(), report.suspicious.begin(), report.suspicious.end());
  rest.differs.insert(rest.differs.begin(), report.differs.begin(), report.differs.end());
  return imported;
}

bool has_macros(const ImportSource& source) {
  return !source.tree && is_xacro(source);
}

constexpr std::array kImportFormats = {
    ImportFormat{"mrsim", "MRSim scenario, XML with <Scenario> as root", is_mrsim, import_mrsim},
    ImportFormat{"xacro", "ROS robot with macros, XML with <xacro:…>", has_macros, import_xacro},
    ImportFormat{"urdf", "ROS robot, XML with <robot> as root", is_urdf, import_urdf},
    ImportFormat{"sdf", "Gazebo model or world, XML with <sdf> as root", is_sdf, import_sdf},
    ImportFormat{"mjcf", "MuJoCo model, XML with <mujoco> as root", is_mjcf, import_mjcf},
    ImportFormat{"shapes", "CAD and meshes: STEP, OBJ, STL, DAE, glTF, GLB", is_shapes, import_shapes},
};

constexpr std::array kExportFormats = {
    ExportFormat{"urdf", ".urdf", "a robot for ROS, with its meshes as STL", export_urdf},
    ExportFormat{"sdf", ".sdf", "models or a world for Gazebo, with meshes as STL", export_sdf},
    ExportFormat{"mjcf", ".mjcf", "a model for MuJoCo, with its meshes as STL", export_mjcf},
    ExportFormat{"gltf", ".glb", "visible shapes with their colours, as binary glTF", export_gltf},
    ExportFormat{"mrsim", ".xml", "MRSim scenario, for a robot that is a chain", export_mrsim},
    ExportFormat{"stl", "/", "a folder with each distinct part as STL in millimetres", export_stl_parts},
};

template <class Format>
[[noreturn]] void reject(const Place& place, std::string_view problem, std::span<const Format> formats) {
  std::string known;
  for (const Format& format : formats)
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", format.name, format.doc);
  throw_user_error(place, "{}; known are: {}", problem, known);
}

}  // namespace

std::span<const ImportFormat> import_formats() {
  return kImportFormats;
}

std::span<const ExportFormat> export_formats() {
  return kExportFormats;
}

const ImportFormat& find_import_format(const ImportSource& source, std::string_view wanted) {
  for (const ImportFormat& format : kImportFormats) {
    if (wanted.empty() ? format.matches(source) : format.name == wanted) return format;
  }
  if (!wanted.empty()) reject({"--format"}, fmt::format("there is no format '{}'", wanted), import_formats());
  reject({source.name}, "the format of the file is not supported", import_formats());
}

const ExportFormat& find_export_format(std::string_view output, std::string_view wanted) {
  for (const ExportFormat& format : kExportFormats) {
    if (wanted.empty() ? output.ends_with(format.ending) : format.name == wanted) return format;
  }
  if (!wanted.empty()) reject({"--format"}, fmt::format("there is no format '{}'", wanted), export_formats());
  reject({std::string(output)}, "unknown extension; give --format", export_formats());
}

}  // namespace lockstep
