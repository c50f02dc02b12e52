/* Servos: positions, limits and pulses of each era. */
#include <math.h>
#include <stdio.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

enum { kServos = 4 };
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
  ls_bb_enter(COST_READ, 1);
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
  ls_bb_enter(COST_READ, 1);
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

void ls_bb_servos_off(void) {
  enable_all(false);
}

void enable_servos() {
  ls_bb_enter(COST_COMMAND, 8);
  enable_all(true);
}

void disable_servos() {
  ls_bb_enter(COST_COMMAND, 8);
  enable_all(false);
}

void ls_bb_servos_start(void) {
  char name[32];
  for (int i = 0; i < kServos; ++i) {
    snprintf(name, sizeof name, "servo%d", i);
    servos[i] = (Servo){ls_bb_find_write(name, "target"), ls_bb_find_write(name, "enabled"),
                        ls_bb_era == ERA_C1   ? 0
                        : ls_bb_era == ERA_C2 ? -1
                                              : 1024,
                        false};
  }
}

void ls_bb_servos_exchange(Nanoseconds now) {
  for (int i = 0; i < kServos; ++i) drive_servo(&servos[i], now);
}
