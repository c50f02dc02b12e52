/* What carries the bytes: a socket, two pipes, or two rings of shared memory. Private to the library. */
#ifndef LOCKSTEP_CLIENT_TRANSPORT_H
#define LOCKSTEP_CLIENT_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

/* CLOCK_MONOTONIC, ns. */
#define LKS_NEVER INT64_MAX
#define LKS_LOOK 0 /* a deadline that is past: takes what is there */

int64_t lks_now(void);
int64_t lks_from_now(double seconds); /* the deadline that far ahead; LKS_NEVER if that is not a finite time */
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
  uint32_t epoch;         /* of this connection: while it stays, the rings are ours */
  int64_t spin;           /* ns */
  uint32_t written, read; /* by us, of the two rings */
  uint32_t taken;         /* of what we wrote, as seen last */
} lks_shared;

typedef struct lks_transport {
  lks_kind kind;
  int in, out; /* descriptors to read from and to write to; the same for a socket, -1 for shared memory */
  lks_shared shared;
} lks_transport;

typedef enum { LKS_OPENED, LKS_TRY_AGAIN, LKS_IMPOSSIBLE } lks_opening;

/* One attempt to reach `address`. With anything but LKS_OPENED nothing needs closing, and `error` has a
 * sentence. */
lks_opening lks_open(lks_transport* transport, const char* address, int64_t deadline, char* error, size_t size);
void lks_shut(lks_transport* transport);

/* Lets a socket's calls wait so long (ns) by themselves, which saves a poll() per exchange. */
void lks_set_socket_wait(lks_transport* transport, int64_t wait);

/* Sends all of it, or the connection is of no more use. */
lks_result lks_send(lks_transport* transport, const uint8_t* bytes, size_t count, int64_t deadline);

/* Waits for at least one byte and takes what there is. `is_first` says that the whole time of
 * lks_set_socket_wait still lies before the deadline, so that a socket may wait by itself, and that the
 * handshake is over, so that a pipe may if there is no deadline. */
lks_result lks_receive(lks_transport* transport, uint8_t* bytes, size_t size, size_t* count, int64_t deadline,
                       int is_first);

/* Shared memory; the same contracts. */
lks_opening lks_shared_open(lks_shared* shared, const char* name, int64_t deadline, char* error, size_t size);
void lks_shared_shut(lks_shared* shared);
lks_result lks_shared_send(lks_shared* shared, const uint8_t* bytes, size_t count, int64_t deadline);
lks_result lks_shared_receive(lks_shared* shared, uint8_t* bytes, size_t size, size_t* count, int64_t deadline);

#endif
