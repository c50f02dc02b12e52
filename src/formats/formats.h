#pragma once

#include <span>
#include <string_view>

#include "formats/common/format.h"

/// Files of other programs, in and out. A format is one row of a table (formats.cc) and one function.
namespace lockstep {

std::span<const ImportFormat> import_formats();

/// The format that a file has. Throws UserError if it has none that is known, or is not that named by `wanted`.
const ImportFormat& find_import_format(const ImportSource& source, std::string_view wanted);

std::span<const ExportFormat> export_formats();

/// The format for an output, by name or, if `wanted` is empty, by ending. Throws UserError if there is none.
const ExportFormat& find_export_format(std::string_view output, std::string_view wanted);

}  // namespace lockstep
