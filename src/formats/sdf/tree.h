#pragma once

#include "formats/common/format.h"

namespace lockstep {

/// Attribute that models get: the version of the file that they are from, such as "1.6".
inline constexpr std::string_view kSdfVersion = "sdf_version";

/// The tree of an SDF file in which every <include> is replaced by its <model>, with the name and pose that the
/// <include> gives. Relative paths in included files are replaced by ones that are valid for the main file. Includes
/// that cannot be read are errors; those on other computers are lost.
Element read_sdf_tree(const ImportSource& source, FormatReport& report);

}  // namespace lockstep
