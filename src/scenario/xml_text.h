#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

/// Characters of XML text: which are allowed, how they are escaped, how text is shown in a message.
namespace lockstep::xml {

/// The first byte that cannot be in a scenario file, and why.
struct TextError {
  std::size_t offset = 0;
  std::string error;
};

/// Looks for bytes that are not UTF-8 and for control characters other than tab, line feed and carriage return.
std::optional<TextError> find_text_error(std::string_view text);

/// Whether XML, and this program, allow the character U+`code` in a text.
bool is_allowed_character(unsigned long code);

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
std::string_view trim(std::string_view text);

/// Escapes text between tags, and between the double quotes of an attribute.
std::string escape_text(std::string_view text);
std::string escape_attribute(std::string_view text);

inline std::string shown(std::string_view text) {
  return shown_text(text);
}

}  // namespace lockstep::xml
