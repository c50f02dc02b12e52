#pragma once

#include <string>

#include "formats/common/format.h"

namespace lockstep {

/// The text of an XML file as strict readers want it. Other programs accept more, so this is corrected, each with a
/// line in the report: blank lines and comments before the XML declaration, Latin-1, and a DOCTYPE, which is
/// ignored: no entity is expanded, no other file is read. Lines and columns stay the same.
std::string as_strict_xml(const ImportSource& source, FormatReport& report);

}  // namespace lockstep
