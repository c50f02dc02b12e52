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

/// What became of one link or object.
struct BodyResult {
  std::string name;
  std::size_t parts = 0;
  MassProperties mass;    ///< in A
  std::string collision;  ///< "2 capsules: within 1.2 mm …"; empty for none
};

struct ModelResult {
  Scenario scenario;
  std::vector<ResultFile> files;  ///< meshes, and what devices read
  std::vector<BodyResult> bodies;
  std::vector<std::string> assumed;  ///< one sentence per line, for people
};

/// Finds the bytes of a file that a device names, as OperationContext does.
using ReadFile = std::function<std::string(const std::string& src, const Place& place)>;

/// The complete simulation model of a design: masses from exact volumes where there are any, visible shapes as
/// they are, collision shapes by each body's rule. Files lie in `folder`, a path relative to the scenario.
/// Throws UserError with everything that is in the way, such as a link without volume.
ModelResult make_result(const Design& design, const std::string& folder, const ReadFile& read_file);

/// Puts the files into the scenario.
void embed_files(ModelResult& result);

}  // namespace lockstep
