#include "lockstep_client.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "transport.h"

/* Maximum length of an error text; longer ones are truncated. */
enum { ERROR_SIZE = 1024 };
/* UDP loses messages, and its sockets do not notice a dead peer. So HELLO is repeated until it is answered, and
 * the last COMMAND when nothing has arrived for a while: if the simulation's socket is closed, this gives an
 * error. */
static const int64_t kRepeatHello = 100000000;
static const int64_t kRepeatCommand = 1000000000;
static const int64_t kFirstPause = 10000000; /* between two attempts to connect; it doubles */
static const int64_t kMaxPause = 160000000;
/* In real time older measurements are skipped, up to this number. */
enum { MAX_SKIPPED = 1000 };

enum { CODE_BAD_MESSAGE = 4, CODE_NOT_FINITE = 5, CODE_CONTROLLER_LEAVES = 7, CODE_BUSY = 3 };

struct lockstep_client {
  enum { CONNECTED, OVER, FAILED } state;
  lks_transport transport;
  lks_crc crc;
  lks_inbox inbox;
  lks_welcome welcome;
  double *measured, *commands;
  int64_t time; /* of the last measurement, ns */
  uint32_t sequence;
  unsigned session;  /* of WELCOME, in all messages */
  int is_pending;    /* the last measurement is not answered yet */
  uint8_t* command;  /* the last sent message */
  size_t sent_size;  /* its size; 0 before the first */
  int has_bad_index; /* lockstep_write was called with an invalid index */
  double timeout;    /* s; 0: none */
  char error[ERROR_SIZE];
};

static int fail(lockstep_client* c, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(c->error, sizeof c->error, format, arguments);
  va_end(arguments);
  return -1;
}

static int lose(lockstep_client* c, const char* why) {
  c->state = FAILED;
  return fail(c, "%s", why);
}

static int next_message(lockstep_client* c, lks_message* message) {
  return c->transport.kind == LKS_DATAGRAM ? lks_take_datagram(&c->crc, &c->inbox, message)
                                           : lks_take(&c->crc, &c->inbox, message);
}

/* Moves the remaining bytes (usually few) to the front, so that the largest message fits. */
static lks_result receive(lockstep_client* c, int64_t deadline, int is_first) {
  lks_inbox* inbox = &c->inbox;
  memmove(inbox->bytes, inbox->bytes + inbox->begin, inbox->end - inbox->begin);
  inbox->end -= inbox->begin;
  inbox->begin = 0;
  size_t count = 0;
  const lks_result result = lks_receive(&c->transport, inbox->bytes + inbox->end, LKS_MAX_MESSAGE - inbox->end,
                                        &count, deadline, is_first);
  inbox->end += count;
  return result;
}

/* --- Connecting ----------------------------------------------------------------------------------------------
 */

static int earlier(int64_t* deadline, int64_t other) {
  if (other >= *deadline) return 0;
  *deadline = other;
  return 1;
}

static lks_opening accept_welcome(lockstep_client* c, const lks_message* message) {
  const char* problem = lks_read_welcome(message, &c->welcome);
  const size_t reads = (size_t)c->welcome.read_count, writes = (size_t)c->welcome.write_count;
  if (!problem) {
    c->measured = calloc(reads + 1, sizeof(double));
    c->commands = calloc(writes + 1, sizeof(double));
    c->command = malloc(LKS_HEADER_SIZE + 8 * writes + LKS_CHECKSUM_SIZE);
    if (!c->measured || !c->commands || !c->command) problem = "does not fit into memory";
  }
  if (problem) {
    fail(c, "the simulation's WELCOME %s", problem);
    return LKS_IMPOSSIBLE;
  }
  for (size_t i = 0; i < writes; ++i) c->commands[i] = c->welcome.writes[i].initial;
  for (size_t i = 0; i < reads; ++i) c->measured[i] = NAN;
  c->inbox.measurement_size = (int)(8 * reads);
  c->session = message->session;
  c->sequence = message->sequence - 1; /* the last one to ignore */
  c->time = message->time;
  return LKS_OPENED;
}

