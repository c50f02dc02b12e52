/* The controller board: motors, servos, ports, buttons, console and clock of each era. Constants and rules are those of
 * the controllers' firmware and libraries.
 *
 * Devices of the robot are found by their names: motor0 to motor3 (a <dc_motor> with an <encoder> named encoder0 …),
 * servo0 to servo3, analog0 to analog7, digital0 to digital9, accelerometer, gyro and panel. The number is that of the
 * plug, counted from 0; programs of some eras count from another number (plug_of_…). */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

enum { kMotors = 4, kServos = 4, kAnalogs = 8, kDigitals = 10 };

/* Calls and their cost. */

Nanoseconds ls_bb_cost(int kind) {
  static const int microseconds[5][3] = {
      {1000, 500, 150},  /* COST_READ */
      {1000, 1000, 150}, /* COST_COMMAND; per access on W */
      {20, 5, 2},        /* COST_TIME */
      {200, 100, 50},    /* COST_PRINT; per line */
      {50, 20, 10},      /* COST_OTHER */
  };
  return microseconds[kind][ls_bb_is_cbc() ? 0 : ls_bb_era - 2] * LS_BB_US;
}

void ls_bb_enter(int kind, int accesses) {
  const bool counts = ls_bb_era == ERA_W && (kind == COST_COMMAND || kind == COST_READ);
  ls_bb_charge(ls_bb_cost(kind) * (counts ? accesses : 1));
}

static void read_call(void) {
  ls_bb_enter(COST_READ, 1);
}

static void other_call(void) {
  ls_bb_enter(COST_OTHER, 1);
}

/* Motors. */

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
  for (int i = 0; i < kMotors; ++i) set_pwm(&motors[i], 0.0);
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
  read_call();
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
  read_call();
  if (!is_motor(port)) return -1;
  return motors[port].is_done;
}

