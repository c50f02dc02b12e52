#pragma once

#include <string>
#include <string_view>

#include "lockstep/shapes.h"

namespace lockstep {

/// Writes a mesh as binary STL, every coordinate times `scale`: 1000 for millimetres, which printers expect.
/// `title` is written to the header, at most 79 bytes of it.
std::string write_stl(const Mesh& mesh, double scale, std::string_view title);

}  // namespace lockstep
