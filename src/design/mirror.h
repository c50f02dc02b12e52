#pragma once

#include "design/operation.h"

namespace lockstep {

/// The design with a mirror image of a link and all that hangs on it. The image of a joint turns or slides such
/// that equal positions are mirror images of each other. Devices are not copied.
Design mirrored(const Design& design, const MirrorLink& operation, const Place& place);

}  // namespace lockstep
