#include <kipr/wombat.h>

// Drives forward until the reflectance sensor sees the black line, then lowers the arm.

int main() {
  printf("Driving to the line\n");
  enable_servos();
  set_servo_position(0, 1500);
  motor(0, 60);
  motor(3, 60);
  while (analog(1) < 2000)
    ;
  ao();
  printf("Line after %d ticks\n", gmpc(0));
  set_servo_position(0, 900);
  msleep(1000);
  disable_servos();
  return 0;
}
