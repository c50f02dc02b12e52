/* Time and the game: the clock, the start light, the end of the round. */
#include <math.h>
#include <stdio.h>

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

void wait_for_light(int port) {
  (void)port;
  printf("Waiting for the start light\n");
  while (!ls_bb_is_start_light_on()) {
    ls_bb_sleep_until(ls_bb_now() + (ls_bb_era == ERA_C2 ? 25 : 20) * LS_BB_MS, "the start light");
  }
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
