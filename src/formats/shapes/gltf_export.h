#pragma once

#include "formats/common/format.h"

namespace lockstep {

/// The visible shapes of robots and objects at the start of the scenario, as one binary glTF 2.0 file (GLB) with
/// their colours. A node for each robot or object contains those of its links, by parent; lengths in m, y up.
Exported export_gltf(const ExportSource& source);

}  // namespace lockstep
