#include "checksum.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* table[k][b] is what byte b does to the remainder when k more bytes follow it. */
void lks_crc_make(lks_crc* crc) {
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
    crc->table[0][byte] = value;
  }
  for (int row = 1; row < 8; ++row) {
    for (int byte = 0; byte < 256; ++byte) {
      const uint32_t before = crc->table[row - 1][byte];
      crc->table[row][byte] = before >> 8 ^ crc->table[0][before & 0xFF];
    }
  }
#if defined(__x86_64__)
  crc->can_fold = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse2");
#else
  crc->can_fold = 0;
#endif
}

static uint32_t get_u32(const uint8_t* bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Goes on from a remainder: eight bytes at a time, each by the table of its distance to the end of the eight.
 */
static uint32_t add_bytes(const lks_crc* crc, uint32_t value, const uint8_t* bytes, size_t count) {
  for (; count >= 8; bytes += 8, count -= 8) {
    const uint32_t low = get_u32(bytes) ^ value;
    const uint32_t high = get_u32(bytes + 4);
    value = crc->table[7][low & 0xFF] ^ crc->table[6][low >> 8 & 0xFF] ^ crc->table[5][low >> 16 & 0xFF] ^
            crc->table[4][low >> 24] ^ crc->table[3][high & 0xFF] ^ crc->table[2][high >> 8 & 0xFF] ^
            crc->table[1][high >> 16 & 0xFF] ^ crc->table[0][high >> 24];
  }
  for (; count > 0; ++bytes, --count) value = value >> 8 ^ crc->table[0][(value ^ *bytes) & 0xFF];
  return value;
}

#if defined(__x86_64__)
enum { BLOCK = 16 };

/* Replaces the first `count` bytes, a multiple of 16 and at least 32, by 16 that have the same remainder: what
 * stands 128 bits further ahead is multiplied by x^(128+32) and x^(128-32) modulo the polynomial, bits in
 * reverse. A multiplication takes a few cycles where the tables take twenty. */
__attribute__((target("sse2,pclmul"))) static void fold(uint32_t value, const uint8_t* bytes, size_t count,
                                                        uint8_t* folded) {
  const __m128i powers = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
  __m128i sum = _mm_loadu_si128((const __m128i*)(const void*)bytes);
  sum = _mm_xor_si128(sum, _mm_cvtsi32_si128((int)value));
  for (size_t at = BLOCK; at < count; at += BLOCK) {
    const __m128i next = _mm_loadu_si128((const __m128i*)(const void*)(bytes + at));
    const __m128i low = _mm_clmulepi64_si128(sum, powers, 0x00);
    const __m128i high = _mm_clmulepi64_si128(sum, powers, 0x11);
    sum = _mm_xor_si128(_mm_xor_si128(low, high), next);
  }
  _mm_storeu_si128((__m128i*)(void*)folded, sum);
}
#endif

uint32_t lks_crc_of(const lks_crc* crc, const uint8_t* bytes, size_t count) {
  uint32_t value = 0xFFFFFFFFu;
#if defined(__x86_64__)
  if (crc->can_fold && count >= 2 * BLOCK) {
    uint8_t folded[BLOCK];
    const size_t whole = count / BLOCK * BLOCK;
    fold(value, bytes, whole, folded);
    value = add_bytes(crc, 0, folded, BLOCK);
    bytes += whole;
    count -= whole;
  }
#endif
  return ~add_bytes(crc, value, bytes, count);
}
