#pragma once

#include <string>

#include "serve/view_state.h"

namespace lockstep::serve {

/// What of a state goes into one frame.
struct FrameParts {
  bool poses = false;
  bool contacts = false;
  bool rays = false;
  bool has_lost_rows = false;
  std::size_t signals = 0;   ///< per row, beside the time
  std::vector<double> rows;  ///< 1 + signals numbers each
};

/// A frame of the stream, as docs/viewer-protocol.md lays it down.
std::string encode_frame(const ViewState& state, const FrameParts& parts);

}  // namespace lockstep::serve
