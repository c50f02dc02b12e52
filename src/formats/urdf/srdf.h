#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/common/format.h"

namespace lockstep {

/// SRDF, which adds to a URDF what motion planning needs. Names are those of the URDF.
struct Srdf {
  std::vector<std::pair<std::string, std::string>> disabled;  ///< links that never collide
  /// Named poses of groups of joints, rad or m, with their place in the file.
  std::map<std::string, std::map<std::string, double>> states;
  std::set<std::string> passive;  ///< joints without a drive
  bool is_floating = false;       ///< a virtual joint lets the robot move freely
};

/// Invalid elements are ignored, with a line in the report. Throws UserError if it is not an SRDF.
Srdf read_srdf(const ImportSource& source, FormatReport& report);

}  // namespace lockstep
