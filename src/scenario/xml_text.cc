#include "scenario/xml_text.h"

#include <fmt/format.h>

namespace lockstep::xml {

namespace {

struct Decoded {
  unsigned long code = 0;
  std::size_t length = 0;  ///< 0: not UTF-8
};

/// One character beyond ASCII. Overlong forms and code points beyond U+10FFFF are rejected here, surrogates by
/// is_allowed_character().
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 0;
  unsigned long code = 0;
  unsigned long smallest = 0;
  if (lead >= 0xC0 && lead < 0xE0) {
    length = 2, code = lead & 0x1Fu, smallest = 0x80;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3, code = lead & 0x0Fu, smallest = 0x800;
  } else if (lead >= 0xF0 && lead < 0xF8) {
    length = 4, code = lead & 0x07u, smallest = 0x10000;
  }
  if (length == 0 || length > text.size()) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  if (code < smallest || code > 0x10FFFF) return {};
  return {code, length};
}

std::string escape(std::string_view text, bool in_attribute) {
  std::string out;
  out.reserve(text.size());
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
      // Unescaped, these would be read back as spaces in an attribute.
      case '\t':
        out += in_attribute ? "&#9;" : "\t";
        break;
      case '\n':
        out += in_attribute ? "&#10;" : "\n";
        break;
      case '"':
        out += in_attribute ? "&quot;" : "\"";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

bool is_allowed_character(unsigned long code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  if (code >= 0xD800 && code <= 0xDFFF) return false;
  return code != 0x7F && code != 0xFFFE && code != 0xFFFF && code <= 0x10FFFF;
}

std::optional<TextError> find_text_error(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const Decoded character = byte < 0x80 ? Decoded{byte, 1} : decode(text.substr(at));
    if (character.length == 0) {
      return TextError{at, fmt::format("byte 0x{:02X} is not UTF-8; save the file as UTF-8", byte)};
    }
    if (!is_allowed_character(character.code)) {
      return TextError{at, fmt::format("control character U+{:04X} is not allowed", character.code)};
    }
    at += character.length;
  }
  return std::nullopt;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string escape_text(std::string_view text) {
  return escape(text, false);
}
std::string escape_attribute(std::string_view text) {
  return escape(text, true);
}

}  // namespace lockstep::xml
