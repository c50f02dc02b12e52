#include "formats/common/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep {

namespace {

constexpr std::size_t kMax = 64;

/// The letters of U+00C0 to U+017F without accents.
constexpr std::array<std::string_view, 192> kPlainLetters = {
    "A",  "A", "A",  "A",  "Ae", "A", "AE", "C",  "E",  "E", "E",  "E", "I",  "I",  "I", "I", "D", "N",
    "O",  "O", "O",  "O",  "Oe", "x", "O",  "U",  "U",  "U", "Ue", "Y", "Th", "ss", "a", "a", "a", "a",
    "ae", "a", "ae", "c",  "e",  "e", "e",  "e",  "i",  "i", "i",  "i", "d",  "n",  "o", "o", "o", "o",
    "oe", "_", "o",  "u",  "u",  "u", "ue", "y",  "th", "y", "A",  "a", "A",  "a",  "A", "a", "C", "c",
    "C",  "c", "C",  "c",  "C",  "c", "D",  "d",  "D",  "d", "E",  "e", "E",  "e",  "E", "e", "E", "e",
    "E",  "e", "G",  "g",  "G",  "g", "G",  "g",  "G",  "g", "H",  "h", "H",  "h",  "I", "i", "I", "i",
    "I",  "i", "I",  "i",  "I",  "i", "IJ", "ij", "J",  "j", "K",  "k", "k",  "L",  "l", "L", "l", "L",
    "l",  "L", "l",  "L",  "l",  "N", "n",  "N",  "n",  "N", "n",  "n", "N",  "n",  "O", "o", "O", "o",
    "O",  "o", "OE", "oe", "R",  "r", "R",  "r",  "R",  "r", "S",  "s", "S",  "s",  "S", "s", "S", "s",
    "T",  "t", "T",  "t",  "T",  "t", "U",  "u",  "U",  "u", "U",  "u", "U",  "u",  "U", "u", "U", "u",
    "W",  "w", "Y",  "y",  "Y",  "Z", "z",  "Z",  "z",  "Z", "z",  "s"};

/// The code point at the start of UTF-8 text, which is removed; for other bytes 0.
unsigned take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return 0;
  }
  unsigned code = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3Fu);
  text.remove_prefix(length);
  return code;
}

}  // namespace

std::string made_name(std::string_view text) {
  constexpr unsigned kFirstLetter = 0xC0;
  std::string name;
  while (!text.empty() && name.size() < kMax) {
    const unsigned code = take_character(text);
    const char c = static_cast<char>(code);
    const bool is_kept = code < 0x80 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                         (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.');
    if (is_kept) {
      name += c;
    } else if (code < kFirstLetter) {
      name += '_';
    } else if (code < kFirstLetter + kPlainLetters.size()) {
      name += kPlainLetters[code - kFirstLetter];
    } else {
      name += fmt::format("u{:04X}", code);
    }
  }
  name.resize(std::min(name.size(), kMax));
  return name.empty() ? "unnamed" : name;
}

std::string Names::make(std::string_view wanted) {
  const std::string name = made_name(wanted);
  std::string made = name;
  for (int i = 2; !taken_.insert(made).second; ++i) {
    const std::string number = fmt::format("_{}", i);
    made = name.substr(0, kMax - number.size()) + number;
  }
  return made;
}

}  // namespace lockstep
