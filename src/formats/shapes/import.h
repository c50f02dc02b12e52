#pragma once

#include "formats/common/format.h"

namespace lockstep {

/// Whether the file is STEP, OBJ, STL, DAE, glTF or GLB.
bool is_shapes(const ImportSource& source);

/// Imports an assembly as a robot of one rigid link: visible meshes, simple collision shapes fitted to them,
/// and the mass of the solids or closed meshes.
Imported import_shapes(const ImportSource& source);

}  // namespace lockstep
