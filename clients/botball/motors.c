/* Motors: the commands of each era, and its controller with the gains and the rate of the firmware. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

enum { kMotors = 4 };
typedef enum { OFF, PWM, BRAKE, VELOCITY, POSITION } Mode;

typedef struct {
  int duty_signal, coast_signal, count_signal, rate_signal;
  Mode mode;
  double duty;  /* -1 to 1 */
  int velocity; /* ticks/s */
  int goal;     /* in counts as the program sees them */
  int origin;   /* of the counter */
  bool is_done;
  double integral, last_error;
  double target;  /* C1: where the controller wants the shaft now, ticks */
  int last_count; /* L: at the last cycle */
  int pwm;        /* as the program set it */
  int gains[6];   /* p, i, d, and what each is divided by */
} Motor;

static Motor motors[kMotors];

static const Nanoseconds kCycle[] = {0, 10 * LS_BB_MS, 10 * LS_BB_MS, 40 * LS_BB_MS, 4 * LS_BB_MS};

static double clamp(double value, double limit) {
  return value > limit ? limit : value < -limit ? -limit : value;
}

static int count_of(const Motor* motor) {
  return (int)ls_bb_read(motor->count_signal) - motor->origin;
}

static bool is_motor(int port) {
  if (port >= 0 && port < kMotors) return true;
  if (ls_bb_is_cbc()) printf("Motor must be 0..3\n");
  ls_bb_say_once("motor port %d does not exist; the controller has 0 to 3", port);
  return false;
}

/* Integer gains of W have no effect: its firmware reads them only at power-on. */
static double run_pid(Motor* motor, double error, double p, double i, double d, double max_integral) {
  if (ls_bb_era != ERA_W && ls_bb_era != ERA_C1 && motor->gains[3] && motor->gains[4] && motor->gains[5]) {
    p = (double)motor->gains[0] / motor->gains[3];
    i = (double)motor->gains[1] / motor->gains[4];
    d = (double)motor->gains[2] / motor->gains[5];
  }
  motor->integral = clamp(motor->integral + error, max_integral);
  const double output = p * error + i * motor->integral + d * (error - motor->last_error);
  motor->last_error = error;
  return output;
}

static double cycle_c1(Motor* motor) {
  const double raw = 160.0; /* units per tick */
  const double step = motor->velocity * 0.01;
  const double count = count_of(motor);
  if (motor->mode == VELOCITY) {
    motor->target += step;
  } else {
    const double way = motor->goal - motor->target;
    motor->target += clamp(way, fabs(step));
  }
  const double speed = ls_bb_read(motor->rate_signal) * 0.01; /* ticks per cycle */
  motor->is_done = motor->mode == POSITION && fabs(count - motor->goal) < 12.5;
  return clamp(raw * (30.0 / 70.0 * (motor->target - count) - 30.0 / 51.0 * speed), 255.0) / 255.0;
}

static double cycle_c2(Motor* motor) {
  const double raw = 44.0;
  double measured = trunc(ls_bb_read(motor->rate_signal) * raw * 0.01); /* per cycle */
  if (fabs(measured) <= 3.0) measured = 0.0;
  double target = motor->velocity / 2.0;
  if (motor->mode == POSITION) {
    const double way = raw * (motor->goal - count_of(motor));
    motor->is_done = fabs(way) < 100.0;
    if (motor->is_done) {
      motor->integral = 0.0;
      return 0.0;
    }
    target = clamp(way, fabs(target));
  } else if (motor->velocity == 0) {
    return 0.0;
  }
  return clamp(run_pid(motor, target - measured, 3.0, 1.5, -2.0 / 3.0, 10000.0), 480.0) / 480.0;
}

static double cycle_l(Motor* motor) {
  const int count = count_of(motor);
  const double speed = 25.0 * (count - motor->last_count);
  motor->last_count = count;
  if (motor->mode == POSITION) {
    const int way = motor->goal - count;
    if ((way != 0 && abs(way) < 10) || (motor->velocity > 0 ? way < 0 : way > 0)) {
      motor->mode = BRAKE;
      motor->is_done = true;
      return 0.0;
    }
  }
  /* The firmware's curve makes speed proportional to its output: 1000 is full duty. */
  return clamp(run_pid(motor, motor->velocity - speed, 0.4, 0.4, 0.05, 5500.0), 1000.0) / 1000.0;
}

static double cycle_w(Motor* motor) {
  double speed = trunc(ls_bb_read(motor->rate_signal));
  if (fabs(speed) < 8.0) speed = 0.0;
  if (motor->mode == POSITION) {
    const int way = motor->goal - count_of(motor);
    if (motor->velocity > 0 ? way < 0 : way > 0) {
      motor->mode = BRAKE;
      motor->is_done = true;
      return 0.0;
    }
  }
  return clamp(run_pid(motor, motor->velocity - speed, 2.0, 0.2, 0.001, 10000.0), 400.0) / 400.0;
}