void block_motor_done(int port) {
  static char what[kMotors][40];
  if (!is_motor(port)) {
    other_call();
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
  read_call();
  return ls_bb_is_cbc() && is_motor(port) ? motors[port].pwm : -1;
}

void set_pid_gains(int port, short p, short i, short d, short pd, short id, short dd) {
  ls_bb_enter(COST_COMMAND, 6);
  if (!is_motor(port)) return;
  const int gains[6] = {p, i, d, pd, id, dd};
  memcpy(motors[port].gains, gains, sizeof gains);
}

void ls_bb_get_pid_gains_int(int port, int* p, int* i, int* d, int* pd, int* id, int* dd) {
  read_call();
  if (!is_motor(port)) return;
  const int* gains = motors[port].gains;
  *p = gains[0], *i = gains[1], *d = gains[2], *pd = gains[3], *id = gains[4], *dd = gains[5];
}

void get_pid_gains(int port, short* p, short* i, short* d, short* pd, short* id, short* dd) {
  read_call();
  if (!is_motor(port)) return;
  const int* gains = motors[port].gains;
  *p = (short)gains[0], *i = (short)gains[1], *d = (short)gains[2];
  *pd = (short)gains[3], *id = (short)gains[4], *dd = (short)gains[5];
}

/* Servos. */

typedef struct {
  int target_signal, enabled_signal;
  int position; /* as stored by the era: 0 to 2047; C2: -1 if off */
  bool is_enabled;
} Servo;

static Servo servos[kServos];
static const Nanoseconds kPulse = 20 * LS_BB_MS;

static Servo* servo_of(int port) {
  const int plug = ls_bb_era == ERA_C1 ? port - 1 : port;
  if (plug >= 0 && plug < kServos) return &servos[plug];
  ls_bb_say_once("servo port %d does not exist", port);
  return NULL;
}

/* 10 us of the pulse turn a servo by one degree; 1500 us is its middle. */
static double angle_of(int position) {
  const double pulse = ls_bb_is_cbc()       ? 640.0 + 0.933 * position
                       : ls_bb_era == ERA_L ? 500.0 + 2000.0 * position / 2047.0
                                            : round(600.0 + 1800.0 * position / 2047.0);
  return (pulse - 1500.0) / 10.0 * M_PI / 180.0;
}

static void drive_servo(Servo* servo, Nanoseconds now) {
  if (now % kPulse != 0) return;
  ls_bb_write(servo->enabled_signal, servo->is_enabled ? 1.0 : 0.0);
  if (servo->is_enabled) ls_bb_write(servo->target_signal, angle_of(servo->position));
}

static void enable(Servo* servo, bool is_enabled) {
  if (ls_bb_era == ERA_C2) {
    if (is_enabled && !servo->is_enabled) servo->position = 1024;
    if (!is_enabled) servo->position = -1;
  }
  servo->is_enabled = is_enabled;
}

int set_servo_position(int port, int position) {
  ls_bb_enter(COST_COMMAND, 1);
  Servo* servo = servo_of(port);
  if (ls_bb_is_cbc()) {
    const bool is_valid =
        ls_bb_era == ERA_C2 ? position >= -1 && position <= 2048 : position >= 0 && position <= 2047;
    if (!servo || !is_valid) {
      printf("Servo %d or position %d is out of range\n", port, position);
      return -1;
    }
    servo->position = position;
    if (ls_bb_era == ERA_C2) servo->is_enabled = position >= 0;
    return 0;
  }
  if (!servo) return 0;
  servo->position = ls_bb_era == ERA_L ? position & 2047 : position < 0 || position > 2047 ? 2047 : position;
  return 0;
}

int get_servo_position(int port) {
  read_call();
  const Servo* servo = servo_of(port);
  if (!servo) return ls_bb_era == ERA_L ? 65535 : ls_bb_is_cbc() ? -1 : 0;
  if (ls_bb_era == ERA_L) {
    const int pulse = 6500 + servo->position * 26000 / 2047;
    return 1 + 2047 * (pulse - 6500) / 26000;
  }
  return servo->position;
}

void set_servo_enabled(int port, int is_enabled) {
  ls_bb_enter(COST_COMMAND, 2);
  Servo* servo = servo_of(port);
  if (servo) enable(servo, is_enabled != 0);
}

int get_servo_enabled(int port) {
  read_call();
  const Servo* servo = servo_of(port);
  return servo && servo->is_enabled;
}

void enable_servo(int port) {
  set_servo_enabled(port, 1);
}

void disable_servo(int port) {
  set_servo_enabled(port, 0);
}

static void enable_all(bool is_enabled) {
  for (int i = 0; i < kServos; ++i) enable(&servos[i], is_enabled);
}

void enable_servos() {
  ls_bb_enter(COST_COMMAND, 8);
  enable_all(true);
}

void disable_servos() {
  ls_bb_enter(COST_COMMAND, 8);
  enable_all(false);
}

/* Analog ports. A sensor's level is a fraction of the full scale. */

typedef struct {
  int signal;
  int filtered; /* W: 12 bit, C: 10 bit as last sampled */
  bool has_pull_up;
} Analog;

static Analog analogs[kAnalogs];

static int convert(const Analog* analog, int full_scale) {
  if (analog->signal < 0) return analog->has_pull_up ? full_scale : 0;
  const double level = ls_bb_read(analog->signal);
  return level <= 0.0 ? 0 : level >= 1.0 ? full_scale : (int)(level * full_scale);
}

static void sample_analog(Analog* analog, Nanoseconds now, bool is_first) {
  if (ls_bb_era == ERA_W) {
    const int level = convert(analog, 4095);
    analog->filtered = is_first ? level : (int)(0.9 * analog->filtered + 0.1 * level);
    if (abs(level - analog->filtered) <= 9)
      analog->filtered = level; /* it reads up to 9 low there; ideal here */
  } else if (ls_bb_is_cbc() && (is_first || now % (10 * LS_BB_MS) == 0)) {
    analog->filtered = convert(analog, 1023);
  }
}

/* 10 bit on C and L, 12 bit on W; -1 for a port that does not exist. */
static int read_analog(int port) {
  const int plug = ls_bb_era == ERA_C1 ? port - 8 : port;
  if (plug < 0 || plug >= (ls_bb_era == ERA_W ? 6 : kAnalogs)) {
    ls_bb_say_once("analog port %d does not exist", port);
    return -1;
  }
  return ls_bb_era == ERA_L ? convert(&analogs[plug], 1023) : analogs[plug].filtered;
}

static int bad_analog(void) {
  if (ls_bb_is_cbc()) {
    printf("Analog port out of range\n");
    return -1;
  }
  return ls_bb_era == ERA_L ? 65535 : 0;
}

static void switch_pull_up(int port, bool is_on) {
  if (ls_bb_era == ERA_L && port >= 0 && port < kAnalogs) analogs[port].has_pull_up = is_on;
}

int analog(int port) {
  ls_bb_enter(COST_READ, 1);
  switch_pull_up(port, true);
  const int value = read_analog(port);
  if (value < 0) return bad_analog();
  return ls_bb_is_cbc() ? value >> 2 : value;
}

int analog10(int port) {
  ls_bb_enter(COST_READ, 1);
  switch_pull_up(port, true);
  const int value = read_analog(port);
  if (value < 0) return bad_analog();
  return ls_bb_era == ERA_W ? value >> 2 : value;
}

int analog8(int port) {
  ls_bb_enter(COST_READ, 1);
  const int value = read_analog(port);
  if (value < 0) return bad_analog();
  return ls_bb_era == ERA_W ? value >> 4 : value >> 2;
}

int analog12(int port) {
  ls_bb_enter(COST_READ, 1);
  const int value = read_analog(port);
  if (value < 0) return bad_analog();
  return ls_bb_era == ERA_W ? value : value << 2;
}

int analog_et(int port) {
  ls_bb_enter(COST_READ, 1);
  switch_pull_up(port, false);
  const int value = read_analog(port);
  return value < 0 ? bad_analog() : value;
}

void set_analog_pullup(int port, int is_on) {
  other_call();
  switch_pull_up(port, is_on != 0);
}

int get_analog_pullup(int port) {
  other_call();
  return ls_bb_era == ERA_L && port >= 0 && port < kAnalogs && analogs[port].has_pull_up;
}

static int analog_floats = 3;

void set_analog_floats(int mask) {
  ls_bb_enter(COST_COMMAND, 1);
  analog_floats = mask & 255;
  for (int i = 0; i < kAnalogs; ++i) analogs[i].has_pull_up = !(analog_floats >> i & 1);
}

int get_analog_floats() {
  read_call();
  return analog_floats;
}

void set_each_analog_state(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7) {
  const int states[] = {a0, a1, a2, a3, a4, a5, a6, a7};
  int mask = 0;
  for (int i = 0; i < 8; ++i) mask |= (states[i] != 0) << i;
  set_analog_floats(mask);
}

int sonar(int port) {
  const int value = analog10(port);
  return value < 0 ? -1 : (int)(8.79 * value);
}

int sonar_inches(int port) {
  const int value = analog10(port);
  return value < 0 ? -1 : (int)(0.346 * value);
}

/* Digital ports. */

static int digitals[kDigitals]; /* signals */
static bool is_output[kDigitals], output_level[kDigitals];

static int plug_of_digital(int port) {
  const int plug = ls_bb_era == ERA_C2 || ls_bb_era == ERA_L ? port - 8 : port;
  const int count = ls_bb_era == ERA_W ? kDigitals : 8;
  return plug >= 0 && plug < count ? plug : -1;
}

static int read_digital(int plug) {
  if (is_output[plug]) return !output_level[plug];
  return ls_bb_read(digitals[plug]) >= 0.5;
}

static bool is_pressed(const char* button);

int digital(int port) {
  read_call();
  const int plug = plug_of_digital(port);
  if (plug >= 0) {
    if (ls_bb_era == ERA_C1) is_output[plug] = false;
    return read_digital(plug);
  }
  if (ls_bb_era == ERA_W && port == 13) return is_pressed("right");
  ls_bb_say_once("digital port %d does not exist", port);
  if (ls_bb_is_cbc()) printf("Digital port out of range\n");
  return ls_bb_is_cbc() ? -1 : ls_bb_era == ERA_L ? 1 : 0;
}

int get_digital_value(int port) {
  const int value = digital(port);
  return ls_bb_era == ERA_L ? !value : value;
}

void set_digital_value(int port, int value) {
  ls_bb_enter(COST_COMMAND, 1);
  const int plug = plug_of_digital(port);
  if (plug >= 0) output_level[plug] = value != 0;
}

void set_digital_output_value(int port, int value) {
  set_digital_value(port, value);
  if (ls_bb_era == ERA_C1 && plug_of_digital(port) >= 0) is_output[plug_of_digital(port)] = true;
}

void set_digital_output(int port, int out) {
  ls_bb_enter(COST_COMMAND, 1);
  const int plug = plug_of_digital(port);
  if (plug >= 0) is_output[plug] = out != 0;
}

int get_digital_output(int port) {
  read_call();
  const int plug = plug_of_digital(port);
  return plug >= 0 && is_output[plug];
}

void set_digital_port_direction(int mask) {
  ls_bb_enter(COST_COMMAND, 1);
  for (int i = 0; i < 8; ++i) is_output[i] = mask >> i & 1;
}

int get_digital_port_direction() {
  read_call();
  int mask = 0;
  for (int i = 0; i < 8; ++i) mask |= is_output[i] << i;
  return mask;
}

int get_digital_pullup(int port) {
  (void)port;
  other_call();
  return ls_bb_era == ERA_L;
}

void set_digital_pullup(int port, int is_on) {
  (void)port, (void)is_on;
  other_call();
}

/* Acceleration and rotation, in the axes of the board; battery. */

static int acceleration_signals[3], rotation_signals[3];
static double acceleration_offsets[3], rotation_offsets[3];
static const char* const kAxes[] = {"x", "y", "z"};

static double raw_acceleration(int axis) {
  static const double per_g[] = {0, 1365, 64, 256, -512};
  return ls_bb_read(acceleration_signals[axis]) / 9.80665 * per_g[ls_bb_era];
}

static double raw_rotation(int axis) {
  return ls_bb_read(rotation_signals[axis]) * 180.0 / M_PI * 1.02;
}

static int acceleration(int axis) {
  read_call();
  if (acceleration_signals[axis] < 0) ls_bb_say_once("the robot has no accelerometer named 'accelerometer'");
  return (int)lround(raw_acceleration(axis) - acceleration_offsets[axis]);
}

static short rotation(int axis) {
  read_call();
  if (rotation_signals[axis] < 0) ls_bb_say_once("the robot has no gyro named 'gyro'");
  return (short)lround(raw_rotation(axis) - rotation_offsets[axis]);
}

int ls_bb_accel_x_int() {
  return acceleration(0);
}
int ls_bb_accel_y_int() {
  return acceleration(1);
}
int ls_bb_accel_z_int() {
  return acceleration(2);
}
signed short accel_x() {
  return (short)acceleration(0);
}
signed short accel_y() {
  return (short)acceleration(1);
}
signed short accel_z() {
  return (short)acceleration(2);
}
signed short gyro_x() {
  return rotation(0);
}
signed short gyro_y() {
  return rotation(1);
}
signed short gyro_z() {
  return rotation(2);
}

static int calibrate(double (*read)(int), double* offsets) {
  double sums[3] = {0, 0, 0};
  for (int i = 0; i < 50; ++i) {
    ls_bb_sleep_until(ls_bb_now() + 10 * LS_BB_MS, "calibration");
    for (int axis = 0; axis < 3; ++axis) sums[axis] += read(axis);
  }
  for (int axis = 0; axis < 3; ++axis) offsets[axis] = sums[axis] / 50.0;
  return 0;
}

int accel_calibrate() {
  return calibrate(raw_acceleration, acceleration_offsets);
}
int gyro_calibrate() {
  return calibrate(raw_rotation, rotation_offsets);
}

static short magnetic(void) {
  read_call();
  ls_bb_say_once("the magnetometer reads 0 here");
  return 0;
}
signed short magneto_x() {
  return magnetic();
}
signed short magneto_y() {
  return magnetic();
}
signed short magneto_z() {
  return magnetic();
}
void calibrate_compass() {
  ls_bb_sleep_until(ls_bb_now() + 22 * LS_BB_S, "calibrate_compass");
}
void set_compass_params(float x, float y, float z, float a, float b, float c, float d) {
  (void)x, (void)y, (void)z, (void)a, (void)b, (void)c, (void)d;
  other_call();
}
float get_compass_angle() {
  magnetic();
  return 0.0f;
}

float power_level() {
  read_call();
  return ls_bb_is_cbc() ? 7.8f : ls_bb_era == ERA_L ? 800.0f : 0.9f;
}
float power_level_nimh() {
  return power_level();
}
float power_level_lipo() {
  return power_level();
}
float power_level_life() {
  return power_level();
}
int battery_charging() {
  read_call();
  return 0;
}

/* Buttons and the start light: signals of the panel, or presses given with the run. */

typedef struct {
  char button[8];
  Nanoseconds begin, end;
} Press;

static Press presses[64];
static int press_count;
static Nanoseconds start_time = LS_BB_NEVER;
static int start_signal = -1;
static bool are_extra_shown;
static const char* const kButtons[] = {"a", "b", "c", "x", "y", "z", "side", "left", "right", "up", "down"};
enum { kButtonCount = sizeof kButtons / sizeof *kButtons };
static int button_signals[kButtonCount];

/* "a@2,b@3.5+0.4": button, second, and how long (0.2 s). */
static void read_presses(const char* text) {
  while (text && *text && press_count < (int)(sizeof presses / sizeof *presses)) {
    Press* press = &presses[press_count];
    double at = 0.0, length = 0.2;
    if (sscanf(text, "%7[a-z]@%lf+%lf", press->button, &at, &length) < 2) return;
    press->begin = (Nanoseconds)(at * 1e9);
    press->end = press->begin + (Nanoseconds)(length * 1e9);
    ++press_count;
    text = strchr(text, ',');
    if (text) ++text;
  }
}

static bool is_pressed(const char* button) {
  if (strlen(button) == 1 && *button >= 'x' && !are_extra_shown) return false;
  for (int i = 0; i < kButtonCount; ++i) {
    if (strcmp(kButtons[i], button) == 0 && ls_bb_read(button_signals[i]) >= 0.5) return true;
  }
  for (int i = 0; i < press_count; ++i) {
    if (strcmp(presses[i].button, button) == 0 && ls_bb_now() >= presses[i].begin &&
        ls_bb_now() < presses[i].end) {
      return true;
    }
  }
  return false;
}

static bool is_side(void) {
  return is_pressed("side") || (ls_bb_era == ERA_W && is_pressed("right"));
}

static int press_of(const char* button) {
  read_call();
  return is_pressed(button);
}

static void wait_for_press(const char* button, bool pressed) {
  static char what[kButtonCount + 2][40];
  int slot = kButtonCount;
  for (int i = 0; i < kButtonCount; ++i) {
    if (strcmp(kButtons[i], button) == 0) slot = i;
  }
  snprintf(what[slot], sizeof what[slot], "button %s to be %s", button, pressed ? "pressed" : "released");
  for (;;) {
    read_call();
    const bool is = strcmp(button, "any") == 0    ? any_button()
                    : strcmp(button, "side") == 0 ? is_side()
                                                  : is_pressed(button);
    if (is == pressed) return;
    ls_bb_sleep_until(ls_bb_now() + 10 * LS_BB_MS, what[slot]);
  }
}

static int clicked(const char* button) {
  if (!press_of(button)) return 0;
  wait_for_press(button, false);
  return 1;
}

#define BUTTON(name)        \
  int name##_button() {     \
    return press_of(#name); \
  }
#define TEXT_BUTTON(name)                           \
  BUTTON(name)                                      \
  int name##_button_clicked() {                     \
    return clicked(#name);                          \
  }                                                 \
  void wait_for_##name##_button() {                 \
    wait_for_press(#name, true);                    \
  }                                                 \
  void wait_for_##name##_button_clicked() {         \
    wait_for_press(#name, true);                    \
    wait_for_press(#name, false);                   \
  }                                                 \
  void set_##name##_button_text(const char* text) { \
    (void)text;                                     \
    other_call();                                   \
  }
TEXT_BUTTON(a)
TEXT_BUTTON(b)
TEXT_BUTTON(c)
TEXT_BUTTON(x)
TEXT_BUTTON(y)
TEXT_BUTTON(z)
BUTTON(left)
BUTTON(right)
BUTTON(up)
BUTTON(down)

int side_button() {
  read_call();
  return is_side();
}
int black_button() {
  return side_button();
}
int push_button() {
  return side_button();
}
int side_button_clicked() {
  if (!side_button()) return 0;
  if (ls_bb_era != ERA_W) wait_for_press("side", false);
  return 1;
}
void wait_for_side_button() {
  wait_for_press("side", true);
}
void wait_for_side_button_clicked() {
  wait_for_press("side", true);
  wait_for_press("side", false);
}
int any_button() {
  ls_bb_enter(COST_READ, 8);
  static const char* const names[] = {"a", "b", "c", "x", "y", "z", "side", "left", "right"};
  for (int i = 0; i < (ls_bb_era == ERA_W ? 9 : 7); ++i) {
    if (is_pressed(names[i])) return 1;
  }
  return 0;
}
void wait_for_any_button() {
  wait_for_press("any", true);
}
void extra_buttons_show() {
  other_call();
  are_extra_shown = true;
}
void extra_buttons_hide() {
  other_call();
  are_extra_shown = false;
}
int get_extra_buttons_visible() {
  other_call();
  return are_extra_shown;
}
void set_extra_buttons_visible(int visible) {
  other_call();
  are_extra_shown = visible != 0;
}
void wait_for_touch(int port) {
  while (digital(port) != 1) ls_bb_sleep_until(ls_bb_now() + 10 * LS_BB_MS, "a touch sensor");
}

/* Time. */

void msleep(long milliseconds) {
  const Nanoseconds start = ls_bb_now();
  other_call();
  if (milliseconds > 0) ls_bb_sleep_until(start + milliseconds * LS_BB_MS, "msleep");
}
void iitxash(long milliseconds) {
  msleep(milliseconds);
}
void wait_for_milliseconds(long milliseconds) {
  msleep(milliseconds);
}
void fsleep(float seconds) {
  const Nanoseconds start = ls_bb_now();
  other_call();
  if (seconds > 0.0f) ls_bb_sleep_until(start + (Nanoseconds)llround(1e9 * (double)seconds), "sleep");
}
unsigned long systime() {
  ls_bb_enter(COST_TIME, 1);
  return (unsigned long)(1000000 + ls_bb_now() / LS_BB_MS);
}
double seconds() {
  return (double)systime() / 1000.0;
}
float ls_bb_seconds_float() {
  static Nanoseconds first = -1;
  ls_bb_enter(COST_TIME, 1);
  if (first < 0) first = ls_bb_now();
  return (float)((double)(ls_bb_now() - first) / 1e9);
}
int mseconds() {
  ls_bb_enter(COST_TIME, 1);
  return (int)(ls_bb_now() / LS_BB_MS);
}

/* The game. */

static bool is_started(void) {
  return ls_bb_now() >= start_time || ls_bb_read(start_signal) >= 0.5;
}

void wait_for_light(int port) {
  (void)port;
  printf("Waiting for the start light\n");
  while (!is_started()) {
    ls_bb_sleep_until(ls_bb_now() + (ls_bb_era == ERA_C2 ? 25 : 20) * LS_BB_MS, "the start light");
  }
}

int Bb_Game_Over;
static bool has_shut_down;

static void stop_everything(void) {
  for (int i = 0; i < kMotors; ++i) set_pwm(&motors[i], 0.0);
  enable_all(false);
  ls_bb_create_stop();
}

static void shut_down_cbc(void* unused);
static Nanoseconds shut_down_time;

static void shut_down(void) {
  if (ls_bb_era == ERA_W) stop_everything();
  ls_bb_create_stop();
  ls_bb_mark_end("shut_down_in");
}

static void start_shut_down(double delay) {
  other_call();
  if (has_shut_down && ls_bb_era == ERA_W) {
    ls_bb_say("shut_down_in was called before; this call does nothing");
    return;
  }
  has_shut_down = true;
  if (!(delay >= 0.0)) delay = 0.0;
  if (delay > 1e6) delay = 1e6;
  shut_down_time = ls_bb_now() - ls_bb_cost(COST_OTHER) + (Nanoseconds)llround(delay * 1e9);
  if (ls_bb_is_cbc()) {
    printf("shut_down_in %f\n", delay);
    ls_bb_create_thread(shut_down_cbc, NULL, "shut_down_in");
  } else {
    ls_bb_add_timer(shut_down_time, shut_down);
  }
}

void shut_down_in(double delay) {
  start_shut_down(delay);
}
void ls_bb_shut_down_in_float(float delay) {
  start_shut_down((double)delay);
}

/* Threads. */

typedef struct {
  thread_function function;
  Thread* thread; /* the last one that was started */
  bool is_destroyed;
} Handle;

static void run_handle(void* function) {
  ((thread_function)function)();
}

thread thread_create(thread_function function) {
  other_call();
  Handle* handle = calloc(1, sizeof *handle);
  if (handle) handle->function = function;
  return (thread){handle};
}

void thread_start(thread id) {
  other_call();
  Handle* handle = id.data;
  if (!handle || handle->is_destroyed || !handle->function) return;
  handle->thread = ls_bb_create_thread(run_handle, (void*)handle->function, "thread");
  if (!handle->thread) ls_bb_say("no more threads can be started");
}

void thread_wait(thread id) {
  other_call();
  Handle* handle = id.data;
  if (!handle || handle->is_destroyed || !handle->thread) return;
  Thread* started = handle->thread;
  handle->thread = NULL;
  while (!ls_bb_is_thread_over(started)) ls_bb_wait(started, LS_BB_NEVER, "thread_wait");
}

/* The handle is never freed: programs use it again. */
void thread_destroy(thread id) {
  other_call();
  Handle* handle = id.data;
  if (!handle || handle->is_destroyed) return;
  handle->is_destroyed = true;
  if (handle->thread && handle->thread != ls_bb_running()) ls_bb_kill_thread(handle->thread);
}

typedef struct {
  Thread* owner;
} Lock;

mutex mutex_create() {
  other_call();
  return (mutex){calloc(1, sizeof(Lock))};
}
int mutex_trylock(mutex m) {
  other_call();
  Lock* lock = m.data;
  if (!lock || lock->owner) return 0;
  lock->owner = ls_bb_running();
  return 1;
}
void mutex_lock(mutex m) {
  if (!m.data) {
    other_call();
    return;
  }
  while (!mutex_trylock(m)) {
    const Lock* lock = m.data;
    if (lock->owner == ls_bb_running()) ls_bb_say("deadlock: a thread locks its own mutex again");
    ls_bb_wait(m.data, LS_BB_NEVER, "mutex_lock");
  }
}
void mutex_unlock(mutex m) {
  other_call();
  if (!m.data) return;
  ((Lock*)m.data)->owner = NULL;
  ls_bb_wake_first(m.data);
}
void mutex_destroy(mutex m) {
  (void)m;
  other_call();
}

/* Processes of the CBC: a slot is freed only by kill_process(). */

static Thread* processes[16];

int start_process(void (*function)()) {
  other_call();
  for (int i = 0; i < 16; ++i) {
    if (processes[i]) continue;
    processes[i] = ls_bb_create_thread(run_handle, (void*)function, "process");
    return processes[i] ? i : -1;
  }
  ls_bb_say_once("start_process: all 16 processes are in use; only kill_process frees one");
  return -1;
}

void kill_process(int id) {
  other_call();
  if (id < 0 || id >= 16 || !processes[id]) return;
  Thread* process = processes[id];
  processes[id] = NULL;
  if (process == ls_bb_running()) ls_bb_exit_thread(NULL);
  ls_bb_kill_thread(process);
}

int is_process_running(int id) {
  other_call();
  return id >= 0 && id < 16 && processes[id] && !ls_bb_is_thread_over(processes[id]);
}

void run_for(float length, void (*function)()) {
  const Nanoseconds start = ls_bb_now();
  other_call();
  const Nanoseconds end = start + (Nanoseconds)llround(1e9 * (double)length);
  Thread* process = ls_bb_create_thread(run_handle, (void*)function, "run_for");
  if (!process) return;
  for (Nanoseconds second = start + LS_BB_S;; second += LS_BB_S) {
    ls_bb_sleep_until(second < end ? second : end, "run_for");
    if (ls_bb_is_thread_over(process)) return;
    if (ls_bb_now() >= end) {
      ls_bb_kill_thread(process);
      return;
    }
  }
}

static void shut_down_cbc(void* unused) {
  (void)unused;
  ls_bb_sleep_until(shut_down_time, "shut_down_in");
  ls_bb_create_stop();
  for (int i = 0; i < kMotors; ++i) set_pwm(&motors[i], 0.0);
  Bb_Game_Over = 1;
  printf("Game over\n");
  for (int i = 0; i < 16; ++i) {
    if (processes[i]) ls_bb_kill_thread(processes[i]);
  }
  enable_all(false);
  printf(".\n");
}

void _shut_down_task() {
  other_call();
}

/* Console and display: a map of characters, of which the changed row is printed. */

enum { kRows = 11, kColumns = 42 };
static char map[kRows][kColumns + 1];

static void print_row(int row) {
  char text[kColumns + 1];
  memcpy(text, map[row], sizeof text);
  int length = kColumns;
  while (length > 0 && text[length - 1] == ' ') --length;
  text[length] = '\0';
  printf("%s\n", text);
}

static void put_text(int column, int row, int columns, int rows, const char* text) {
  if (column < 0) column = 0;
  if (row < 0) row = 0;
  if (column >= columns) {
    column = 0;
    ++row;
  }
  if (row >= rows) row = rows - 1;
  for (; *text && *text != '\n' && column < columns; ++text, ++column) map[row][column] = *text;
  print_row(row);
}

static void clear_map(void) {
  for (int row = 0; row < kRows; ++row) memset(map[row], ' ', kColumns);
}

void display_clear() {
  other_call();
  clear_map();
  fputc('\f', stdout);
}
void console_clear() {
  display_clear();
}
void cbc_display_clear() {
  other_call();
  clear_map();
  if (ls_bb_era == ERA_C1) ls_bb_sleep_until(ls_bb_now() + 100 * LS_BB_MS, "cbc_display_clear");
  printf("\n\n\n\n\n\n\n\n\n");
}
void display_printf(int column, int row, const char* format, ...) {
  other_call();
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  put_text(column, row, kColumns, ls_bb_era == ERA_L ? 10 : 11, text);
}
void cbc_printf(int column, int row, char* format, ...) {
  other_call();
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  put_text(column, row, ls_bb_era == ERA_C1 ? 28 : 29, ls_bb_era == ERA_C1 ? 7 : 8, text);
}
void beep() {
  other_call();
  fputc('\a', stdout);
  if (ls_bb_era == ERA_C1) ls_bb_sleep_until(ls_bb_now() + 100 * LS_BB_MS, "beep");
}
void tone(int frequency, int milliseconds) {
  (void)frequency;
  other_call();
  if (ls_bb_era == ERA_C1 && milliseconds > 0) ls_bb_sleep_until(ls_bb_now() + milliseconds * LS_BB_MS, "tone");
}

/* General. */

void halt() {
  ls_bb_enter(COST_COMMAND, 1);
  if (ls_bb_era == ERA_L) stop_everything();
}
void freeze_halt() {
  ls_bb_enter(COST_COMMAND, 1);
  if (ls_bb_era != ERA_L) return;
  for (int i = 0; i < kMotors; ++i) set_pwm(&motors[i], 0.0);
  ls_bb_create_stop();
}

/* The exchange with the simulation. */

void ls_bb_board_start(void) {
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
    static const int gains[5][6] = {{0},
                                    {30, 0, -30, 70, 1, 51},
                                    {3, 3, -2, 1, 2, 3},
                                    {40, 40, 5, 100, 100, 100},
                                    {2000, 200, 1, 1000, 1000, 1000}};
    memcpy(m->gains, gains[ls_bb_era], sizeof m->gains);
  }
  for (int i = 0; i < kServos; ++i) {
    snprintf(name, sizeof name, "servo%d", i);
    servos[i] = (Servo){ls_bb_find_write(name, "target"), ls_bb_find_write(name, "enabled"),
                        ls_bb_era == ERA_C1   ? 0
                        : ls_bb_era == ERA_C2 ? -1
                                              : 1024,
                        false};
  }
  for (int i = 0; i < kAnalogs; ++i) {
    snprintf(name, sizeof name, "analog%d", i);
    analogs[i] = (Analog){ls_bb_find_read(name, NULL), 0, !ls_bb_is_cbc() || i >= 2};
    sample_analog(&analogs[i], 0, true);
  }
  for (int i = 0; i < kDigitals; ++i) {
    snprintf(name, sizeof name, "digital%d", i);
    digitals[i] = ls_bb_find_read(name, NULL);
  }
  for (int i = 0; i < 3; ++i) {
    acceleration_signals[i] = ls_bb_find_read("accelerometer", kAxes[i]);
    rotation_signals[i] = ls_bb_find_read("gyro", kAxes[i]);
  }
  for (int i = 0; i < kButtonCount; ++i) button_signals[i] = ls_bb_find_read("panel", kButtons[i]);
  start_signal = ls_bb_find_read("panel", "start");
  read_presses(getenv("LOCKSTEP_BOTBALL_PRESS"));
  const char* start = getenv("LOCKSTEP_BOTBALL_START");
  if (start) start_time = (Nanoseconds)(1e9 * atof(start));
  clear_map();
}

void ls_bb_board_measure(void) {}

void ls_bb_board_exchange(Nanoseconds now) {
  for (int i = 0; i < kAnalogs; ++i) sample_analog(&analogs[i], now, false);
  for (int i = 0; i < kMotors; ++i) drive_motor(&motors[i], now);
  for (int i = 0; i < kServos; ++i) drive_servo(&servos[i], now);
}

/* W turns everything off. C and L leave the motors as they are; on L the supervisor stops them at once, on C only the
 * Create stops. */
void ls_bb_board_stop(bool crashed) {
  (void)crashed;
  if (!ls_bb_is_cbc()) stop_everything();
  ls_bb_create_stop();
}
