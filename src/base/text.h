#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Untrusted text: for display in messages and pages, and for matching against patterns.
namespace lockstep {

/// Maximum bytes of a user's text shown in a message.
inline constexpr std::size_t kMaxShownText = 100;

/// A user's text for a message, to be put between quotes: longer text is cut between two characters and ends in
/// "…", control characters (line ends, terminal commands) become spaces, bytes that are not UTF-8 become '?'.
std::string shown_text(std::string_view text);

/// Escapes text for HTML and SVG, inside elements and attributes; control characters become spaces.
std::string escape_markup(std::string_view text);

/// Whether a name matches a pattern in which '*' matches any text, '/' included, and '?' one character.
bool fits_pattern(std::string_view pattern, std::string_view name);

}  // namespace lockstep
