/* Holds the arm of scenarios/arms/wired-arm.xml at 0.5 rad. */
#include <lockstep_client.h>
#include <stdio.h>

int main(void) {
  char error[256];
  lockstep_client* sim = lockstep_connect(NULL, "hold_angle", 10.0, error, sizeof error);
  if (!sim) return fprintf(stderr, "%s\n", error), 1;
  const int angle = lockstep_find_read(sim, "arm/shoulder/angle");
  const int speed = lockstep_find_read(sim, "arm/shoulder/speed");
  const int torque = lockstep_find_write(sim, "arm/shoulder_motor/torque");
  int result;
  while ((result = lockstep_step(sim)) == 1)
    lockstep_write(sim, torque, 300 * (0.5 - lockstep_read(sim, angle)) - 30 * lockstep_read(sim, speed));
  if (result < 0) fprintf(stderr, "%s\n", lockstep_error(sim));
  lockstep_close(sim);
  return result < 0;
}
