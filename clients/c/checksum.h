/* CRC-32 as in zlib, PNG and Ethernet. Private to the library and to the simulation. */
#ifndef LOCKSTEP_CLIENT_CHECKSUM_H
#define LOCKSTEP_CLIENT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The caller owns the tables, so that the library has no global state. */
typedef struct lks_crc {
  uint32_t table[8][256];
  int can_fold; /* this processor has carry-less multiplication */
} lks_crc;

void lks_crc_make(lks_crc* crc);
uint32_t lks_crc_of(const lks_crc* crc, const uint8_t* bytes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
