#pragma once

#include <span>
#include <string_view>

#include "formats/common/format.h"

/// Import and export of other file formats. A format is one row of a table (formats.cc) and one function.
namespace lockstep {

std::span<const ImportFormat> import_formats();

/// The format of a file, or the one named by `wanted`. Throws UserError if it is unknown.
const ImportFormat& find_import_format(const ImportSource& source, std::string_view wanted);

std::span<const ExportFormat> export_formats();

/// The format for an output, by name or, if `wanted` is empty, by extension. Throws UserError if it is unknown.
const ExportFormat& find_export_format(std::string_view output, std::string_view wanted);

}  // namespace lockstep
