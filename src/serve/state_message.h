#pragma once

#include <string>

#include "serve/view_state.h"

namespace lockstep::serve {

/// Which content of a state goes into one state message.
struct StateContent {
  bool poses = false;
  bool contacts = false;
  bool rays = false;
  bool has_lost_rows = false;
  std::size_t signals = 0;   ///< per row, besides the time
  std::vector<double> rows;  ///< 1 + signals numbers each
};

/// Encodes a state message of the stream (docs/viewer-protocol.md).
std::string encode_state_message(const ViewState& state, const StateContent& content);

}  // namespace lockstep::serve
