#pragma once

#include "formats/common/format.h"

namespace lockstep {

/// The XML of a file, with macros expanded; read as leniently as lenient_xml.h says. Throws UserError if it is not
/// well-formed.
Element read_tree(const ImportSource& source, FormatReport& report);

}  // namespace lockstep
