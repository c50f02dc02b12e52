// Wombat: waits for the light, drives onto the line, turns and follows its edge with the reflectance sensor for a while.
// shut_down_in ends the round whatever happens.

#include <kipr/wombat.h>

#define LEFT 0
#define RIGHT 3
#define HAT 1
#define GREY 2000

void drive(int left, int right) {
  motor(LEFT, left);
  motor(RIGHT, right);
}

int main() {
  wait_for_light(3);
  shut_down_in(30);
  printf("started at %.2f\n", seconds());

  drive(60, 60);
  while (analog(HAT) < GREY)
    ;
  printf("line after %d ticks\n", gmpc(LEFT));
  // The wheels are 98 mm behind the sensor: on until they are on the line, then to the left.
  cmpc(LEFT);
  while (gmpc(LEFT) < 850)
    ;
  drive(-30, 30);
  msleep(1200);
  while (analog(HAT) < GREY)
    ;

  // The edge of the line: black pulls to the left, white to the right.
  int black = 0, white = 0;
  double begin = seconds();
  while (seconds() - begin < 6) {
    if (analog(HAT) > GREY) {
      drive(20, 50);
      black++;
    } else {
      drive(50, 20);
      white++;
    }
    msleep(10);
  }
  ao();
  printf("on the edge: %d of %d samples are black\n", black, black + white);
  return 0;
}
