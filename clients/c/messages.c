#include "messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t kMagic[4] = {0x4C, 0x4B, 0x53, 0x31};

/* Messages. */

size_t lks_seal(const lks_crc* crc, uint8_t* bytes, const lks_message* message) {
  const size_t covered = LKS_HEADER_SIZE + (size_t)message->length;
  memcpy(bytes, kMagic, sizeof kMagic);
  lks_put_u16(bytes + 4, message->type);
  lks_put_u16(bytes + 6, message->session);
  lks_put_u32(bytes + 8, message->length);
  lks_put_u32(bytes + 12, message->sequence);
  lks_put_u64(bytes + 16, (uint64_t)message->time);
  lks_put_u32(bytes + covered, lks_crc_of(crc, bytes, covered));
  return covered + LKS_CHECKSUM_SIZE;
}

/* A damaged length must not make the reader wait for bytes that never come: once the size of measurements is
 * known, the valid lengths of each type are known. */
static int header_fits(const lks_inbox* inbox, const lks_message* message) {
  if (inbox->measurement_size >= 0) {
    switch (message->type) {
      case LKS_MEASUREMENT:
        return message->length == (uint32_t)inbox->measurement_size;
      case LKS_WELCOME:
        break;
      case LKS_ERROR:
      case LKS_BYE:
        return message->length <= 4 + 65535;
      default:
        return 0; /* unknown, or sent only by controllers */
    }
  }
  return message->type >= LKS_HELLO && message->type <= LKS_BYE && message->length <= LKS_MAX_PAYLOAD;
}

typedef enum { MESSAGE, BEGINNING, BAD_MESSAGE, NO_MAGIC } finding;

/* Checks the message at `bytes`. */
static finding read_message(const lks_crc* crc, const lks_inbox* inbox, const uint8_t* bytes, size_t count,
                            lks_message* message) {
  const size_t magic_count = count < sizeof kMagic ? count : sizeof kMagic;
  if (memcmp(bytes, kMagic, magic_count) != 0) return NO_MAGIC;
  if (count < LKS_HEADER_SIZE) return BEGINNING;
  message->type = lks_get_u16(bytes + 4);
  message->length = lks_get_u32(bytes + 8);
  message->sequence = lks_get_u32(bytes + 12);
  message->time = (int64_t)lks_get_u64(bytes + 16);
  message->payload = bytes + LKS_HEADER_SIZE;
  message->session = lks_get_u16(bytes + 6);
  if (!header_fits(inbox, message)) return BAD_MESSAGE;
  const size_t covered = LKS_HEADER_SIZE + (size_t)message->length;
  if (count < covered + LKS_CHECKSUM_SIZE) return BEGINNING;
  return lks_get_u32(bytes + covered) == lks_crc_of(crc, bytes, covered) ? MESSAGE : BAD_MESSAGE;
}

int lks_take(const lks_crc* crc, lks_inbox* inbox, lks_message* message) {
  while (inbox->begin < inbox->end) {
    const uint8_t* here = inbox->bytes + inbox->begin;
    const size_t count = inbox->end - inbox->begin;
    const finding found = read_message(crc, inbox, here, count, message);
    if (found == MESSAGE) {
      inbox->begin += LKS_HEADER_SIZE + (size_t)message->length + LKS_CHECKSUM_SIZE;
      inbox->is_searching = 0;
    }
    if (found == MESSAGE || found == BEGINNING) return found == MESSAGE;
    /* Bytes between a bad message and the next magic count as part of the bad one. */
    if (found == BAD_MESSAGE || !inbox->is_searching) ++inbox->dropped;
    inbox->is_searching = 1;
    const uint8_t* next = count > 1 ? memchr(here + 1, kMagic[0], count - 1) : NULL;
    inbox->begin = next ? (size_t)(next - inbox->bytes) : inbox->end;
  }
  return 0;
}

int lks_take_datagram(const lks_crc* crc, lks_inbox* inbox, lks_message* message) {
  const size_t count = inbox->end - inbox->begin;
  if (count == 0) return 0;
  const int is_whole = read_message(crc, inbox, inbox->bytes + inbox->begin, count, message) == MESSAGE &&
                       count == LKS_HEADER_SIZE + (size_t)message->length + LKS_CHECKSUM_SIZE;
  if (!is_whole) ++inbox->dropped;
  inbox->begin = inbox->end;
  return is_whole;
}

