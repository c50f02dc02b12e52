#include "base/pattern.h"

namespace lockstep {

bool fits_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  // Where to go on when the text taken by the last star turns out too short.
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
