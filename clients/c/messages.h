/* Messages of docs/protocol.md: encoding, decoding from a stream, and the payloads of HELLO and WELCOME.
 * Private to the library. */
#ifndef LOCKSTEP_CLIENT_MESSAGES_H
#define LOCKSTEP_CLIENT_MESSAGES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "checksum.h"
#include "lockstep_client.h"

enum { LKS_HELLO = 1, LKS_WELCOME, LKS_MEASUREMENT, LKS_COMMAND, LKS_ERROR, LKS_BYE };

enum {
  LKS_VERSION = 1,
  LKS_USES_SESSIONS = 1, /* session of HELLO: the other messages have that of WELCOME */
  LKS_HEADER_SIZE = 24,
  LKS_CHECKSUM_SIZE = 4,
  LKS_MAX_PAYLOAD = 1048576,
  LKS_MAX_MESSAGE = LKS_HEADER_SIZE + LKS_MAX_PAYLOAD + LKS_CHECKSUM_SIZE
};

/* Little-endian numbers. Compilers turn each of these into one instruction. */

static inline uint16_t lks_get_u16(const uint8_t* bytes) {
  return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t lks_get_u32(const uint8_t* bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint64_t lks_get_u64(const uint8_t* bytes) {
  return (uint64_t)lks_get_u32(bytes) | (uint64_t)lks_get_u32(bytes + 4) << 32;
}

static inline double lks_get_f64(const uint8_t* bytes) {
  const uint64_t bits = lks_get_u64(bytes);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline void lks_put_u16(uint8_t* bytes, unsigned value) {
  bytes[0] = (uint8_t)value;
  bytes[1] = (uint8_t)(value >> 8);
}

static inline void lks_put_u32(uint8_t* bytes, uint32_t value) {
  lks_put_u16(bytes, value & 0xFFFFu);
  lks_put_u16(bytes + 2, value >> 16);
}

static inline void lks_put_u64(uint8_t* bytes, uint64_t value) {
  lks_put_u32(bytes, (uint32_t)value);
  lks_put_u32(bytes + 4, (uint32_t)(value >> 32));
}

static inline void lks_put_f64(uint8_t* bytes, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  lks_put_u64(bytes, bits);
}

typedef struct lks_message {
  unsigned type;
  uint32_t length; /* of the payload */
  uint32_t sequence;
  int64_t time;           /* ns */
  const uint8_t* payload; /* points into the inbox */
  unsigned session;       /* 0: none */
} lks_message;

/* Writes header and checksum around the payload at bytes + LKS_HEADER_SIZE. Returns the size of the message.
 */
size_t lks_seal(const lks_crc* crc, uint8_t* bytes, const lks_message* message);

/* Received bytes that are not used yet. */
typedef struct lks_inbox {
  uint8_t* bytes; /* LKS_MAX_MESSAGE of them */
  size_t begin, end;
  uint64_t dropped;     /* number of damaged or unexpected messages */
  int is_searching;     /* between a bad message and the next magic */
  int measurement_size; /* payload of a MEASUREMENT; -1 while unknown */
} lks_inbox;

/* Finds the next complete message: 1, or 0 if more bytes are needed. Skips damaged bytes up to the next magic.
 * The payload is valid until bytes are added. */
int lks_take(const lks_crc* crc, lks_inbox* inbox, lks_message* message);

/* The same for an inbox that holds one datagram: it is one message or none. */
int lks_take_datagram(const lks_crc* crc, lks_inbox* inbox, lks_message* message);

/* Writes the message HELLO at `bytes`; 0 if it does not fit into `size`. */
size_t lks_make_hello(const lks_crc* crc, uint8_t* bytes, size_t size, const char* name,
                      const lockstep_demands* demands);

/* Writes the message BYE; `bytes` must be large enough for the sentence, which has at most 65535 bytes. */
size_t lks_make_bye(const lks_crc* crc, uint8_t* bytes, unsigned session, uint32_t sequence, int64_t time,
                    unsigned code, const char* sentence);

/* Reads the payload of ERROR or BYE. Returns the code; -1 if it is invalid. Truncates a sentence that is too
 * long. */
int lks_read_message(const lks_message* message, char* sentence, size_t size);

typedef struct lks_signal {
  const char *name, *unit;
  double initial, lower, upper; /* of commands only */
} lks_signal;

typedef struct lks_welcome {
  uint64_t schema_hash;
  int64_t period, step; /* ns */
  int is_realtime;
  const char *scenario, *connection;
  int read_count, write_count;
  lks_signal *reads, *writes;
  char* texts; /* owns all texts */
} lks_welcome;

/* Returns the error, as the end of "the simulation's WELCOME …"; NULL on success. Call lks_free_welcome in any
 * case. */
const char* lks_read_welcome(const lks_message* message, lks_welcome* welcome);
void lks_free_welcome(lks_welcome* welcome);

#endif
