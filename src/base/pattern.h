#pragma once

#include <string_view>

namespace lockstep {

/// Whether a name fits a pattern in which '*' stands for any text, '/' included, and '?' for one character.
bool fits_pattern(std::string_view pattern, std::string_view name);

}  // namespace lockstep
