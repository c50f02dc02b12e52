#include "base/text.h"

#include <array>

namespace lockstep {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Length of the UTF-8 character at the front of a text that is not empty; 0 if it is invalid.
std::size_t length_of_character(std::string_view text) {
  struct Form {
    unsigned char mask, mark;       // of the first byte
    unsigned long first_of_length;  // characters below this have a shorter encoding
  };
  constexpr std::array<Form, 4> kForms = {
      {{0x80, 0x00, 0x0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}}};
  for (std::size_t length = 1; length <= kForms.size(); ++length) {
    const Form& form = kForms[length - 1];
    if ((byte_at(text, 0) & form.mask) != form.mark) continue;
    if (text.size() < length) return 0;
    unsigned long code = byte_at(text, 0) & ~form.mask & 0xFFu;
    for (std::size_t i = 1; i < length; ++i) {
      if ((byte_at(text, i) & 0xC0u) != 0x80u) return 0;
      code = (code << 6) | (byte_at(text, i) & 0x3Fu);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < form.first_of_length || is_surrogate || code > 0x10FFFF ? 0 : length;
  }
  return 0;
}

bool is_control(std::string_view character) {
  const unsigned char first = byte_at(character, 0);
  // U+0080 to U+009F, which some terminals interpret as commands.
  if (character.size() == 2) return first == 0xC2 && byte_at(character, 1) < 0xA0;
  return first < 0x20 || first == 0x7F;
}

}  // namespace

std::string shown_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (shown.size() + character.size() > kMaxShownText) return shown + "…";
    if (length == 0) {
      shown += '?';
    } else if (is_control(character)) {
      shown += ' ';
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

bool fits_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  // Where to continue if the text matched by the last star is too short.
  std::size_t star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace lockstep
