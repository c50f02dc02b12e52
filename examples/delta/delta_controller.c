/* Controller of the delta robot in scenarios/machines/delta.xml, a separate program on a connection.
 *
 *   delta_controller [ADDRESS [ACCELERATION]]
 *
 * ADDRESS is where the simulation listens, such as tcp:127.0.0.1:7000; default, also
 * for "-": that in LOCKSTEP_ADDRESS. ACCELERATION is the maximum of the cycle in m/s^2, default 98.1 (10 g).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delta_control.h"
#include "lockstep_client.h"

/* Shared memory: several times the duration of a step of the simulation, so that the controller never sleeps in
 * a run as fast as possible. */
static const double kSpin = 200e-6;
static const double kConnectTimeout = 10.0; /* s */
static const double kFastest = 200.0;       /* m/s^2; the motors cannot do more */

static int fail(const char* sentence) {
  fprintf(stderr, "delta_controller: %s\n", sentence);
  return 1;
}

/* Indices of the signals of the motors. */
typedef struct {
  int angle[3], current[3];
} Signals;

static int find_signals(lockstep_client* client, Signals* signals) {
  for (int i = 0; i < 3; ++i) {
    char angle[32], current[32];
    snprintf(angle, sizeof angle, "delta/motor%d/angle", i + 1);
    snprintf(current, sizeof current, "delta/motor%d/current", i + 1);
    signals->angle[i] = lockstep_find_read(client, angle);
    signals->current[i] = lockstep_find_write(client, current);
    if (signals->angle[i] < 0 || signals->current[i] < 0) return 0;
  }
  return 1;
}

/* Answers until the run is over. Returns the exit code. */
static int control(lockstep_client* client, double acceleration) {
  Signals signals;
  DeltaControl law;
  int result;
  if (!find_signals(client, &signals))
    return fail("the connection does not carry the angles and currents of the motors");
  const DeltaSettings settings = delta_settings(lockstep_period(client), acceleration);
  delta_start(&law, &settings);
  while ((result = lockstep_step(client)) == 1) {
    double angle[3], current[3];
    for (int i = 0; i < 3; ++i) angle[i] = lockstep_read(client, signals.angle[i]);
    if (!delta_control(&law, lockstep_time(client), angle, current)) return fail("the path leads out of reach");
    for (int i = 0; i < 3; ++i) lockstep_write(client, signals.current[i], current[i]);
  }
  return result == 0 ? 0 : fail(lockstep_error(client));
}

int main(int argc, char** argv) {
  const char* address = argc > 1 && strcmp(argv[1], "-") != 0 ? argv[1] : NULL;
  const double acceleration = argc > 2 ? atof(argv[2]) : 98.1;
  if (!(acceleration > 0.0 && acceleration <= kFastest)) {
    return fail("the acceleration must be above 0 and at most 200 m/s^2");
  }
  char error[256];
  lockstep_client* client = lockstep_connect(address, "delta_controller", kConnectTimeout, error, sizeof error);
  if (client == NULL) return fail(error);
  lockstep_set_spin(client, kSpin);
  const int code = control(client, acceleration);
  lockstep_close(client);
  return code;
}
