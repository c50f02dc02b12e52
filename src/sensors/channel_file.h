#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vision/blobs.h"

namespace lockstep {

inline constexpr std::size_t kMaxChannels = 16;

/// Reads the color channels of a channel configuration file of a Botball controller: lines `key: value` with
///
///     camera/num_channels: 2
///     camera/channel_0/type: hsv
///     camera/channel_0/th: 15      upper and (b) lower bound of hue (h, 0 to 179), saturation (s) and value (v, 0 to 255)
///     camera/channel_0/bh: 165
///
/// Other keys are ignored, as on the controller. Throws UserError with the line.
std::vector<HsvRange> read_channel_file(std::string_view text, const std::string& file);

}  // namespace lockstep
