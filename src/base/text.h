#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Texts that come from outside, on their way into a message, into a page, and against a pattern.
namespace lockstep {

/// The most bytes of a user's text that a message shows.
inline constexpr std::size_t kMaxShownText = 100;

/// A user's text for a message, to be put between quotes: longer ones are cut between two characters and end in
/// "…", control characters (line ends, terminal commands) become blanks, bytes that are not UTF-8 become '?'.
std::string shown_text(std::string_view text);

/// Text as HTML and SVG take it, inside elements and attributes; control characters become blanks.
std::string escape_markup(std::string_view text);

/// Whether a name fits a pattern in which '*' stands for any text, '/' included, and '?' for one character.
bool fits_pattern(std::string_view pattern, std::string_view name);

}  // namespace lockstep
