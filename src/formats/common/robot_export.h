#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/common/format.h"
#include "formats/common/names.h"
#include "lockstep/model.h"

/// What the writers of robots share.
namespace lockstep {

/// The model of a scenario, with masses computed. Throws UserError if it has none.
Model build_for_export(const ExportSource& source);

/// Meshes written as STL in metres beside the main file, each once.
class MeshWriter {
 public:
  MeshWriter(const Model& model, const std::string& folder) : model_(model), folder_(folder) {}

  /// The path that the main file names.
  std::string path_of(MeshId mesh);
  std::vector<ExportedFile> take_files() { return std::move(files_); }

 private:
  const Model& model_;
  std::string folder_;
  std::map<MeshId, std::string> paths_;
  std::vector<ExportedFile> files_;
};

/// A number of a device's attribute, as SI; nothing if it is not written.
std::optional<double> read_device_number(const Element& device, std::string_view attribute,
                                         std::string_view si_unit);

/// Tells what of a scenario no format of robots holds: surroundings, controllers, studies and the like.
void report_surroundings(const Scenario& scenario, ExchangeReport& report);

std::string numbers_text(const Vec3& v);
std::string numbers_text(const Quat& q);  ///< w x y z

/// An element with attributes in the order given.
Element make_xml(std::string_view name,
                 std::initializer_list<std::pair<std::string_view, std::string>> attributes);

}  // namespace lockstep