/* HELLO. */

typedef struct {
  uint8_t* bytes;
  size_t size, used;
  int is_full;
} writer;

static uint8_t* add(writer* w, size_t count) {
  if (count > w->size - w->used) {
    w->is_full = 1;
    return NULL;
  }
  w->used += count;
  return w->bytes + w->used - count;
}

static void add_u16(writer* w, unsigned value) {
  uint8_t* at = add(w, 2);
  if (at) lks_put_u16(at, value);
}

static void add_u64(writer* w, uint64_t value) {
  uint8_t* at = add(w, 8);
  if (at) lks_put_u64(at, value);
}

static void add_text(writer* w, const char* text) {
  const size_t count = strlen(text);
  if (count > 65535) w->is_full = 1;
  add_u16(w, (unsigned)(count & 0xFFFF));
  uint8_t* at = add(w, count);
  if (at) memcpy(at, text, count);
}

static void add_signals(writer* w, const char* const* pairs) {
  unsigned count = 0;
  while (pairs && pairs[2 * count]) ++count;
  if (count > 65535) w->is_full = 1;
  add_u16(w, count & 0xFFFF);
  for (unsigned i = 0; i < 2 * count && !w->is_full; ++i) add_text(w, pairs[i] ? pairs[i] : "");
}

size_t lks_make_hello(const lks_crc* crc, uint8_t* bytes, size_t size, const char* name,
                      const lockstep_demands* demands) {
  static const lockstep_demands kNone = {0, 0, NULL, NULL};
  if (!demands) demands = &kNone;
  if (size < LKS_HEADER_SIZE + LKS_CHECKSUM_SIZE) return 0;
  writer w = {bytes + LKS_HEADER_SIZE, size - LKS_HEADER_SIZE - LKS_CHECKSUM_SIZE, 0, 0};
  uint8_t* version = add(&w, 4);
  if (version) lks_put_u32(version, LKS_VERSION);
  add_u64(&w, demands->schema_hash);
  add_u64(&w, (uint64_t)demands->period_ns);
  add_text(&w, name);
  add_signals(&w, demands->reads);
  add_signals(&w, demands->writes);
  const char* token = getenv("LOCKSTEP_TOKEN");
  if (token && token[0]) add_text(&w, token);
  if (w.is_full) return 0;
  const lks_message message = {LKS_HELLO, (uint32_t)w.used, 0, 0, NULL, LKS_USES_SESSIONS};
  return lks_seal(crc, bytes, &message);
}

/* ERROR and BYE. */

size_t lks_make_bye(const lks_crc* crc, uint8_t* bytes, unsigned session, uint32_t sequence, int64_t time,
                    unsigned code, const char* sentence) {
  const size_t count = strlen(sentence);
  lks_put_u16(bytes + LKS_HEADER_SIZE, code);
  lks_put_u16(bytes + LKS_HEADER_SIZE + 2, (unsigned)count);
  memcpy(bytes + LKS_HEADER_SIZE + 4, sentence, count);
  const lks_message message = {LKS_BYE, (uint32_t)(4 + count), sequence, time, NULL, session};
  return lks_seal(crc, bytes, &message);
}

/* UTF-8 without control characters. */
static int is_text(const uint8_t* bytes, size_t count) {
  for (size_t i = 0; i < count;) {
    const uint8_t lead = bytes[i++];
    if (lead < 0x80) {
      if (lead < 0x20 || lead == 0x7F) return 0;
      continue;
    }
    const size_t more = lead >= 0xC2 && lead < 0xE0   ? 1
                        : lead >= 0xE0 && lead < 0xF0 ? 2
                        : lead >= 0xF0 && lead < 0xF5 ? 3
                                                      : 0;
    if (more == 0 || more > count - i) return 0;
    /* The second byte must not give an overlong encoding, a surrogate, or a value above U+10FFFF. */
    const uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (bytes[i] < lowest || bytes[i] > highest) return 0;
    for (size_t end = i++ + more; i < end; ++i) {
      if ((bytes[i] & 0xC0) != 0x80) return 0;
    }
  }
  return 1;
}

int lks_read_message(const lks_message* message, char* sentence, size_t size) {
  if (message->length < 4) return -1;
  size_t count = lks_get_u16(message->payload + 2);
  if (count != message->length - 4 || !is_text(message->payload + 4, count)) return -1;
  if (count > size - 1) count = size - 1;
  memcpy(sentence, message->payload + 4, count);
  sentence[count] = 0;
  return lks_get_u16(message->payload);
}

