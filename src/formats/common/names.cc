#include "formats/common/names.h"

#include <fmt/format.h>

namespace lockstep {

namespace {

constexpr std::size_t kMax = 64;

}  // namespace

std::string made_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (name.size() == kMax) break;
    // One character of several bytes (UTF-8) becomes one '_'.
    if ((static_cast<unsigned char>(c) & 0xC0u) == 0x80u) continue;
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         c == '_' || c == '-' || c == '.';
    name += is_kept ? c : '_';
  }
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
