/* A correct controller, to be killed and stopped by the tests: answers measurement number n with n / 2^20 and
 * its negative, until the run is over.
 *
 *   steady_controller ADDRESS
 */
#include <math.h>
#include <stdio.h>

#include "lockstep_client.h"

int main(int argc, char** argv) {
  char error[256];
  if (argc != 2) return 2;
  lockstep_client* client = lockstep_connect(argv[1], "steady", 60.0, error, sizeof error);
  if (client == NULL) {
    fprintf(stderr, "steady_controller: %s\n", error);
    return 1;
  }
  int result;
  while ((result = lockstep_step(client)) == 1) {
    const double number = round(lockstep_time(client) / lockstep_period(client)) + 1.0;
    lockstep_write(client, 0, ldexp(number, -20));
    lockstep_write(client, 1, -ldexp(number, -20));
  }
  if (result < 0) fprintf(stderr, "steady_controller: %s\n", lockstep_error(client));
  lockstep_close(client);
  return result == 0 ? 0 : 1;
}
