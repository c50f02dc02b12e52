#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Base64 (RFC 4648) as it stands inside <file> elements.
namespace lockstep {

/// Lines of 76 characters.
std::string encode_base64(std::string_view bytes);

struct BytesOrError {
  std::vector<std::uint8_t> bytes;
  std::string error;  ///< empty if all is well
};

/// Strict: blanks and line ends may stand anywhere, but padding must be there and unused bits must be zero, so
/// that one file has one text.
BytesOrError decode_base64(std::string_view text);

}  // namespace lockstep
