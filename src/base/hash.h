#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

/// 64-bit hash of bytes (XXH64's function), used for state hashes and snapshot checksums. Not cryptographic.
std::uint64_t hash_bytes(std::span<const std::uint8_t> bytes, std::uint64_t seed = 0);
std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0);

std::string to_hex(std::uint64_t hash);  ///< 16 lower-case digits

}  // namespace lockstep
