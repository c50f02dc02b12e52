#pragma once

#include <string>
#include <string_view>

namespace lockstep {

/// Text as HTML and SVG take it, inside elements and attributes; control characters become blanks.
std::string escape_markup(std::string_view text);

}  // namespace lockstep
