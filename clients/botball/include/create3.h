/* Functions of the Create 3 client. Lengths in m, speeds in m/s, angles as the name says, positive to the left. */
#ifndef LS_BB_CREATE3_H
#define LS_BB_CREATE3_H

#include <stdint.h>

typedef struct {
  double x, y, z;
} Create3Vector3;
typedef struct {
  double x, y, z, w;
} Create3Quaternion;
typedef struct {
  double x, y, z;
} Create3Euler;
typedef struct {
  Create3Vector3 position;
  Create3Quaternion orientation;
} Create3Pose;
typedef struct {
  double linear_x, angular_z;
} Create3Twist;
typedef struct {
  Create3Pose pose;
  Create3Twist velocity;
} Create3Odometry;
typedef struct {
  uint8_t r, g, b;
} Create3LedColor;
typedef struct {
  Create3LedColor led0, led1, led2, led3, led4, led5;
} Create3Lightring;
typedef struct {
  uint16_t frequency;
  double seconds;
} Create3AudioNote;
typedef struct {
  int32_t seconds;
  uint32_t nanoseconds;
} Create3Duration;
typedef enum {
  Create3DirectionForward = 1,
  Create3DirectionBackward = -1,
  Create3DirectionInvalid = 0
} Create3Direction;
typedef enum { Create3FollowLeft = 1, Create3FollowRight = -1 } Create3Follow;
typedef enum {
  Create3LedAnimationTypeBlinkLights = 1,
  Create3LedAnimationTypeSpinLights = 2,
  Create3LedAnimationTypeInvalid = 3
} Create3LedAnimationType;
typedef enum {
  Create3BumpSensorLeft,
  Create3BumpSensorFrontLeft,
  Create3BumpSensorFrontCenter,
  Create3BumpSensorFrontRight,
  Create3BumpSensorRight,
  Create3BumpSensorInvalid
} Create3BumpSensor;

int create3_connect();
int create3_connect_manual(const char* host, unsigned short port);
int create3_is_connected();
void create3_velocity_set(Create3Twist velocity);
void create3_velocity_set_components(double linear_x, double angular_z);
void create3_drive_straight(float distance, float max_linear_speed);
void create3_drive_arc_degrees(float radius, float angle, float max_linear_speed);
void create3_drive_arc_radians(float radius, float angle, float max_linear_speed);
void create3_rotate_degrees(float angle, float max_angular_speed);
void create3_rotate_radians(float angle, float max_angular_speed);
void create3_navigate_to_position(double x, double y, float max_linear_speed, float max_angular_speed);
void create3_navigate_to_position_with_heading(double x, double y, double theta, float max_linear_speed,
                                               float max_angular_speed);
void create3_navigate_to_pose(Create3Pose pose, float max_linear_speed, float max_angular_speed,
                              int achieve_heading);
void create3_follow_wall(const Create3Follow follow, float max_seconds);
void create3_dock();
void create3_undock();
void create3_wait();
void create3_execute_next_command_immediately();
void create3_execute_next_command_post_haste();
int create3_sensor_bump(int sensor_id);
int create3_sensor_cliff(int sensor_id);
int create3_sensor_ir(int sensor_id);
Create3Odometry create3_odometry_get();
Create3Pose create3_pose_get();
Create3Twist create3_velocity_get();
double create3_velocity_get_linear_x();
double create3_velocity_get_angular_z();
Create3Quaternion create3_orientation_get_quaternion();
Create3Euler create3_orientation_get_euler();
double create3_orientation_get_euler_x();
double create3_orientation_get_euler_y();
double create3_orientation_get_euler_z();
void create3_led_animation(const Create3LedAnimationType animation_type, const Create3Lightring lightring,
                           double max_runtime);
Create3LedColor create3_led_color(int r, int g, int b);
void create3_audio_play(const Create3AudioNote* notes, unsigned count, int overwrite);
void create3_audio_append(const Create3AudioNote* notes, unsigned count);
void create3_audio_overwrite(const Create3AudioNote* notes, unsigned count);
void create3_lightring(const Create3Lightring lightring);
void create3_lightring_set(const Create3Lightring lightring);
double create3_orientation_get_x();
double create3_orientation_get_y();
double create3_orientation_get_z();
double create3_orientation_get_w();
Create3Euler create3_euler_from_quaternion(Create3Quaternion quaternion);
Create3Quaternion create3_euler_to_quaternion(Create3Euler euler);
Create3Duration create3_duration_from_double(double seconds);

#endif
