#pragma once

#include "design/operation.h"

namespace lockstep {

/// The design with a mirror image of a link and its descendants. Equal positions of a joint and its image are
/// mirror images of each other. Devices are not copied.
Design mirrored(const Design& design, const MirrorLink& operation, const Place& place);

}  // namespace lockstep
