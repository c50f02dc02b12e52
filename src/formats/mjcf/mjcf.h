#pragma once

#include "formats/common/format.h"

/// MJCF, the model format of MuJoCo: nested bodies, with defaults by class.
namespace lockstep {

/// Throws UserError with the place of each error. Unsupported elements are listed in the report.
Imported import_mjcf(const ImportSource& source);
Exported export_mjcf(const ExportSource& source);

}  // namespace lockstep
