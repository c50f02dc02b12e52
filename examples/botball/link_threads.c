// Link, 2014: a menu with buttons, one thread that raises the arm slowly, one that watches the bumper, and moves by
// counts in between.

#include <kovan/kovan.h>

#define LEFT 0
#define RIGHT 3
#define ARM 0
#define FRONT 8

int bumps = 0;

void raise_arm() {
  int position;
  for (position = 1000; position <= 1600; position += 20) {
    set_servo_position(ARM, position);
    msleep(20);
  }
}

void watch_bumper() {
  while (1) {
    if (digital(FRONT)) {
      bumps = bumps + 1;
      while (digital(FRONT)) msleep(5);
    }
    msleep(5);
  }
}

void forward(int ticks) {
  clear_motor_position_counter(LEFT);
  mrp(LEFT, 700, ticks);
  mrp(RIGHT, 700, ticks);
  bmd(LEFT);
  bmd(RIGHT);
}

void turn_right(int ticks) {
  mrp(LEFT, 400, ticks);
  mrp(RIGHT, 400, -ticks);
  bmd(LEFT);
  bmd(RIGHT);
}

int main() {
  thread arm, bumper;
  set_a_button_text("square");
  set_b_button_text("stay");
  display_printf(0, 0, "A: square, B: stay");
  while (!a_button() && !b_button()) msleep(20);
  if (b_button()) return 0;

  arm = thread_create(raise_arm);
  bumper = thread_create(watch_bumper);
  enable_servo(ARM);
  thread_start(arm);
  thread_start(bumper);
  int side;
  for (side = 0; side < 4; side++) {
    forward(1200);
    turn_right(680);
    display_printf(0, 1, "side %d, bumps %d", side + 1, bumps);
  }
  thread_wait(arm);
  thread_destroy(bumper);
  ao();
  disable_servos();
  return 0;
}