/* Sends HELLO and waits for the answer. */
static lks_opening shake_hands(lockstep_client* c, const uint8_t* hello, size_t hello_size, int64_t deadline) {
  const int is_datagram = c->transport.kind == LKS_DATAGRAM;
  c->inbox.begin = c->inbox.end = 0;
  c->inbox.measurement_size = -1;
  for (;;) {
    if (lks_send(&c->transport, hello, hello_size, deadline) != LKS_DONE) break;
    int64_t until = deadline;
    const int is_repeated = is_datagram && earlier(&until, lks_now() + kRepeatHello);
    lks_result result;
    while ((result = receive(c, until, 0)) == LKS_DONE) {
      lks_message message;
      while (next_message(c, &message)) {
        if (message.type == LKS_WELCOME) return accept_welcome(c, &message);
        char sentence[ERROR_SIZE];
        /* Measurements for the previous controller may still arrive. */
        if (message.type != LKS_ERROR && message.type != LKS_BYE) continue;
        const int code = lks_read_message(&message, sentence, sizeof sentence);
        if (code < 0) continue;
        fail(c, "the simulation %s: %.900s (code %d)", message.type == LKS_BYE ? "has ended" : "rejected",
             sentence, code);
        return message.type == LKS_BYE || code == CODE_BUSY ? LKS_TRY_AGAIN : LKS_IMPOSSIBLE;
      }
    }
    if (result == LKS_TIMEOUT && is_repeated) continue;
    if (result == LKS_CLOSED) break;
    fail(c, "the simulation did not answer HELLO in time");
    return LKS_TRY_AGAIN;
  }
  fail(c, "the simulation closed the connection before it answered HELLO");
  return LKS_TRY_AGAIN;
}

static lks_opening try_to_connect(lockstep_client* c, const char* address, const uint8_t* hello,
                                  size_t hello_size, int64_t deadline) {
  const lks_opening opening = lks_open(&c->transport, address, deadline, c->error, sizeof c->error);
  if (opening != LKS_OPENED) return opening;
  const lks_opening result = shake_hands(c, hello, hello_size, deadline);
  if (result != LKS_OPENED) lks_shut(&c->transport);
  return result;
}

static void release(lockstep_client* c) {
  lks_free_welcome(&c->welcome);
  free(c->inbox.bytes);
  free(c->measured);
  free(c->commands);
  free(c->command);
  free(c);
}

lockstep_client* lockstep_connect_demanding(const char* address, const char* name, double timeout_s,
                                            const lockstep_demands* demands, char* error, size_t error_size) {
  const int64_t deadline = lks_from_now(timeout_s);
  lockstep_client* c = calloc(1, sizeof *c);
  uint8_t* hello = malloc(LKS_MAX_MESSAGE);
  uint8_t* inbox = malloc(LKS_MAX_MESSAGE);
  lks_opening result = LKS_IMPOSSIBLE;
  if (c && hello && inbox) {
    lks_crc_make(&c->crc);
    c->inbox.bytes = inbox;
    if (!address) address = getenv("LOCKSTEP_ADDRESS");
    const size_t hello_size =
        lks_make_hello(&c->crc, hello, LKS_MAX_MESSAGE, name ? name : "controller", demands);
    if (!address) {
      fail(c, "no address given, and the environment variable LOCKSTEP_ADDRESS is not set");
    } else if (hello_size == 0) {
      fail(c, "the controller's name or its requirements are too long for a message");
    } else {
      int64_t pause = kFirstPause;
      while ((result = try_to_connect(c, address, hello, hello_size, deadline)) == LKS_TRY_AGAIN) {
        if (deadline != LKS_NEVER && lks_now() + pause >= deadline) break;
        lks_sleep(pause);
        if (pause < kMaxPause) pause *= 2;
      }
    }
  }
  free(hello);
  if (result == LKS_OPENED) {
    lockstep_set_timeout(c, 0);
    return c;
  }
  if (error_size > 0) snprintf(error, error_size, "%s", c && inbox && c->error[0] ? c->error : "out of memory");
  if (c) {
    c->inbox.bytes = inbox;
    release(c);
  } else {
    free(inbox);
  }
  return NULL;
}

lockstep_client* lockstep_connect(const char* address, const char* name, double timeout_s, char* error,
                                  size_t error_size) {
  return lockstep_connect_demanding(address, name, timeout_s, NULL, error, error_size);
}

void lockstep_close(lockstep_client* c) {
  if (!c) return;
  if (c->state == CONNECTED) {
    static const char kGoodbye[] = "the controller leaves";
    uint8_t bytes[LKS_HEADER_SIZE + 4 + sizeof kGoodbye + LKS_CHECKSUM_SIZE];
    const size_t size =
        lks_make_bye(&c->crc, bytes, c->session, c->sequence, c->time, CODE_CONTROLLER_LEAVES, kGoodbye);
    lks_set_socket_wait(&c->transport, 1000000000);
    lks_send(&c->transport, bytes, size, lks_from_now(1));
  }
  lks_shut(&c->transport);
  release(c);
}

