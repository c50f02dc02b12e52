#pragma once

#include "formats/common/format.h"

namespace lockstep {

/// Each distinct part of the robots as a binary STL in millimetres, named after the first link that is like it.
/// Links whose visible shapes are the same, place for place, are one part; the report says how many of each.
/// Coordinates are those of the link, so that a part that hangs on a hinge has its origin there.
Exported export_stl_parts(const ExportSource& source);

}  // namespace lockstep
