#pragma once

#include "formats/common/format.h"

/// MJCF, the models of MuJoCo: bodies inside bodies, with defaults by class.
namespace lockstep {

/// Throws UserError with the place of what is wrong. What a scenario cannot hold is told in the report, one
/// line each.
Imported import_mjcf(const ImportSource& source);
Exported export_mjcf(const ExportSource& source);

}  // namespace lockstep
