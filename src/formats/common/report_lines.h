#pragma once

#include <string>
#include <vector>

namespace lockstep {

/// The lines of a report without repetition: lines that say the same of several names become one,
/// "'a', 'b', 'c' and 4 more: …", at the place of the first, and equal lines one with their count.
std::vector<std::string> merged_lines(const std::vector<std::string>& lines);

}  // namespace lockstep
