#pragma once

#include <functional>
#include <string>
#include <vector>

#include "design/design.h"

namespace lockstep {

struct ResultFile {
  std::string path;  ///< relative to the scenario
  std::string bytes;
};

/// Summary of one link or object.
struct BodyResult {
  std::string name;
  std::size_t parts = 0;
  MassProperties mass;    ///< in A
  std::string collision;  ///< "2 capsules: within 1.2 mm …"; empty for none
};

struct ModelResult {
  Scenario scenario;
  std::vector<ResultFile> files;  ///< meshes, and files of devices
  std::vector<BodyResult> bodies;
  std::vector<std::string> assumed;  ///< one sentence per line
};

/// Loads a file that a device references, like OperationContext.
using ReadFile = std::function<std::string(const std::string& src, const Place& place)>;

/// The complete simulation model of a design: masses from exact volumes where there are any, unchanged visible
/// shapes, collision shapes as chosen for each body. Files are in `folder`, a path relative to the scenario.
/// Throws UserError with all errors, such as a link without volume.
ModelResult make_result(const Design& design, const std::string& folder, const ReadFile& read_file);

/// Embeds the files in the scenario.
void embed_files(ModelResult& result);

}  // namespace lockstep
