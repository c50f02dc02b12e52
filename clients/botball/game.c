/* Time and the game: the clock, the start light, the end of the round. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

/* Time. */

void msleep(long milliseconds) {
  const Nanoseconds start = ls_bb_now();
  ls_bb_enter(COST_OTHER, 1);
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
  ls_bb_enter(COST_OTHER, 1);
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

static bool has_operator;

/* Without an operator: until the start light is on, whatever the port reads. */
static void wait_for_start(void) {
  printf("Waiting for the start light\n");
  while (!ls_bb_is_start_light_on()) {
    ls_bb_sleep_until(ls_bb_now() + (ls_bb_era == ERA_C2 ? 25 : 20) * LS_BB_MS, "the start light");
  }
}

static int read_light(int port) {
  return ls_bb_era == ERA_C1 ? analog(port) : ls_bb_era == ERA_C2 ? analog10(port) : analog(port);
}

/* Asks for a lamp that is on or off and a button, both of which the operator sees to; the reading then. */
static int calibrate_light(int port, bool is_on, const char* button) {
  printf("Turn the light %s and press %s\n", is_on ? "on" : "off", button);
  ls_bb_switch_lamp(is_on);
  ls_bb_press_later(button, 300 * LS_BB_MS);
  ls_bb_wait_for_press(button);
  const int value = read_light(port);
  printf("light %s: %d\n", is_on ? "on" : "off", value);
  return value;
}

/* Whether the program goes on, by the rule of the era. `off` is higher than `on`: bright reads low. */
static bool sees_start(int port, int on, int off) {
  const int value = read_light(port);
  if (ls_bb_era == ERA_C1) return value <= (on + off) / 2;
  if (ls_bb_era == ERA_C2) return value < (on + off) / 2;
  if (value - on >= 60) return false;
  ls_bb_sleep_until(ls_bb_now() + 100 * LS_BB_MS, "the start light");
  return read_light(port) - on < 60;
}

/* An operator switches the lamp and presses the buttons, as at a table. */
static void wait_with_operator(int port) {
  static const int differences[] = {0, 15, 120, 60, 60};
  if (ls_bb_era == ERA_C2) ls_bb_sleep_until(ls_bb_now() + LS_BB_S, "wait_for_light");
  for (;;) {
    const int on = calibrate_light(port, true, ls_bb_is_cbc() ? "left" : "b");
    const int off = calibrate_light(port, false, ls_bb_is_cbc() ? "right" : "b");
    if (off - on < differences[ls_bb_era]) {
      printf("Bad calibration: the readings differ by %d; %d are needed\n", off - on, differences[ls_bb_era]);
      ls_bb_sleep_until(ls_bb_now() + 5 * LS_BB_S, "a calibration of the light that differs");
      continue;
    }
    printf("Waiting for the start light\n");
    const Nanoseconds soon = ls_bb_now() + 2 * LS_BB_S, given = ls_bb_start_time();
    const Nanoseconds start = given != LS_BB_NEVER && given > soon ? given : soon;
    while (ls_bb_now() < start) ls_bb_sleep_until(start, "the start light");
    ls_bb_switch_lamp(true);
    while (!sees_start(port, on, off)) ls_bb_sleep_until(ls_bb_now() + 20 * LS_BB_MS, "the start light");
    return;
  }
}

void wait_for_light(int port) {
  if (has_operator && ls_bb_can_switch_lamp()) {
    wait_with_operator(port);
  } else {
    if (has_operator) ls_bb_say_once("no operator: the connection of the robot does not write panel/start");
    wait_for_start();
  }
}

void ls_bb_game_start(void) {
  has_operator = getenv("LOCKSTEP_BOTBALL_OPERATOR") != NULL;
}

int Bb_Game_Over;
static bool has_shut_down;

void ls_bb_stop_everything(void) {
  ls_bb_motors_off();
  ls_bb_servos_off();
  ls_bb_create_stop();
}

static void shut_down_cbc(void* unused);
static Nanoseconds shut_down_time;

static void shut_down(void) {
  if (ls_bb_era == ERA_W) ls_bb_stop_everything();
  ls_bb_create_stop();
  ls_bb_mark_end("shut_down_in");
}

static void start_shut_down(double delay) {
  ls_bb_enter(COST_OTHER, 1);
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

static void shut_down_cbc(void* unused) {
  (void)unused;
  ls_bb_sleep_until(shut_down_time, "shut_down_in");
  ls_bb_create_stop();
  ls_bb_motors_off();
  Bb_Game_Over = 1;
  printf("Game over\n");
  ls_bb_kill_processes();
  ls_bb_servos_off();
  printf(".\n");
}

void _shut_down_task() {
  ls_bb_enter(COST_OTHER, 1);
}

/* General. */

void halt() {
  ls_bb_enter(COST_COMMAND, 1);
  if (ls_bb_era == ERA_L) ls_bb_stop_everything();
}
void freeze_halt() {
  ls_bb_enter(COST_COMMAND, 1);
  if (ls_bb_era != ERA_L) return;
  ls_bb_motors_off();
  ls_bb_create_stop();
}