static void drive_motor(Motor* motor, Nanoseconds now) {
  if (motor->duty_signal < 0) return;
  if ((motor->mode == VELOCITY || motor->mode == POSITION) && now % kCycle[ls_bb_era] == 0) {
    motor->duty = ls_bb_era == ERA_C1   ? cycle_c1(motor)
                  : ls_bb_era == ERA_C2 ? cycle_c2(motor)
                  : ls_bb_era == ERA_L  ? cycle_l(motor)
                                        : cycle_w(motor);
  }
  if (motor->mode == OFF || motor->mode == BRAKE) motor->duty = 0.0;
  ls_bb_write(motor->duty_signal, motor->duty);
  /* A CBC switches its bridge low at PWM 0. */
  ls_bb_write(motor->coast_signal, motor->mode == OFF && !ls_bb_is_cbc() ? 1.0 : 0.0);
}

static void set_mode(Motor* motor, Mode mode) {
  motor->mode = mode;
  motor->is_done = false;
  motor->target = motor->last_count = count_of(motor);
  if (mode == OFF || mode == PWM || mode == BRAKE) {
    motor->is_done = ls_bb_era != ERA_W;
    if (ls_bb_era != ERA_W) motor->integral = motor->last_error = 0.0;
  }
}

static void set_pwm(Motor* motor, double percent) {
  set_mode(motor, percent == 0.0 ? OFF : PWM);
  motor->duty = percent / 100.0;
  motor->pwm = (int)percent;
}

int move_at_velocity(int port, int velocity) {
  ls_bb_enter(COST_COMMAND, 3);
  if (!is_motor(port)) return ls_bb_is_cbc() ? -1 : 0;
  if (ls_bb_era == ERA_W) velocity = velocity > 1500 ? 1500 : velocity < -1500 ? -1500 : velocity;
  set_mode(&motors[port], VELOCITY);
  motors[port].velocity = velocity;
  return 0;
}

int mav(int port, int velocity) {
  return move_at_velocity(port, velocity);
}

static int start_move(int port, int speed, int goal) {
  Motor* motor = &motors[port];
  set_mode(motor, POSITION);
  motor->goal = goal;
  speed = speed < 0 ? -speed : speed;
  if (ls_bb_era == ERA_W && speed > 1500) speed = 1500;
  motor->velocity = goal < count_of(motor) ? -speed : speed;
  return 0;
}

int move_to_position(int port, int speed, int goal) {
  ls_bb_enter(COST_COMMAND, 5);
  if (!is_motor(port)) return ls_bb_is_cbc() ? -1 : 0;
  return start_move(port, speed, goal);
}

int mtp(int port, int speed, int goal) {
  return move_to_position(port, speed, goal);
}

int move_relative_position(int port, int speed, int way) {
  ls_bb_enter(COST_COMMAND, 6);
  if (!is_motor(port)) return -1;
  return start_move(port, speed, count_of(&motors[port]) + way);
}

int mrp(int port, int speed, int way) {
  return move_relative_position(port, speed, way);
}

void motor(int port, int percent) {
  if (ls_bb_era == ERA_W) {
    move_at_velocity(port, 15 * (percent > 100 ? 100 : percent < -100 ? -100 : percent));
    return;
  }
  ls_bb_enter(COST_COMMAND, 1);
  if (!is_motor(port)) return;
  if (ls_bb_is_cbc() && abs(percent) > 100) {
    printf("Motor power must be -100..100\n");
    return;
  }
  int size = abs(percent) % 256;
  if (size > 100) size = 100;
  set_pwm(&motors[port], percent < 0 ? -size : size);
}

void baasbennaguui(int port, int percent) {
  motor(port, percent);
}

void motor_power(int port, int percent) {
  ls_bb_enter(COST_COMMAND, 9);
  if (!is_motor(port)) return;
  set_pwm(&motors[port], clamp(percent, 100.0));
}

void fd(int port) {
  motor(port, 100);
}

void bk(int port) {
  motor(port, -100);
}

void off(int port) {
  ls_bb_enter(COST_COMMAND, 6);
  if (is_motor(port)) set_pwm(&motors[port], 0.0);
}

void ao() {
  ls_bb_enter(COST_COMMAND, 24);
  ls_bb_motors_off();
}

void alloff() {
  ao();
}

int freeze(int port) {
  ls_bb_enter(COST_COMMAND, 7);
  if (!is_motor(port)) return ls_bb_is_cbc() ? -1 : 0;
  if (ls_bb_is_cbc()) return start_move(port, 500, count_of(&motors[port]));
  set_mode(&motors[port], BRAKE);
  return 0;
}

int get_motor_position_counter(int port) {
  ls_bb_enter(COST_READ, 1);
  if (!is_motor(port)) return ls_bb_era == ERA_L ? 65535 : 0;
  return count_of(&motors[port]);
}

int gmpc(int port) {
  return get_motor_position_counter(port);
}

