#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

/// Selects signals by name or pattern, the same way in scenarios, on the command line and in plots.
namespace lockstep {

/// Indices of the selected names, each once, in the order of the names; or the error "there is no signal 'x';
/// did you mean 'y'?".
using Selection = Result<std::vector<std::size_t>>;

/// The names that match any of the blank-separated patterns ('*' and '?' are wildcards). A pattern without a
/// match is an error. Inside a robot (`scope` is its name) a pattern matches the robot's own signals first.
Selection select_names(std::string_view patterns, std::span<const std::string> names,
                       std::string_view scope = "");

}  // namespace lockstep
