#pragma once

#include "formats/common/format.h"

namespace lockstep {

/// Each distinct part of the robots as a binary STL in millimetres, named after the first link with that shape.
/// Links with identical visible shapes are one part; the report lists the quantities. Coordinates are those of
/// the link, so that a part on a hinge usually has its origin there.
Exported export_stl_parts(const ExportSource& source);

}  // namespace lockstep
