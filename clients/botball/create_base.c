/* The wheels and sensors of a Create. See create_base.h. */
#include "create_base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CreateBase base;
static bool is_searched;
static double radius; /* of the wheels, m */
static int left_drive = -1, right_drive = -1, left_wheel = -1, right_wheel = -1;
static double left_origin, right_origin; /* angles at the start, rad */
static double left_goal, right_goal;     /* m/s */
static Nanoseconds last_exchange;

enum { kMaxSensors = 40, kNameSize = 24 };
static struct {
  char name[kNameSize];
  int signal;
} sensors[kMaxSensors]; /* those that were asked for */
static int sensor_count;

static const char* full_name(const char* name) {
  static char full[kNameSize + 10];
  snprintf(full, sizeof full, "create%d_%s", base.model, name);
  return full;
}

CreateBase* ls_bb_create_base(void) {
  if (is_searched) return &base;
  is_searched = true;
  for (base.model = 3; base.model > 0; --base.model) {
    left_drive = ls_bb_find_write(full_name("left_drive"), "target");
    right_drive = ls_bb_find_write(full_name("right_drive"), "target");
    if (left_drive >= 0 && right_drive >= 0) break;
  }
  if (base.model == 0) return &base;
  radius = base.model == 3 ? 0.03575 : 0.036;
  base.track = base.model == 1 ? 0.258 : base.model == 2 ? 0.235 : 0.233;
  left_wheel = ls_bb_find_read(full_name("left_wheel"), "angle");
  right_wheel = ls_bb_find_read(full_name("right_wheel"), "angle");
  left_origin = ls_bb_read(left_wheel);
  right_origin = ls_bb_read(right_wheel);
  return &base;
}

void ls_bb_create_base_drive(double left, double right) {
  left_goal = left;
  right_goal = right;
}

double ls_bb_create_sensor(const char* name, double missing) {
  for (int i = 0; i < sensor_count; ++i) {
    if (strcmp(sensors[i].name, name) == 0)
      return sensors[i].signal < 0 ? missing : ls_bb_read(sensors[i].signal);
  }
  const int signal = ls_bb_find_read(full_name(name), NULL);
  if (sensor_count < kMaxSensors) {
    snprintf(sensors[sensor_count].name, kNameSize, "%s", name);
    sensors[sensor_count++].signal = signal;
  }
  return signal < 0 ? missing : ls_bb_read(signal);
}

bool ls_bb_is_cliff(int index) {
  char name[16];
  snprintf(name, sizeof name, "edge%d", index);
  return ls_bb_create_sensor(name, 0.0) > 0.045;
}

int ls_bb_cliff_signal(int index) {
  char name[16];
  snprintf(name, sizeof name, "cliff%d", index);
  if (ls_bb_is_cliff(index)) return 20;
  return (int)(4095.0 * fmax(0.0, fmin(1.0, ls_bb_create_sensor(name, 0.67))));
}

int ls_bb_reflected_signal(double distance, double range) {
  return distance > range ? 0 : (int)fmin(4095.0, 0.4095 / (distance * distance));
}

static double approach(double value, double goal, double step) {
  return value < goal ? fmin(value + step, goal) : fmax(value - step, goal);
}

void ls_bb_create_base_exchange(Nanoseconds now) {
  if (ls_bb_create_base()->model == 0) return;
  base.left_way = radius * (ls_bb_read(left_wheel) - left_origin);
  base.right_way = radius * (ls_bb_read(right_wheel) - right_origin);
  const double step = (base.model == 3 ? 0.9 : 1.0) * (double)(now - last_exchange) / 1e9; /* m/s */
  last_exchange = now;
  /* Both wheels get to speed at the same time, so that an arc begins with its own radius. */
  const double change = fmax(fabs(left_goal - base.left_speed), fabs(right_goal - base.right_speed));
  const double part = change > 0.0 ? fmin(1.0, step / change) : 1.0;
  base.left_speed = approach(base.left_speed, left_goal, part * fabs(left_goal - base.left_speed));
  base.right_speed = approach(base.right_speed, right_goal, part * fabs(right_goal - base.right_speed));
  ls_bb_write(left_drive, base.left_speed / radius);
  ls_bb_write(right_drive, base.right_speed / radius);
}
