#pragma once

#include <sys/random.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/error.h"

namespace lockstep::serve {

/// 128 random bits from the system, as hexadecimal digits.
inline std::string make_secret() {
  std::array<std::uint8_t, 16> bytes{};
  LOCKSTEP_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// Constant-time comparison: the duration does not depend on where the texts differ.
inline bool is_same_secret(std::string_view given, std::string_view right) {
  unsigned difference = given.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = right.empty() ? '\0' : right[i % right.size()];
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

}  // namespace lockstep::serve
