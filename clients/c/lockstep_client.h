/* The controller's side of Lockstep's wire, in C99 and without any other library; C++ programs use it as it is.
 *
 *   lockstep_client* sim = lockstep_connect(NULL, "hold", 10.0, error, sizeof error);
 *   int angle = lockstep_find_read(sim, "arm/elbow/angle");
 *   int torque = lockstep_find_write(sim, "arm/elbow_motor/torque");
 *   while (lockstep_step(sim) == 1) lockstep_write(sim, torque, -3.0 * lockstep_read(sim, angle));
 *   lockstep_close(sim);
 *
 * A handle is used by one thread at a time; different handles share nothing. After lockstep_connect nothing
 * allocates. What goes over the wire is on the page docs/protocol.md. */
#ifndef LOCKSTEP_CLIENT_H
#define LOCKSTEP_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lockstep_client lockstep_client;

/* Connects to a simulation and agrees with it on the signals.
 *
 * address: such as "tcp:HOST:PORT" or "shm:NAME"; docs/protocol.md lists them all. NULL takes the environment
 * variable LOCKSTEP_ADDRESS, which `lockstep run --controller` sets.
 *
 * name: of the controller, for messages of the simulation.
 *
 * timeout_s: how long to try while nobody listens or another controller is connected; what cannot fix itself
 * fails at once.
 *
 * error: gets a sentence of at most error_size bytes if NULL is returned; may be NULL with size 0. */
lockstep_client* lockstep_connect(const char* address, const char* name, double timeout_s, char* error,
                                  size_t error_size);

/* What a controller may insist on; the simulation rejects it with a sentence if anything differs. All zero:
 * takes whatever comes. Lists are name, unit, name, unit, …, NULL. */
typedef struct lockstep_demands {
  uint64_t schema_hash; /* see lockstep_schema_hash() */
  int64_t period_ns;
  const char* const* reads;
  const char* const* writes;
} lockstep_demands;

lockstep_client* lockstep_connect_demanding(const char* address, const char* name, double timeout_s,
                                            const lockstep_demands* demands, char* error, size_t error_size);

/* Signals by name: an index for lockstep_read or lockstep_write, -1 if there is none. Look them up once. */
int lockstep_find_read(const lockstep_client* client, const char* signal);
int lockstep_find_write(const lockstep_client* client, const char* signal);

/* Signals by index. Texts live as long as the handle; NULL for an index that does not exist. */
int lockstep_read_count(const lockstep_client* client);
int lockstep_write_count(const lockstep_client* client);
const char* lockstep_read_name(const lockstep_client* client, int index);
const char* lockstep_read_unit(const lockstep_client* client, int index);
const char* lockstep_write_name(const lockstep_client* client, int index);
const char* lockstep_write_unit(const lockstep_client* client, int index);
double lockstep_write_lower(const lockstep_client* client,
                            int index); /* limits of the device; may be infinite */
double lockstep_write_upper(const lockstep_client* client, int index);

double lockstep_period(const lockstep_client* client);        /* s of simulated time between two exchanges */
double lockstep_time(const lockstep_client* client);          /* simulated time of the last measurement, s */
int lockstep_is_realtime(const lockstep_client* client);      /* 1: the simulation does not wait for answers */
uint64_t lockstep_schema_hash(const lockstep_client* client); /* same hash, same signals in the same rhythm */

/* Of the last measurement; NaN for an index that does not exist. */
double lockstep_read(const lockstep_client* client, int index);

/* Kept until written again; before that it is the initial value that the simulation told. A wrong index makes
 * the next lockstep_step fail. */
void lockstep_write(lockstep_client* client, int index, double value);

/* Answers the measurement at hand, if any, with what was written, and waits for the next one.
 *
 * 1: there is one. 0: the run is over. -1: error, see lockstep_error(); a number to send that is not finite, a
 * wrong index and a timeout can be fixed: call again. If lockstep_is_connected() says 0, close the handle and
 * connect again.
 *
 * If the simulation runs in real time and several measurements have come, the newest is taken. */
int lockstep_step(lockstep_client* client);

/* Longest wait of lockstep_step, s; 0 or infinity, as at first: waits as long as the simulation lives. */
void lockstep_set_timeout(lockstep_client* client, double seconds);

/* Shared memory: how long to look before going to sleep, s; at first 50 µs, about what waking up costs. */
void lockstep_set_spin(lockstep_client* client, double seconds);

int lockstep_is_connected(const lockstep_client* client);

/* The last error as a sentence; never NULL. */
const char* lockstep_error(const lockstep_client* client);

/* How many messages came damaged or did not fit, and were dropped. */
uint64_t lockstep_bad_messages(const lockstep_client* client);

/* Says goodbye and frees the handle. NULL is fine. */
void lockstep_close(lockstep_client* client);

#ifdef __cplusplus
}
#endif
#endif
