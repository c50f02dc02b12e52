#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

/// Base64 (RFC 4648), as used inside <file> elements.
namespace lockstep {

/// Wraps lines at 76 characters.
std::string encode_base64(std::string_view bytes);

/// Strict: whitespace is allowed anywhere, but padding is required and unused bits must be zero, so that each
/// file has exactly one encoding.
Result<std::vector<std::uint8_t>> decode_base64(std::string_view text);

}  // namespace lockstep
