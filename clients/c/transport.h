/* Transports: a socket, two pipes, or two rings in shared memory. Private to the library. */
#ifndef LOCKSTEP_CLIENT_TRANSPORT_H
#define LOCKSTEP_CLIENT_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

/* CLOCK_MONOTONIC, ns. */
#define LKS_NEVER INT64_MAX
#define LKS_LOOK 0 /* a past deadline: poll without waiting */

int64_t lks_now(void);
int64_t lks_from_now(double seconds);         /* deadline after this time; LKS_NEVER if it is not finite */
int lks_milliseconds_until(int64_t deadline); /* for poll(): rounded up, -1 for LKS_NEVER */
void lks_sleep(int64_t ns);

typedef enum { LKS_DONE, LKS_TIMEOUT, LKS_CLOSED } lks_result;

typedef enum { LKS_STREAM, LKS_DATAGRAM, LKS_PIPE, LKS_SHARED } lks_kind;

/* The mapped file /dev/shm/NAME (docs/protocol.md, "Shared memory"). */
typedef struct lks_shared {
  uint8_t* map;
  size_t size;
  uint32_t ring_size;
  uint32_t self;          /* process id */
  uint32_t epoch;         /* of this connection; if it changes, the rings belong to another */
  int64_t spin;           /* ns */
  uint32_t written, read; /* our counters of the two rings */
  uint32_t taken;         /* last seen counter of what the other side has read */
} lks_shared;

typedef struct lks_transport {
  lks_kind kind;
  int in, out; /* descriptors to read from and to write to; the same for a socket, -1 for shared memory */
  lks_shared shared;
} lks_transport;

typedef enum { LKS_OPENED, LKS_TRY_AGAIN, LKS_IMPOSSIBLE } lks_opening;

/* One attempt to connect to `address`. If the result is not LKS_OPENED, nothing needs closing, and `error`
 * holds the reason. */
lks_opening lks_open(lks_transport* transport, const char* address, int64_t deadline, char* error, size_t size);
void lks_shut(lks_transport* transport);

/* Sets the receive timeout of a socket, ns, which saves a poll() per exchange. */
void lks_set_socket_wait(lks_transport* transport, int64_t wait);

/* Sends all bytes; after a failure the connection is unusable. */
lks_result lks_send(lks_transport* transport, const uint8_t* bytes, size_t count, int64_t deadline);

/* Waits for at least one byte and reads what is available. `is_first`: the full time of lks_set_socket_wait is
 * left before the deadline, so that a socket may block in recv(); and the handshake is over, so that a pipe may
 * block in read() if there is no deadline. */
lks_result lks_receive(lks_transport* transport, uint8_t* bytes, size_t size, size_t* count, int64_t deadline,
                       int is_first);

/* Shared memory; the same contracts. */
lks_opening lks_shared_open(lks_shared* shared, const char* name, int64_t deadline, char* error, size_t size);
void lks_shared_shut(lks_shared* shared);
lks_result lks_shared_send(lks_shared* shared, const uint8_t* bytes, size_t count, int64_t deadline);
lks_result lks_shared_receive(lks_shared* shared, uint8_t* bytes, size_t size, size_t* count, int64_t deadline);

#endif