/* --- The exchange --------------------------------------------------------------------------------------------
 */

static int send_command(lockstep_client* c, int64_t deadline) {
  switch (lks_send(&c->transport, c->command, c->sent_size, deadline)) {
    case LKS_DONE:
      return 0;
    case LKS_TIMEOUT:
      return lose(c, "the simulation did not accept a command within the timeout");
    default:
      break;
  }
  /* The reason for closing may still be unread: then lockstep_step finds it. */
  return 0;
}

static int answer(lockstep_client* c, int64_t deadline) {
  const size_t count = (size_t)c->welcome.write_count;
  if (c->has_bad_index) {
    c->has_bad_index = 0;
    return fail(c, "lockstep_write: invalid index; the controller writes %d signals", (int)count);
  }
  for (size_t i = 0; i < count; ++i) {
    if (isfinite(c->commands[i])) continue;
    return fail(c, "command '%.900s' is %f; expected a finite number", c->welcome.writes[i].name,
                c->commands[i]);
  }
  for (size_t i = 0; i < count; ++i) lks_put_f64(c->command + LKS_HEADER_SIZE + 8 * i, c->commands[i]);
  const lks_message message = {LKS_COMMAND, (uint32_t)(8 * count), c->sequence, c->time, NULL, c->session};
  c->sent_size = lks_seal(&c->crc, c->command, &message);
  c->is_pending = 0;
  return send_command(c, deadline);
}

/* 1: the next measurement; 0: nothing new, or the run is over; -1: error. */
static int use_message(lockstep_client* c, const lks_message* message, int64_t deadline) {
  if (message->type == LKS_WELCOME) { /* again, for a repeated HELLO */
    c->session = message->session;
    return 0;
  }
  if (message->session != c->session) { /* of an earlier connection */
    ++c->inbox.dropped;
    return 0;
  }
  if (message->type == LKS_MEASUREMENT) {
    if (message->sequence == c->sequence && c->sent_size > 0 && !c->is_pending)
      return send_command(c, deadline);
    const int32_t ahead = (int32_t)(message->sequence - c->sequence);
    if (ahead <= 0) return 0;
    for (int i = 0; i < c->welcome.read_count; ++i) c->measured[i] = lks_get_f64(message->payload + 8 * i);
    c->sequence = message->sequence;
    c->time = message->time;
    c->is_pending = 1;
    return 1;
  }
  if (message->type != LKS_ERROR && message->type != LKS_BYE) return 0;
  char sentence[ERROR_SIZE];
  const int code = lks_read_message(message, sentence, sizeof sentence);
  if (code < 0) {
    ++c->inbox.dropped;
    return 0;
  }
  if (message->type == LKS_BYE) {
    c->state = OVER;
    return 0;
  }
  if (code == CODE_BAD_MESSAGE || code == CODE_NOT_FINITE) {
    /* The connection stays open, and the measurement is still unanswered. */
    c->is_pending = c->sent_size > 0;
  } else {
    c->state = FAILED;
  }
  return fail(c, "the simulation reports: %.900s (code %d)", sentence, code);
}

/* Uses the received messages; in real time up to the newest measurement. 1, 0 or -1 as use_message. */
static int use_messages(lockstep_client* c, int64_t deadline) {
  int result = 0;
  lks_message message;
  for (int skipped = 0; c->state == CONNECTED; ++skipped) {
    if (next_message(c, &message)) {
      const int used = use_message(c, &message, deadline);
      if (used < 0) return -1;
      if (used == 1) result = 1;
      if (result == 1 && !c->welcome.is_realtime) return 1;
    } else if (c->inbox.end > c->inbox.begin || result == 0 || skipped >= MAX_SKIPPED ||
               receive(c, LKS_LOOK, 0) != LKS_DONE) {
      return result;
    }
  }
  return 0;
}

int lockstep_step(lockstep_client* c) {
  if (!c) return -1;
  if (c->state != CONNECTED) return c->state == OVER ? 0 : -1;
  const int64_t deadline = c->timeout > 0 ? lks_from_now(c->timeout) : LKS_NEVER;
  if (c->is_pending && answer(c, deadline) != 0) return -1;
  for (int is_first = 1;; is_first = 0) {
    const int used = use_messages(c, deadline);
    if (c->state == OVER) return 0;
    if (used != 0) return used;
    const lks_result result = receive(c, deadline, is_first);
    if (result == LKS_CLOSED) return lose(c, "the simulation closed the connection without a BYE");
    if (result == LKS_DONE) continue;
    if (deadline != LKS_NEVER && lks_now() >= deadline)
      return fail(c, "no measurement within %g s; the simulation may be paused or stopped", c->timeout);
    if (c->transport.kind == LKS_DATAGRAM && c->sent_size > 0 && send_command(c, deadline) != 0) return -1;
  }
}

