#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

/// Choosing signals by name, the same in scenarios, on the command line and in plots.
namespace lockstep {

/// Indices of the names chosen, each once, in the order of the names; or "there is no signal 'x'; did you mean
/// 'y'?".
using Selection = Result<std::vector<std::size_t>>;

/// The names that fit any of the patterns, which are in one text with blanks between. A pattern that nothing
/// fits is an error. Inside a robot (`scope` is its name) a pattern means the robot's own signals first.
Selection select_names(std::string_view patterns, std::span<const std::string> names,
                       std::string_view scope = "");

}  // namespace lockstep
