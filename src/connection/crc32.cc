#include "connection/crc32.h"

#include <checksum.h>

namespace lockstep {

std::uint32_t calc_crc32(std::span<const std::uint8_t> bytes) {
  static const lks_crc crc = [] {
    lks_crc made;
    lks_crc_make(&made);
    return made;
  }();
  return lks_crc_of(&crc, bytes.data(), bytes.size());
}

}  // namespace lockstep
