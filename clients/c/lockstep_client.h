/* Client library for controllers of Lockstep, in C99, without other libraries; also usable from C++.
 *
 *   lockstep_client* sim = lockstep_connect(NULL, "hold", 10.0, error, sizeof error);
 *   int angle = lockstep_find_read(sim, "arm/elbow/angle");
 *   int torque = lockstep_find_write(sim, "arm/elbow_motor/torque");
 *   while (lockstep_step(sim) == 1) lockstep_write(sim, torque, -3.0 * lockstep_read(sim, angle));
 *   lockstep_close(sim);
 *
 * Use a handle from one thread at a time; different handles share nothing. After lockstep_connect no function
 * allocates. The protocol is in docs/protocol.md. */
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
 * address: such as "tcp:HOST:PORT" or "shm:NAME"; all forms are in docs/protocol.md. NULL: the environment
 * variable LOCKSTEP_ADDRESS, which `lockstep run --controller` sets.
 *
 * name: of the controller, for messages of the simulation.
 *
 * timeout_s: how long to retry while no simulation listens or another controller is connected; other errors
 * fail at once.
 *
 * error: receives an error text of at most error_size bytes if NULL is returned; may be NULL with size 0. */
lockstep_client* lockstep_connect(const char* address, const char* name, double timeout_s, char* error,
                                  size_t error_size);

/* Requirements of a controller; the simulation rejects it with a reason if anything differs. All zero: accepts
 * anything. Lists are name, unit, name, unit, …, NULL. */
typedef struct lockstep_demands {
  uint64_t schema_hash; /* see lockstep_schema_hash() */
  int64_t period_ns;
  const char* const* reads;
  const char* const* writes;
} lockstep_demands;

lockstep_client* lockstep_connect_demanding(const char* address, const char* name, double timeout_s,
                                            const lockstep_demands* demands, char* error, size_t error_size);

/* Index of a signal for lockstep_read or lockstep_write, -1 if there is none. Look it up once. */
int lockstep_find_read(const lockstep_client* client, const char* signal);
int lockstep_find_write(const lockstep_client* client, const char* signal);

/* Signals by index. Texts are valid as long as the handle; NULL for an invalid index. */
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
uint64_t lockstep_schema_hash(const lockstep_client* client); /* same hash: same signals and period */

/* Value in the last measurement; NaN for an invalid index. */
double lockstep_read(const lockstep_client* client, int index);

/* Sets a command. It keeps its value until written again; before the first write it is the initial value from
 * the simulation. After an invalid index the next lockstep_step fails. */
void lockstep_write(lockstep_client* client, int index, double value);

/* Sends the commands as the answer to the current measurement, if any, and waits for the next one.
 *
 * 1: new measurement. 0: the run is over. -1: error, see lockstep_error(). After a non-finite command, an
 * invalid index or a timeout you can call it again. If lockstep_is_connected() returns 0, close the handle and
 * connect again.
 *
 * If the simulation runs in real time and several measurements have arrived, the newest is used. */
int lockstep_step(lockstep_client* client);

/* Maximum wait of lockstep_step, s; 0 or infinity (default): waits as long as the simulation is alive. */
void lockstep_set_timeout(lockstep_client* client, double seconds);

/* Shared memory: time to spin before sleeping, s; default 50 µs, about the cost of waking up. */
void lockstep_set_spin(lockstep_client* client, double seconds);

int lockstep_is_connected(const lockstep_client* client);

/* Text of the last error; never NULL. */
const char* lockstep_error(const lockstep_client* client);

/* Number of dropped messages: damaged or unexpected. */
uint64_t lockstep_bad_messages(const lockstep_client* client);

/* Sends BYE, closes the connection and frees the handle. NULL is allowed. */
void lockstep_close(lockstep_client* client);

#ifdef __cplusplus
}
#endif
#endif
