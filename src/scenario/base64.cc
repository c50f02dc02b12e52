#include "scenario/base64.h"

#include <fmt/format.h>

#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kLineLength = 76;

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + bytes.size() / 57 + 8);
  std::size_t column = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    if (column == kLineLength) {
      text += '\n';
      column = 0;
    }
    const auto byte = [&](std::size_t j) -> unsigned {
      return i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63u];
    text += i + 1 < bytes.size() ? kDigits[group >> 6 & 63u] : '=';
    text += i + 2 < bytes.size() ? kDigits[group & 63u] : '=';
    column += 4;
  }
  return text;
}

Result<std::vector<std::uint8_t>> decode_base64(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  unsigned group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (xml::is_blank(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int digit = digit_of(c);
    if (digit < 0) return Failure{"it contains a character that is not base64"};
    if (padding > 0) return Failure{"there is more after the '=' at its end"};
    group = group << 6 | static_cast<unsigned>(digit);
    if (++digits < 4) continue;
    for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(group >> shift & 255u));
    group = 0;
    digits = 0;
  }
  if (digits + padding != 0 && (digits < 2 || digits + padding != 4)) return Failure{"it ends too early"};
  const unsigned unused_bits = digits == 2 ? 15u : 3u;
  if (digits != 0 && (group & unused_bits) != 0)
    return Failure{"its last character has unused bits that are not zero"};
  if (digits == 2) bytes.push_back(static_cast<std::uint8_t>(group >> 4));
  if (digits == 3) {
    bytes.push_back(static_cast<std::uint8_t>(group >> 10));
    bytes.push_back(static_cast<std::uint8_t>(group >> 2 & 255u));
  }
  return bytes;
}

}  // namespace lockstep
