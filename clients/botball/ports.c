/* Analog and digital ports. */
#include <stdio.h>
#include <stdlib.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

enum { kAnalogs = 8, kDigitals = 10 };

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
  ls_bb_enter(COST_OTHER, 1);
  switch_pull_up(port, is_on != 0);
}

int get_analog_pullup(int port) {
  ls_bb_enter(COST_OTHER, 1);
  return ls_bb_era == ERA_L && port >= 0 && port < kAnalogs && analogs[port].has_pull_up;
}

static int analog_floats = 3;

void set_analog_floats(int mask) {
  ls_bb_enter(COST_COMMAND, 1);
  analog_floats = mask & 255;
  for (int i = 0; i < kAnalogs; ++i) analogs[i].has_pull_up = !(analog_floats >> i & 1);
}

int get_analog_floats() {
  ls_bb_enter(COST_READ, 1);
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

int digital(int port) {
  ls_bb_enter(COST_READ, 1);
  const int plug = plug_of_digital(port);
  if (plug >= 0) {
    if (ls_bb_era == ERA_C1) is_output[plug] = false;
    return read_digital(plug);
  }
  if (ls_bb_era == ERA_W && port == 13) return ls_bb_is_pressed("right");
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
  ls_bb_enter(COST_READ, 1);
  const int plug = plug_of_digital(port);
  return plug >= 0 && is_output[plug];
}

void set_digital_port_direction(int mask) {
  ls_bb_enter(COST_COMMAND, 1);
  for (int i = 0; i < 8; ++i) is_output[i] = mask >> i & 1;
}

int get_digital_port_direction() {
  ls_bb_enter(COST_READ, 1);
  int mask = 0;
  for (int i = 0; i < 8; ++i) mask |= is_output[i] << i;
  return mask;
}

int get_digital_pullup(int port) {
  (void)port;
  ls_bb_enter(COST_OTHER, 1);
  return ls_bb_era == ERA_L;
}

void set_digital_pullup(int port, int is_on) {
  (void)port, (void)is_on;
  ls_bb_enter(COST_OTHER, 1);
}

void ls_bb_ports_start(void) {
  char name[32];
  for (int i = 0; i < kAnalogs; ++i) {
    snprintf(name, sizeof name, "analog%d", i);
    analogs[i] = (Analog){ls_bb_find_read(name, NULL), 0, !ls_bb_is_cbc() || i >= 2};
    sample_analog(&analogs[i], 0, true);
  }
  for (int i = 0; i < kDigitals; ++i) {
    snprintf(name, sizeof name, "digital%d", i);
    digitals[i] = ls_bb_find_read(name, NULL);
  }
}

void ls_bb_ports_sample(Nanoseconds now) {
  for (int i = 0; i < kAnalogs; ++i) sample_analog(&analogs[i], now, false);
}
