#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

/// Base64 (RFC 4648) as it is inside <file> elements.
namespace lockstep {

/// Lines of 76 characters.
std::string encode_base64(std::string_view bytes);

/// Strict: blanks and line ends may be anywhere, but padding must be there and unused bits must be zero, so
/// that one file has one text.
Result<std::vector<std::uint8_t>> decode_base64(std::string_view text);

}  // namespace lockstep
