/* The client of a Create 3, and the robot behind it: goals to drive and turn, odometry and sensors.
 *
 * At most one command is outstanding: each command first waits until the one before has finished, and returns when it is
 * sent. The robot itself replaces the goal that it has. */
#include "include/create3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "create_base.h"
#include "internal.h"

static const double kMaxSpeed = 0.46, kGoalSpeed = 0.3;    /* m/s */
static const double kMaxTurnRate = 1.9;                    /* rad/s */
static const double kAcceleration = 0.9, kTurning = 7.725; /* m/s^2, rad/s^2 */
static const double kNear = 0.0005, kAligned = 0.001;      /* a goal is reached: m, rad */
static const Nanoseconds kVelocityLasts = 500 * LS_BB_MS;

/* A part of a goal: a way on a circle (curvature 0: straight on), or a turn in place. */
typedef struct {
  bool is_turn;
  double size;      /* m or rad; negative: backwards or clockwise */
  double speed;     /* m/s or rad/s */
  double curvature; /* 1/m */
} Stretch;

enum { kMaxStretches = 3 };
static Stretch stretches[kMaxStretches];
static int stretch_count, stretch_index;
static double gone; /* of the stretch, m or rad */
static Nanoseconds velocity_until;
static bool is_connected, is_outstanding;
static double x, y, yaw, last_left, last_right; /* odometry: m, rad */
static double speed, turn_rate;                 /* measured, m/s and rad/s */
static Nanoseconds last_exchange;

/* The robot. */

static void drive(double linear, double angular) {
  const double half = 0.5 * ls_bb_create_base()->track;
  ls_bb_create_base_drive(linear - angular * half, linear + angular * half);
}

static void measure(Nanoseconds now) {
  const CreateBase* base = ls_bb_create_base();
  const double left = base->left_way - last_left, right = base->right_way - last_right;
  last_left = base->left_way;
  last_right = base->right_way;
  const double way = 0.5 * (left + right), turn = (right - left) / base->track;
  x += way * cos(yaw + 0.5 * turn);
  y += way * sin(yaw + 0.5 * turn);
  yaw += turn;
  const double time = (double)(now - last_exchange) / 1e9;
  last_exchange = now;
  if (time > 0.0) speed = way / time, turn_rate = turn / time;
  if (stretch_index < stretch_count) gone += stretches[stretch_index].is_turn ? turn : way;
}

static void follow_goal(void) {
  const Stretch* stretch = &stretches[stretch_index];
  const double left = stretch->size - gone;
  const bool is_done =
      fabs(left) < (stretch->is_turn ? kAligned : kNear) || (left < 0.0) != (stretch->size < 0.0);
  if (is_done) {
    drive(0.0, 0.0);
    gone = 0.0;
    ++stretch_index;
    return;
  }
  /* Slow enough to stop at the goal. */
  const double braking = sqrt(2.0 * (stretch->is_turn ? kTurning : kAcceleration) * fabs(left));
  const double rate = copysign(fmin(stretch->speed, braking), stretch->size);
  if (stretch->is_turn) {
    drive(0.0, rate);
  } else {
    drive(rate, rate * stretch->curvature);
  }
}

void ls_bb_create3_exchange(Nanoseconds now) {
  if (ls_bb_create_base()->model != 3) return;
  measure(now);
  if (stretch_index < stretch_count) {
    follow_goal();
  } else if (now >= velocity_until) {
    drive(0.0, 0.0);
  }
}

/* Commands. */

static bool is_ready(const char* name) {
  ls_bb_enter(COST_OTHER, 1);
  if (is_connected) return true;
  if (ls_bb_create_base()->model != 3) ls_bb_say_once("this robot has no Create 3; calls for it do nothing");
  fprintf(stderr, "%s: not connected\n", name);
  return false;
}

static bool is_moving(void) {
  return is_outstanding && stretch_index < stretch_count;
}

static void wait_for_goal(void) {
  while (is_moving()) ls_bb_sleep_until(ls_bb_now() + LS_BB_MS, "the Create 3 to finish its command");
  is_outstanding = false;
}

static bool begin(const char* name) {
  if (!is_ready(name)) return false;
  wait_for_goal();
  ls_bb_charge(2 * LS_BB_MS);
  stretch_count = stretch_index = 0;
  gone = 0.0;
  is_outstanding = true;
  return true;
}

static double usable(double value, double limit, double otherwise) {
  return value > 0.0 && value <= limit ? value : otherwise;
}

static void add_turn(double angle, double rate) {
  if (isfinite(angle))
    stretches[stretch_count++] = (Stretch){true, angle, usable(rate, kMaxTurnRate, kMaxTurnRate), 0.0};
}

static void add_way(double way, double rate, double curvature) {
  if (isfinite(way) && isfinite(curvature))
    stretches[stretch_count++] = (Stretch){false, way, usable(rate, kMaxSpeed, kGoalSpeed), curvature};
}

