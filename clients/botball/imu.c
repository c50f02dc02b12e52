/* Acceleration, rotation and magnetic field, in the axes of the board; battery. */
#include <math.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

static int acceleration_signals[3], rotation_signals[3];
static double acceleration_offsets[3], rotation_offsets[3];

static double raw_acceleration(int axis) {
  static const double per_g[] = {0, 1365, 64, 256, -512};
  return ls_bb_read(acceleration_signals[axis]) / 9.80665 * per_g[ls_bb_era];
}

static double raw_rotation(int axis) {
  return ls_bb_read(rotation_signals[axis]) * 180.0 / M_PI * 1.02;
}

static int acceleration(int axis) {
  ls_bb_enter(COST_READ, 1);
  if (acceleration_signals[axis] < 0) ls_bb_say_once("the robot has no accelerometer named 'accelerometer'");
  return (int)lround(raw_acceleration(axis) - acceleration_offsets[axis]);
}

static short rotation(int axis) {
  ls_bb_enter(COST_READ, 1);
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
  ls_bb_enter(COST_READ, 1);
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
  ls_bb_enter(COST_OTHER, 1);
}
float get_compass_angle() {
  magnetic();
  return 0.0f;
}

float power_level() {
  ls_bb_enter(COST_READ, 1);
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
  ls_bb_enter(COST_READ, 1);
  return 0;
}

void ls_bb_imu_start(void) {
  static const char* const axes[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    acceleration_signals[i] = ls_bb_find_read("accelerometer", axes[i]);
    rotation_signals[i] = ls_bb_find_read("gyro", axes[i]);
  }
}
