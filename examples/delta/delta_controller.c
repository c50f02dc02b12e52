/* Controller of the delta robot in scenarios/machines/delta.xml, a separate program on a connection.
 *
 *   delta_controller --help
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delta_control.h"
#include "lockstep_client.h"

static const char kHelp[] =
    "delta_controller [ADDRESS [ACCELERATION [SPIN]]]\n\n"
    "Controls the delta robot of scenarios/machines/delta.xml.\n\n"
    "ADDRESS       where the simulation listens, such as tcp:127.0.0.1:7000; default, also for \"-\": that in\n"
    "              the environment variable LOCKSTEP_ADDRESS, which `lockstep run --controller` sets\n"
    "ACCELERATION  maximum of the cycle in m/s^2; default 98.1 (10 g)\n"
    "SPIN          shared memory: time in us to poll before it sleeps; default 0. 200 is several times the "
    "duration\n"
    "              of a step, so that it never sleeps in a run as fast as possible, and occupies a core\n";
static const double kMaxSpin = 0.1;         /* s */
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
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    return fputs(kHelp, stdout) < 0;
  const char* address = argc > 1 && strcmp(argv[1], "-") != 0 ? argv[1] : NULL;
  const double acceleration = argc > 2 ? atof(argv[2]) : 98.1;
  if (!(acceleration > 0.0 && acceleration <= kFastest)) {
    return fail("the acceleration must be above 0 and at most 200 m/s^2");
  }
  const double spin = argc > 3 ? 1e-6 * atof(argv[3]) : 0.0;
  if (!(spin >= 0.0 && spin <= kMaxSpin)) return fail("the time to spin must be 0 to 100000 us");
  char error[256];
  lockstep_client* client = lockstep_connect(address, "delta_controller", kConnectTimeout, error, sizeof error);
  if (client == NULL) return fail(error);
  lockstep_set_spin(client, spin);
  const int code = control(client, acceleration);
  lockstep_close(client);
  return code;
}
