#include "checksum.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* table[k][b] is the contribution of byte b to the remainder when k more bytes follow it. */
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

/* Continues from a remainder: eight bytes at a time, each with the table of its distance to the end of the
 * eight.
 * */
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
/* The remainder of whole blocks of 16 bytes, at least two. The first may be half; then it is preceded by 8 zero
 * bytes, which do not change the remainder. A carry-less multiplication takes a few cycles where the tables
 * take twenty. All powers are modulo the polynomial P and, like everything here, bit-reversed. */
__attribute__((target("sse2,pclmul"))) static uint32_t fold(uint32_t value, const uint8_t* bytes,
                                                            size_t count) {
  const __m128i powers = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);  /* x^(128-32), x^(128+32) */
  const __m128i power = _mm_set_epi64x(0, 0x163CD6124);             /* x^64 */
  const __m128i divisor = _mm_set_epi64x(0x1F7011641, 0x1DB710641); /* x^64 / P, P */
  const __m128i half = _mm_set_epi64x(0, 0xFFFFFFFF);
  __m128i sum, low, high;
  size_t at = count % 16;
  if (at == 0) {
    sum = _mm_loadu_si128((const __m128i*)(const void*)bytes);
    sum = _mm_xor_si128(sum, _mm_cvtsi32_si128((int)value));
    at = 16;
  } else {
    sum = _mm_loadl_epi64((const __m128i*)(const void*)bytes);
    sum = _mm_slli_si128(_mm_xor_si128(sum, _mm_cvtsi32_si128((int)value)), 8);
  }
  for (; at < count; at += 16) {
    const __m128i next = _mm_loadu_si128((const __m128i*)(const void*)(bytes + at));
    low = _mm_clmulepi64_si128(sum, powers, 0x00);
    high = _mm_clmulepi64_si128(sum, powers, 0x11);
    sum = _mm_xor_si128(_mm_xor_si128(low, high), next);
  }
  /* Reduce from 128 bits, followed by 32 zeros, to 96 and to 64. */
  sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, powers, 0x10));
  low = _mm_clmulepi64_si128(_mm_and_si128(sum, half), power, 0x00);
  sum = _mm_xor_si128(_mm_srli_si128(sum, 4), low);
  /* And to 32: subtract the quotient times P (Barrett reduction). */
  low = _mm_clmulepi64_si128(_mm_and_si128(sum, half), divisor, 0x10);
  low = _mm_clmulepi64_si128(_mm_and_si128(low, half), divisor, 0x00);
  sum = _mm_xor_si128(sum, low);
  return (uint32_t)_mm_cvtsi128_si32(_mm_srli_si128(sum, 4));
}
#endif

uint32_t lks_crc_of(const lks_crc* crc, const uint8_t* bytes, size_t count) {
  uint32_t value = 0xFFFFFFFFu;
#if defined(__x86_64__)
  const size_t whole = count / 8 * 8; /* all of a message with numbers */
  if (crc->can_fold && whole >= 32) {
    value = fold(value, bytes, whole);
    bytes += whole;
    count -= whole;
  }
#endif
  return ~add_bytes(crc, value, bytes, count);
}
