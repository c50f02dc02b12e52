// CBC, 2011: no headers. Drives to the wall by the range finder, with the arm moving in a process of its own, and
// backs off when the front bumper is hit.

#define LEFT 0
#define RIGHT 3
#define ARM 0
#define ET 0
#define TOUCH digital(8)

int near = 0;

void wave() {
  while (1) {
    set_servo_position(ARM, 1200);
    sleep(.5);
    set_servo_position(ARM, 1500);
    sleep(.5);
  }
}

void drive(int speed) {
  mav(LEFT, speed);
  mav(RIGHT, speed);
}

void back_off() {
  drive(-400);
  sleep(1.0);
  off(LEFT);
  off(RIGHT);
}

void look() {
  while (analog10(ET) < 330)
    ;
  near = 1;
  beep();
}

int main() {
  int arm;
  float start = seconds();
  set_each_analog_state(1, 0, 0, 0, 0, 0, 0, 0);
  cbc_display_clear();
  printf("battery %f V\n", power_level());
  arm = start_process(wave);
  drive(600);
  run_for(20.0, look);
  printf("near: %d after %.1f s\n", near, seconds() - start);
  while (!TOUCH)
    ;
  printf("touched, counter %d\n", get_motor_position_counter(LEFT));
  back_off();
  kill_process(arm);
  ao();
  disable_servos();
  printf("done\n");
  return 0;
}
