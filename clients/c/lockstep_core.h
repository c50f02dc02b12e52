/* The wire protocol (docs/protocol.md) for microcontrollers: one header, no heap, no operating system, under 1 kB of
 * code. Bytes go in one by one, from any line that carries them; messages come out:
 *
 *     static uint8_t payload[8 * READS], out[28 + 8 * WRITES];
 *     lks_core core = {.payload = payload, .size = sizeof payload};
 *     send(out, lks_core_hello(out, "pump"));
 *     for (;;) {
 *       if (lks_core_push(&core, receive_byte()) != LKS_CORE_MEASUREMENT) continue;
 *       const double torque = -3.0 * lks_core_number(&core, 0);
 *       send(out, lks_core_command(&core, out, &torque, 1));
 *     }
 *
 * The order of the signals is that of the scenario, in `reads` and `writes` of the connection. `double` must have 8
 * bytes, little-endian. A repeated measurement is answered again by the loop above, as the protocol asks. */
#ifndef LOCKSTEP_CORE_H
#define LOCKSTEP_CORE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  LKS_CORE_HELLO = 1,
  LKS_CORE_WELCOME,
  LKS_CORE_MEASUREMENT,
  LKS_CORE_COMMAND,
  LKS_CORE_ERROR,
  LKS_CORE_BYE,
  LKS_CORE_HEADER = 24,
  LKS_CORE_OVERHEAD = 28 /* of each message */
};

typedef struct {
  uint8_t* payload;   /* set by the caller; a longer payload, as that of WELCOME, is checked but not kept */
  uint32_t size;      /* of `payload` */
  uint16_t session;   /* of the last WELCOME */
  uint8_t header[24]; /* of the last message */
  uint32_t at, crc, check;
} lks_core;

static inline uint32_t lks_core_crc(uint32_t crc, uint8_t byte) {
  crc ^= byte;
  for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  return crc;
}

static inline uint32_t lks_core_u32(const uint8_t* bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Takes the next byte. Returns the type of a message that it completes, else 0. Damaged messages are dropped, and
 * those of another session are. */
static inline int lks_core_push(lks_core* c, uint8_t byte) {
  static const uint8_t kMagic[4] = {0x4C, 0x4B, 0x53, 0x31};
  if (c->at < 4 && byte != kMagic[c->at]) {
    c->at = 0;
    if (byte != kMagic[0]) return 0;
  }
  if (c->at == 0) c->crc = 0xFFFFFFFFu;
  const uint32_t length = c->at >= LKS_CORE_HEADER ? lks_core_u32(c->header + 8) : 0;
  if (c->at < LKS_CORE_HEADER + length || c->at < LKS_CORE_HEADER) {
    if (c->at < LKS_CORE_HEADER) {
      c->header[c->at] = byte;
    } else if (c->at - LKS_CORE_HEADER < c->size) {
      c->payload[c->at - LKS_CORE_HEADER] = byte;
    }
    c->crc = lks_core_crc(c->crc, byte);
    ++c->at;
    /* A damaged length must not swallow the messages that follow: only WELCOME may be longer than the buffer. */
    if (c->at == LKS_CORE_HEADER &&
        (lks_core_u32(c->header + 8) > 1048576u ||
         (c->header[4] == LKS_CORE_MEASUREMENT && lks_core_u32(c->header + 8) > c->size)))
      c->at = 0;
    return 0;
  }
  c->check = c->check >> 8 | (uint32_t)byte << 24;
  if (++c->at < LKS_CORE_OVERHEAD + length) return 0;
  c->at = 0;
  if (c->check != ~c->crc) return 0;
  const uint16_t session = (uint16_t)(c->header[6] | c->header[7] << 8);
  if (c->header[4] == LKS_CORE_WELCOME) c->session = session;
  return session == c->session || c->header[4] == LKS_CORE_ERROR ? c->header[4] : 0;
}

/* Number of a measurement, by its place in `reads`. */
static inline double lks_core_number(const lks_core* c, uint32_t index) {
  double value = 0.0;
  if (8 * index + 8 <= c->size) memcpy(&value, c->payload + 8 * index, sizeof value);
  return value;
}

/* Completes the message around the payload at out + 24; returns its size. */
static inline size_t lks_core_seal(uint8_t* out, unsigned type, unsigned session, const uint8_t* stamp,
                                   uint32_t length) {
  uint32_t crc = 0xFFFFFFFFu;
  memset(out, 0, LKS_CORE_HEADER);
  memcpy(out, "LKS1", 4);
  out[4] = (uint8_t)type;
  out[6] = (uint8_t)session;
  out[7] = (uint8_t)(session >> 8);
  for (int i = 0; i < 4; ++i) out[8 + i] = (uint8_t)(length >> 8 * i);
  if (stamp) memcpy(out + 12, stamp, 12);
  for (uint32_t i = 0; i < LKS_CORE_HEADER + length; ++i) crc = lks_core_crc(crc, out[i]);
  for (int i = 0; i < 4; ++i) out[LKS_CORE_HEADER + length + (uint32_t)i] = (uint8_t)(~crc >> 8 * i);
  return LKS_CORE_OVERHEAD + length;
}

/* HELLO that accepts any signals: 54 bytes and the name, which has at most 255. */
static inline size_t lks_core_hello(uint8_t* out, const char* name) {
  const size_t count = strlen(name);
  memset(out + LKS_CORE_HEADER, 0, 26 + count);
  out[LKS_CORE_HEADER] = 1; /* version */
  out[LKS_CORE_HEADER + 20] = (uint8_t)count;
  memcpy(out + LKS_CORE_HEADER + 22, name, count);
  return lks_core_seal(out, LKS_CORE_HELLO, 1, NULL, (uint32_t)(26 + count));
}

/* COMMAND that answers the last measurement: 28 bytes and 8 for each number. */
static inline size_t lks_core_command(const lks_core* c, uint8_t* out, const double* numbers, uint32_t count) {
  memcpy(out + LKS_CORE_HEADER, numbers, 8 * (size_t)count);
  return lks_core_seal(out, LKS_CORE_COMMAND, c->session, c->header + 12, 8 * count);
}

#endif