int create3_connect() {
  ls_bb_enter(COST_OTHER, 1);
  if (is_connected) {
    printf("create3_connect: already connected\n");
    return 1;
  }
  printf("Connecting to the Create 3\n");
  ls_bb_sleep_until(ls_bb_now() + 100 * LS_BB_MS, "create3_connect");
  if (ls_bb_create_base()->model != 3) {
    ls_bb_say_once("this robot has no Create 3; calls for it do nothing");
    ls_bb_wait(&is_connected, LS_BB_NEVER, "create3_connect: this robot has no Create 3");
  }
  is_connected = true;
  printf("Connected to the Create 3\n");
  return 1;
}

int create3_connect_manual(const char* host, unsigned short port) {
  (void)host, (void)port;
  if (!is_connected) return create3_connect();
  ls_bb_enter(COST_OTHER, 1);
  printf("create3_connect_manual: already connected\n");
  return 0;
}

int create3_is_connected() {
  ls_bb_enter(COST_OTHER, 1);
  return is_connected;
}

void create3_wait() {
  if (is_ready("create3_wait")) wait_for_goal();
}

/* The robot goes on with its goal until the next command replaces it. */
void create3_execute_next_command_immediately() {
  ls_bb_enter(COST_OTHER, 1);
  is_outstanding = false;
}
void create3_execute_next_command_post_haste() {
  create3_execute_next_command_immediately();
}

void create3_velocity_set_components(double linear_x, double angular_z) {
  if (!is_ready("create3_velocity_set")) return;
  wait_for_goal();
  ls_bb_charge(2 * LS_BB_MS);
  if (stretch_index < stretch_count || !isfinite(linear_x) || !isfinite(angular_z)) return;
  drive(fmax(-kMaxSpeed, fmin(kMaxSpeed, linear_x)), fmax(-kMaxTurnRate, fmin(kMaxTurnRate, angular_z)));
  velocity_until = ls_bb_now() + kVelocityLasts;
}
void create3_velocity_set(Create3Twist velocity) {
  create3_velocity_set_components(velocity.linear_x, velocity.angular_z);
}

void create3_drive_straight(float distance, float max_linear_speed) {
  if (begin("create3_drive_straight")) add_way((double)distance, (double)max_linear_speed, 0.0);
}
void create3_drive_arc_radians(float radius, float angle, float max_linear_speed) {
  if (!begin("create3_drive_arc") || radius == 0.0f) return;
  const double way = fabs((double)radius) * (double)angle;
  add_way(way, (double)max_linear_speed, 1.0 / (double)radius);
}
void create3_drive_arc_degrees(float radius, float angle, float max_linear_speed) {
  create3_drive_arc_radians(radius, (float)((double)angle * M_PI / 180.0), max_linear_speed);
}
void create3_rotate_radians(float angle, float max_angular_speed) {
  if (begin("create3_rotate")) add_turn((double)angle, (double)max_angular_speed);
}
void create3_rotate_degrees(float angle, float max_angular_speed) {
  create3_rotate_radians((float)((double)angle * M_PI / 180.0),
                         (float)((double)max_angular_speed * M_PI / 180.0));
}

static double to_half_turn(double angle) {
  return remainder(angle, 2.0 * M_PI);
}

/* Turn, drive, and turn to the heading if there is one. */
static void navigate(double to_x, double to_y, const double* heading, double max_speed, double max_rate) {
  if (!begin("create3_navigate")) return;
  const double way = hypot(to_x - x, to_y - y);
  const double direction = way > kNear ? atan2(to_y - y, to_x - x) : yaw;
  add_turn(to_half_turn(direction - yaw), max_rate);
  add_way(way, max_speed, 0.0);
  if (heading) add_turn(to_half_turn(*heading - direction), max_rate);
}
void create3_navigate_to_position(double to_x, double to_y, float max_linear_speed, float max_angular_speed) {
  navigate(to_x, to_y, NULL, (double)max_linear_speed, (double)max_angular_speed);
}
void create3_navigate_to_position_with_heading(double to_x, double to_y, double theta, float max_linear_speed,
                                               float max_angular_speed) {
  navigate(to_x, to_y, &theta, (double)max_linear_speed, (double)max_angular_speed);
}
void create3_navigate_to_pose(Create3Pose pose, float max_linear_speed, float max_angular_speed,
                              int achieve_heading) {
  const double heading = create3_euler_from_quaternion(pose.orientation).z;
  navigate(pose.position.x, pose.position.y, achieve_heading ? &heading : NULL, (double)max_linear_speed,
           (double)max_angular_speed);
}

