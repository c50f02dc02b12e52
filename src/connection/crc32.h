#pragma once

#include <cstdint>
#include <span>

namespace lockstep {

/// CRC-32 as zlib, PNG and Ethernet have it (reflected polynomial EDB88320).
std::uint32_t calc_crc32(std::span<const std::uint8_t> bytes);

}  // namespace lockstep