/* WELCOME. */

typedef struct {
  const uint8_t* at;
  size_t left;
  int is_short, is_bad; /* ends too early; contains an invalid text */
  char* text;           /* where the next text goes */
} reader;

static const uint8_t* take(reader* r, size_t count) {
  static const uint8_t kZeros[8] = {0};
  if (count > r->left) {
    r->is_short = 1;
    r->left = 0;
    return count <= sizeof kZeros ? kZeros : NULL;
  }
  r->at += count;
  r->left -= count;
  return r->at - count;
}

/* A text takes two more bytes in the payload than its length, so all texts with their terminating zeros fit
 * into as many bytes as the payload has. */
static const char* take_text(reader* r) {
  const size_t count = lks_get_u16(take(r, 2));
  const uint8_t* from = take(r, count);
  if (r->is_short) return "";
  char* text = r->text;
  memcpy(text, from, count);
  text[count] = 0;
  if (!is_text(from, count)) r->is_bad = 1;
  r->text += count + 1;
  return text;
}

static lks_signal* take_signals(reader* r, int has_limits, int* count) {
  *count = lks_get_u16(take(r, 2));
  lks_signal* signals = calloc((size_t)*count + 1, sizeof *signals);
  if (!signals) return NULL;
  for (int i = 0; i < *count && !r->is_short; ++i) {
    signals[i].name = take_text(r);
    signals[i].unit = take_text(r);
    if (!has_limits) continue;
    signals[i].initial = lks_get_f64(take(r, 8));
    signals[i].lower = lks_get_f64(take(r, 8));
    signals[i].upper = lks_get_f64(take(r, 8));
  }
  return signals;
}

static uint64_t add_to_hash(uint64_t hash, const uint8_t* from, const uint8_t* to) {
  for (; from != to; ++from) hash = (hash ^ *from) * 0x100000001B3u;
  return hash;
}

const char* lks_read_welcome(const lks_message* message, lks_welcome* welcome) {
  reader r = {message->payload, message->length, 0, 0, NULL};
  memset(welcome, 0, sizeof *welcome);
  welcome->texts = r.text = malloc((size_t)message->length + 1);
  if (!welcome->texts) return "does not fit into memory";

  const uint32_t version = lks_get_u32(take(&r, 4));
  if (!r.is_short && version != LKS_VERSION) return "has an unsupported protocol version; expected 1";
  welcome->schema_hash = lks_get_u64(take(&r, 8));
  const uint8_t* const hashed = r.at;
  welcome->period = (int64_t)lks_get_u64(take(&r, 8));
  welcome->step = (int64_t)lks_get_u64(take(&r, 8));
  const unsigned mode = lks_get_u16(take(&r, 2));
  const uint8_t* const names = r.at;
  welcome->scenario = take_text(&r);
  welcome->connection = take_text(&r);
  const uint8_t* const signals = r.at;
  welcome->reads = take_signals(&r, 0, &welcome->read_count);
  if (welcome->reads) welcome->writes = take_signals(&r, 1, &welcome->write_count);
  if (!welcome->reads || !welcome->writes) return "does not fit into memory";

  if (r.is_bad) return "has a text with invalid UTF-8 or control characters";
  if (r.is_short || r.left > 0) return "has a length that does not match its content";
  uint64_t hash = add_to_hash(0xCBF29CE484222325u, hashed, names);
  hash = add_to_hash(hash, signals, r.at);
  if (hash != welcome->schema_hash) return "has a schema hash that does not match its content";
  if (mode > 1) return "has an unknown mode";
  if (welcome->period <= 0 || welcome->step <= 0) return "has a period or a step that is not positive";
  for (int i = 0; i < welcome->write_count; ++i) {
    const lks_signal* s = &welcome->writes[i];
    if (!isfinite(s->initial) || isnan(s->lower) || isnan(s->upper)) return "has limits that are not numbers";
  }
  welcome->is_realtime = mode == 1;
  return NULL;
}

void lks_free_welcome(lks_welcome* welcome) {
  free(welcome->reads);
  free(welcome->writes);
  free(welcome->texts);
  memset(welcome, 0, sizeof *welcome);
}