static void nothing(const char* name) {
  if (is_ready(name)) ls_bb_say_once("%s does nothing here", name);
}
void create3_follow_wall(const Create3Follow follow, float max_seconds) {
  (void)follow, (void)max_seconds;
  nothing("create3_follow_wall");
}
void create3_dock() {
  nothing("create3_dock");
}
void create3_undock() {
  nothing("create3_undock");
}
void create3_led_animation(const Create3LedAnimationType type, const Create3Lightring ring,
                           double max_runtime) {
  (void)type, (void)ring, (void)max_runtime;
  nothing("create3_led_animation");
}
void create3_audio_play(const Create3AudioNote* notes, unsigned count, int overwrite) {
  (void)notes, (void)count, (void)overwrite;
  nothing("create3_audio_play");
}
void create3_audio_append(const Create3AudioNote* notes, unsigned count) {
  (void)notes, (void)count;
  nothing("create3_audio_append");
}
void create3_audio_overwrite(const Create3AudioNote* notes, unsigned count) {
  (void)notes, (void)count;
  nothing("create3_audio_overwrite");
}
void create3_lightring(const Create3Lightring ring) {
  (void)ring;
  nothing("create3_lightring");
}
void create3_lightring_set(const Create3Lightring ring) {
  (void)ring;
  nothing("create3_lightring_set");
}
Create3LedColor create3_led_color(int r, int g, int b) {
  return (Create3LedColor){(uint8_t)r, (uint8_t)g, (uint8_t)b};
}

/* Sensors. */

static const char* numbered(const char* kind, int id, int count) {
  static char name[16];
  if (id < 0 || id >= count) return NULL;
  snprintf(name, sizeof name, "%s%d", kind, id);
  return name;
}

static bool read_sensor(const char* name) {
  if (!is_ready(name)) return false;
  ls_bb_charge(2 * LS_BB_MS);
  return true;
}

int create3_sensor_bump(int id) {
  const bool is_read = read_sensor("create3_sensor_bump");
  const char* name = numbered("bump", id, 5);
  return is_read && name && ls_bb_create_sensor(name, 0.0) >= 0.5;
}
int create3_sensor_cliff(int id) {
  const bool is_read = read_sensor("create3_sensor_cliff");
  return is_read && id >= 0 && id < 4 ? ls_bb_cliff_signal(id) : 0;
}
int create3_sensor_ir(int id) {
  const bool is_read = read_sensor("create3_sensor_ir");
  const char* name = numbered("ir", id, 7);
  return is_read && name ? ls_bb_reflected_signal(ls_bb_create_sensor(name, 1e9), 0.2) : 0;
}

Create3Odometry create3_odometry_get() {
  if (!read_sensor("create3_odometry_get")) return (Create3Odometry){0};
  const Create3Quaternion orientation = {0.0, 0.0, sin(0.5 * yaw), cos(0.5 * yaw)};
  return (Create3Odometry){{{x, y, 0.0}, orientation}, {speed, turn_rate}};
}
Create3Pose create3_pose_get() {
  return create3_odometry_get().pose;
}
Create3Twist create3_velocity_get() {
  return create3_odometry_get().velocity;
}
double create3_velocity_get_linear_x() {
  return create3_velocity_get().linear_x;
}
double create3_velocity_get_angular_z() {
  return create3_velocity_get().angular_z;
}
Create3Quaternion create3_orientation_get_quaternion() {
  return create3_odometry_get().pose.orientation;
}
double create3_orientation_get_x() {
  return create3_orientation_get_quaternion().x;
}
double create3_orientation_get_y() {
  return create3_orientation_get_quaternion().y;
}
double create3_orientation_get_z() {
  return create3_orientation_get_quaternion().z;
}
double create3_orientation_get_w() {
  return create3_orientation_get_quaternion().w;
}
Create3Euler create3_orientation_get_euler() {
  return create3_euler_from_quaternion(create3_orientation_get_quaternion());
}
double create3_orientation_get_euler_x() {
  return create3_orientation_get_euler().x;
}
double create3_orientation_get_euler_y() {
  return create3_orientation_get_euler().y;
}
double create3_orientation_get_euler_z() {
  return create3_orientation_get_euler().z;
}

/* Conversions. */

Create3Euler create3_euler_from_quaternion(Create3Quaternion q) {
  const double sine = fmax(-1.0, fmin(1.0, 2.0 * (q.w * q.y - q.z * q.x)));
  return (Create3Euler){atan2(2.0 * (q.w * q.x + q.y * q.z), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)), asin(sine),
                        atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))};
}
Create3Quaternion create3_euler_to_quaternion(Create3Euler e) {
  const double cx = cos(0.5 * e.x), sx = sin(0.5 * e.x), cy = cos(0.5 * e.y), sy = sin(0.5 * e.y);
  const double cz = cos(0.5 * e.z), sz = sin(0.5 * e.z);
  return (Create3Quaternion){sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz,
                             cx * cy * sz - sx * sy * cz, cx * cy * cz + sx * sy * sz};
}
Create3Duration create3_duration_from_double(double seconds) {
  const double whole = floor(seconds);
  return (Create3Duration){(int32_t)whole, (uint32_t)((seconds - whole) * 1e9)};
}
