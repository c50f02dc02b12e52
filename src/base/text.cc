#include "base/text.h"

namespace lockstep {

std::string shown_text(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const bool is_long = text.size() > kLongest;
  if (is_long) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
    text = text.substr(0, end);
  }
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = ' ';
  }
  return is_long ? out + "…" : out;
}

}  // namespace lockstep
