/* Buttons and the start light: signals of the panel, or presses given with the run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

typedef struct {
  char button[8];
  Nanoseconds begin, end;
} Press;

static Press presses[64];
static int press_count;
static Nanoseconds start_time = LS_BB_NEVER;
static int start_signal = -1;
static int lamp_command = -1;     /* the same signal, if the connection writes it */
static bool has_lamp, is_lamp_on; /* the operator switches it */
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

bool ls_bb_is_pressed(const char* button) {
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
  return ls_bb_is_pressed("side") || (ls_bb_era == ERA_W && ls_bb_is_pressed("right"));
}

static int press_of(const char* button) {
  ls_bb_enter(COST_READ, 1);
  return ls_bb_is_pressed(button);
}

static void wait_for_press(const char* button, bool pressed) {
  static char what[kButtonCount + 2][40];
  int slot = kButtonCount;
  for (int i = 0; i < kButtonCount; ++i) {
    if (strcmp(kButtons[i], button) == 0) slot = i;
  }
  snprintf(what[slot], sizeof what[slot], "button %s to be %s", button, pressed ? "pressed" : "released");
  for (;;) {
    ls_bb_enter(COST_READ, 1);
    const bool is = strcmp(button, "any") == 0    ? any_button()
                    : strcmp(button, "side") == 0 ? is_side()
                                                  : ls_bb_is_pressed(button);
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
    ls_bb_enter(COST_OTHER, 1);                     \
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
  ls_bb_enter(COST_READ, 1);
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
    if (ls_bb_is_pressed(names[i])) return 1;
  }
  return 0;
}
void wait_for_any_button() {
  wait_for_press("any", true);
}
void extra_buttons_show() {
  ls_bb_enter(COST_OTHER, 1);
  are_extra_shown = true;
}
void extra_buttons_hide() {
  ls_bb_enter(COST_OTHER, 1);
  are_extra_shown = false;
}
int get_extra_buttons_visible() {
  ls_bb_enter(COST_OTHER, 1);
  return are_extra_shown;
}
void set_extra_buttons_visible(int visible) {
  ls_bb_enter(COST_OTHER, 1);
  are_extra_shown = visible != 0;
}
void wait_for_touch(int port) {
  while (digital(port) != 1) ls_bb_sleep_until(ls_bb_now() + 10 * LS_BB_MS, "a touch sensor");
}

bool ls_bb_is_start_light_on(void) {
  return ls_bb_now() >= start_time || ls_bb_read(start_signal) >= 0.5;
}

Nanoseconds ls_bb_start_time(void) {
  return start_time;
}

/* The operator. */

void ls_bb_press_later(const char* button, Nanoseconds delay) {
  if (press_count == (int)(sizeof presses / sizeof *presses)) return;
  Press* press = &presses[press_count++];
  snprintf(press->button, sizeof press->button, "%s", button);
  press->begin = ls_bb_now() + delay;
  press->end = press->begin + 200 * LS_BB_MS;
}

void ls_bb_switch_lamp(bool is_on) {
  has_lamp = true;
  is_lamp_on = is_on;
}

bool ls_bb_can_switch_lamp(void) {
  return lamp_command >= 0;
}

/* A lamp that a viewer or an event switches stays as it is. */
void ls_bb_buttons_exchange(Nanoseconds now) {
  const bool is_on = has_lamp ? is_lamp_on : now >= start_time || ls_bb_read(start_signal) >= 0.5;
  ls_bb_write(lamp_command, is_on ? 1.0 : 0.0);
}

void ls_bb_wait_for_press(const char* button) {
  wait_for_press(button, true);
  wait_for_press(button, false);
}

void ls_bb_buttons_start(void) {
  for (int i = 0; i < kButtonCount; ++i) button_signals[i] = ls_bb_find_read("panel", kButtons[i]);
  start_signal = ls_bb_find_read("panel", "start");
  lamp_command = ls_bb_find_write("panel", "start");
  read_presses(getenv("LOCKSTEP_BOTBALL_PRESS"));
  const char* start = getenv("LOCKSTEP_BOTBALL_START");
  if (start) start_time = (Nanoseconds)(1e9 * atof(start));
}
