/* Frames of docs/protocol.md as bytes: checksum, making, finding them in a stream, and the contents of HELLO
 * and WELCOME. Private to the library. */
#ifndef LOCKSTEP_CLIENT_FRAMES_H
#define LOCKSTEP_CLIENT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "lockstep_client.h"

enum { LKS_HELLO = 1, LKS_WELCOME, LKS_MEASUREMENT, LKS_COMMAND, LKS_ERROR, LKS_BYE };

enum {
  LKS_VERSION = 1,
  LKS_HEADER_SIZE = 24,
  LKS_CHECKSUM_SIZE = 4,
  LKS_MAX_PAYLOAD = 1048576,
  LKS_MAX_FRAME = LKS_HEADER_SIZE + LKS_MAX_PAYLOAD + LKS_CHECKSUM_SIZE
};

uint16_t lks_get_u16(const uint8_t* bytes);
double lks_get_f64(const uint8_t* bytes);
void lks_put_f64(uint8_t* bytes, double value);

/* CRC-32, eight bytes at a time. The tables belong to the handle, so that the library has no state of its own.
 */
typedef struct lks_crc {
  uint32_t table[8][256];
} lks_crc;

void lks_crc_make(lks_crc* crc);
uint32_t lks_crc_of(const lks_crc* crc, const uint8_t* bytes, size_t count);

typedef struct lks_frame {
  unsigned type;
  uint32_t length; /* of the payload */
  uint32_t sequence;
  int64_t time;           /* ns */
  const uint8_t* payload; /* inside the bytes it was found in */
} lks_frame;

/* Puts header and checksum around the payload that stands at bytes + LKS_HEADER_SIZE. Returns the frame's size.
 */
size_t lks_seal(const lks_crc* crc, uint8_t* bytes, const lks_frame* frame);

/* Bytes that came and are not yet used. */
typedef struct lks_inbox {
  uint8_t* bytes; /* LKS_MAX_FRAME of them */
  size_t begin, end;
  uint64_t dropped;     /* frames that were damaged or did not fit */
  int is_searching;     /* between a bad frame and the next magic */
  int measurement_size; /* payload of a MEASUREMENT; -1 while it is not known */
} lks_inbox;

/* The next whole frame, 1, or 0 if more bytes are needed. Whatever is damaged is skipped up to the next magic.
 * The payload lives until bytes are added. */
int lks_take(const lks_crc* crc, lks_inbox* inbox, lks_frame* frame);

/* The same where everything in the inbox is one datagram: it is one frame or nothing. */
int lks_take_datagram(const lks_crc* crc, lks_inbox* inbox, lks_frame* frame);

/* Writes the frame HELLO at `bytes`; 0 if it does not fit into `size`. */
size_t lks_make_hello(const lks_crc* crc, uint8_t* bytes, size_t size, const char* name,
                      const lockstep_demands* demands);

/* Writes the frame BYE; `bytes` has room for the sentence, which has at most 65535 of them. */
size_t lks_make_bye(const lks_crc* crc, uint8_t* bytes, uint32_t sequence, int64_t time, unsigned code,
                    const char* sentence);

/* Reads the payload of ERROR or BYE. Returns the code; -1 if it is none. A sentence that is too long is cut. */
int lks_read_message(const lks_frame* frame, char* sentence, size_t size);

typedef struct lks_signal {
  const char *name, *unit;
  double initial, lower, upper; /* of commands only */
} lks_signal;

typedef struct lks_welcome {
  uint64_t schema_hash;
  int64_t period, step; /* ns */
  int is_realtime;
  const char *scenario, *link;
  int read_count, write_count;
  lks_signal *reads, *writes;
  char* texts; /* owns all texts */
} lks_welcome;

/* Returns what is wrong with it, as the end of "the simulation's WELCOME …"; NULL if all is well. Afterwards
 * lks_free_welcome in any case. */
const char* lks_read_welcome(const lks_frame* frame, lks_welcome* welcome);
void lks_free_welcome(lks_welcome* welcome);

#endif
