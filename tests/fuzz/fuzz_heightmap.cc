// The heightmap reader must answer any bytes with heights between 0 and 1 or a UserError.
//
// Almost every mutation breaks a checksum and would be rejected there, so if the first byte is odd the
// checksums are corrected before the reader gets the rest.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/heightmap_reader.h"

namespace {

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

/// A PNG is a signature of eight bytes and chunks of: length, type (four bytes each), data, checksum of type
/// and data.
void repair_checksums(std::vector<std::uint8_t>& png) {
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::size_t length = std::size_t{png[at]} << 24 | std::size_t{png[at + 1]} << 16 |
                               std::size_t{png[at + 2]} << 8 | std::size_t{png[at + 3]};
    if (length > png.size() - at - 12) return;
    const std::uint32_t crc = crc32(std::span(png).subspan(at + 4, length + 4));
    for (std::size_t i = 0; i < 4; ++i)
      png[at + 8 + length + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    at += 12 + length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  std::vector<std::uint8_t> png(data + 1, data + size);
  if ((data[0] & 1) != 0) repair_checksums(png);
  try {
    const Heightmap map = read_heightmap(png, Place{"fuzz.xml", 1, 1});
    LOCKSTEP_CHECK(map.rows >= 2 && map.columns >= 2 && map.heights.size() == map.rows * map.columns);
    for (const float height : map.heights) LOCKSTEP_CHECK(height >= 0.0f && height <= 1.0f);
  } catch (const UserError&) {
  }
  return 0;
}