int clear_motor_position_counter(int port) {
  ls_bb_enter(COST_COMMAND, 1);
  if (!is_motor(port)) return -1;
  Motor* m = &motors[port];
  if (ls_bb_era == ERA_C1) {
    set_pwm(m, 0.0);
    ls_bb_sleep_until(ls_bb_now() + 40 * LS_BB_MS, "clear_motor_position_counter");
    set_pwm(m, 0.0);
  }
  const int count = count_of(m);
  m->origin += count;
  m->target -= count;
  m->last_count -= count;
  if (ls_bb_era == ERA_C2) m->integral = 0.0;
  return 0;
}

void cmpc(int port) {
  clear_motor_position_counter(port);
}

int get_motor_done(int port) {
  const Nanoseconds pause = ls_bb_era == ERA_L ? 50 * LS_BB_MS : ls_bb_era == ERA_W ? 2 * LS_BB_MS : 0;
  if (pause > 0) ls_bb_sleep_until(ls_bb_now() + pause, "get_motor_done");
  ls_bb_enter(COST_READ, 1);
  if (!is_motor(port)) return -1;
  return motors[port].is_done;
}

void block_motor_done(int port) {
  static char what[kMotors][40];
  if (!is_motor(port)) {
    ls_bb_enter(COST_OTHER, 1);
    return;
  }
  snprintf(what[port], sizeof what[port], "the end of the move of motor %d", port);
  const Nanoseconds pause = ls_bb_is_cbc() ? 10 * LS_BB_MS : ls_bb_era == ERA_W ? 2 * LS_BB_MS : 0;
  if (ls_bb_is_cbc()) ls_bb_sleep_until(ls_bb_now() + pause, what[port]);
  while (get_motor_done(port) != 1) {
    if (pause > 0) ls_bb_sleep_until(ls_bb_now() + pause, what[port]);
  }
}

void bmd(int port) {
  block_motor_done(port);
}

int setpwm(int port, int pwm) {
  ls_bb_enter(COST_COMMAND, 2);
  if (!is_motor(port)) return -1;
  Motor* m = &motors[port];
  if (ls_bb_is_cbc()) {
    const int limit = ls_bb_era == ERA_C1 ? 255 : 100;
    if (abs(pwm) > limit) return -1;
    set_pwm(m, 100.0 * pwm / limit);
    m->pwm = pwm;
    return 0;
  }
  const double direction = m->duty < 0.0 ? -1.0 : 1.0;
  set_pwm(m, direction * (pwm < 0 ? 0 : pwm > 100 ? 100 : pwm));
  return -1;
}

int getpwm(int port) {
  ls_bb_enter(COST_READ, 1);
  return ls_bb_is_cbc() && is_motor(port) ? motors[port].pwm : -1;
}

void set_pid_gains(int port, short p, short i, short d, short pd, short id, short dd) {
  ls_bb_enter(COST_COMMAND, 6);
  if (!is_motor(port)) return;
  const int gains[6] = {p, i, d, pd, id, dd};
  memcpy(motors[port].gains, gains, sizeof gains);
}

void ls_bb_get_pid_gains_int(int port, int* p, int* i, int* d, int* pd, int* id, int* dd) {
  ls_bb_enter(COST_READ, 1);
  if (!is_motor(port)) return;
  const int* gains = motors[port].gains;
  *p = gains[0], *i = gains[1], *d = gains[2], *pd = gains[3], *id = gains[4], *dd = gains[5];
}

void get_pid_gains(int port, short* p, short* i, short* d, short* pd, short* id, short* dd) {
  ls_bb_enter(COST_READ, 1);
  if (!is_motor(port)) return;
  const int* gains = motors[port].gains;
  *p = (short)gains[0], *i = (short)gains[1], *d = (short)gains[2];
  *pd = (short)gains[3], *id = (short)gains[4], *dd = (short)gains[5];
}

void ls_bb_motors_off(void) {
  for (int i = 0; i < kMotors; ++i) set_pwm(&motors[i], 0.0);
}

void ls_bb_motors_start(void) {
  static const int gains[5][6] = {{0},
                                  {30, 0, -30, 70, 1, 51},
                                  {3, 3, -2, 1, 2, 3},
                                  {40, 40, 5, 100, 100, 100},
                                  {2000, 200, 1, 1000, 1000, 1000}};
  char name[32];
  for (int i = 0; i < kMotors; ++i) {
    Motor* m = &motors[i];
    snprintf(name, sizeof name, "motor%d", i);
    m->duty_signal = ls_bb_find_write(name, "duty");
    m->coast_signal = ls_bb_find_write(name, "coast");
    snprintf(name, sizeof name, "encoder%d", i);
    m->count_signal = ls_bb_find_read(name, "count");
    m->rate_signal = ls_bb_find_read(name, "rate");
    m->origin = (int)ls_bb_read(m->count_signal);
    m->is_done = ls_bb_era != ERA_W;
    memcpy(m->gains, gains[ls_bb_era], sizeof m->gains);
  }
}

void ls_bb_motors_exchange(Nanoseconds now) {
  for (int i = 0; i < kMotors; ++i) drive_motor(&motors[i], now);
}
