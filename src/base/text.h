#pragma once

#include <string>
#include <string_view>

namespace lockstep {

/// A user's text for a message: long ones are cut, line ends and other control characters become blanks.
std::string shown_text(std::string_view text);

}  // namespace lockstep
