#pragma once

#include "formats/common/format.h"

namespace lockstep {

/// Whether the file is STEP, OBJ, STL, DAE, glTF or GLB.
bool is_shapes(const ImportSource& source);

/// An assembly of shapes as a robot of one rigid link: what is seen are its meshes, what collides are simple
/// shapes fitted to them, its mass is that of the solids or of the closed meshes.
Imported import_shapes(const ImportSource& source);

}  // namespace lockstep
