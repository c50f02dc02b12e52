#pragma once

#include <memory>

#include "assemble/build_context.h"
#include "control/controller.h"
#include "control/playback.h"

namespace lockstep {

/// Reads the plan, finds the signals of its columns, and checks every moment of it against the limits of what
/// it drives. Nothing, with the row and the joint in the diagnostics, if it cannot be played.
std::unique_ptr<Controller> make_playback(const PlaybackConfig& config, BuildContext& context);

}  // namespace lockstep