void lockstep_set_timeout(lockstep_client* c, double seconds) {
  if (!c) return;
  c->timeout = seconds > 0 && seconds < 3e9 ? seconds : 0;
  int64_t wait = c->timeout > 0 ? (int64_t)(c->timeout * 1e9) : LKS_NEVER;
  if (c->transport.kind == LKS_DATAGRAM) earlier(&wait, kRepeatCommand);
  lks_set_socket_wait(&c->transport, wait);
}

void lockstep_set_spin(lockstep_client* c, double seconds) {
  if (c) c->transport.shared.spin = seconds > 0 ? (int64_t)((seconds < 3600 ? seconds : 3600) * 1e9) : 0;
}

/* --- Queries -------------------------------------------------------------------------------------------------
 */

static int find(const lks_signal* signals, int count, const char* name) {
  for (int i = 0; i < count && name; ++i) {
    if (strcmp(signals[i].name, name) == 0) return i;
  }
  return -1;
}

static const lks_signal* read_at(const lockstep_client* c, int index) {
  return c && index >= 0 && index < c->welcome.read_count ? &c->welcome.reads[index] : NULL;
}

static const lks_signal* write_at(const lockstep_client* c, int index) {
  return c && index >= 0 && index < c->welcome.write_count ? &c->welcome.writes[index] : NULL;
}

int lockstep_find_read(const lockstep_client* c, const char* signal) {
  return c ? find(c->welcome.reads, c->welcome.read_count, signal) : -1;
}

int lockstep_find_write(const lockstep_client* c, const char* signal) {
  return c ? find(c->welcome.writes, c->welcome.write_count, signal) : -1;
}

int lockstep_read_count(const lockstep_client* c) {
  return c ? c->welcome.read_count : 0;
}

int lockstep_write_count(const lockstep_client* c) {
  return c ? c->welcome.write_count : 0;
}

const char* lockstep_read_name(const lockstep_client* c, int index) {
  const lks_signal* signal = read_at(c, index);
  return signal ? signal->name : NULL;
}

const char* lockstep_read_unit(const lockstep_client* c, int index) {
  const lks_signal* signal = read_at(c, index);
  return signal ? signal->unit : NULL;
}

const char* lockstep_write_name(const lockstep_client* c, int index) {
  const lks_signal* signal = write_at(c, index);
  return signal ? signal->name : NULL;
}

const char* lockstep_write_unit(const lockstep_client* c, int index) {
  const lks_signal* signal = write_at(c, index);
  return signal ? signal->unit : NULL;
}

double lockstep_write_lower(const lockstep_client* c, int index) {
  const lks_signal* signal = write_at(c, index);
  return signal ? signal->lower : NAN;
}

double lockstep_write_upper(const lockstep_client* c, int index) {
  const lks_signal* signal = write_at(c, index);
  return signal ? signal->upper : NAN;
}

double lockstep_period(const lockstep_client* c) {
  return c ? (double)c->welcome.period / 1e9 : NAN;
}

double lockstep_time(const lockstep_client* c) {
  return c ? (double)c->time / 1e9 : NAN;
}

int lockstep_is_realtime(const lockstep_client* c) {
  return c ? c->welcome.is_realtime : 0;
}

uint64_t lockstep_schema_hash(const lockstep_client* c) {
  return c ? c->welcome.schema_hash : 0;
}

double lockstep_read(const lockstep_client* c, int index) {
  return read_at(c, index) ? c->measured[index] : NAN;
}

void lockstep_write(lockstep_client* c, int index, double value) {
  if (write_at(c, index)) {
    c->commands[index] = value;
  } else if (c) {
    c->has_bad_index = 1;
  }
}

int lockstep_is_connected(const lockstep_client* c) {
  return c && c->state == CONNECTED;
}

const char* lockstep_error(const lockstep_client* c) {
  return c ? c->error : "not connected";
}

uint64_t lockstep_bad_messages(const lockstep_client* c) {
  return c ? c->inbox.dropped : 0;
}
