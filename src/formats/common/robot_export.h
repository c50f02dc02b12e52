#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/common/format.h"
#include "formats/common/names.h"
#include "lockstep/model.h"

/// Shared by the exporters of robots.
namespace lockstep {

/// The model of a scenario, with masses computed. Throws UserError if it has errors.
Model build_for_export(const ExportSource& source);

/// Meshes written as STL in metres beside the main file, each once.
class MeshWriter {
 public:
  MeshWriter(const Model& model, const std::string& folder) : model_(model), folder_(folder) {}

  /// The path used in the main file.
  std::string path_of(MeshId mesh);
  std::vector<ExportedFile> take_files() { return std::move(files_); }

 private:
  const Model& model_;
  std::string folder_;
  std::map<MeshId, std::string> paths_;
  std::vector<ExportedFile> files_;
};

/// A number attribute of a device, in SI units; empty if it is omitted.
std::optional<double> read_device_number(const Element& device, std::string_view attribute,
                                         std::string_view si_unit);

/// Reports elements of a scenario that no robot format supports: environment, controllers, studies.
void report_environment(const Scenario& scenario, FormatReport& report);

std::string numbers_text(const Vec3& v);
std::string numbers_text(const Quat& q);  ///< w x y z

/// An element with attributes in the order given.
Element make_xml(std::string_view name,
                 std::initializer_list<std::pair<std::string_view, std::string>> attributes);

}  // namespace lockstep
