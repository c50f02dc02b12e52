/* Devices that robots here do not have: depth camera, drone, sound. Their functions link, take
 * time, say once that the device is missing, and return what the controllers return without it. Definitions have no
 * parameters: callers of every era pass what they want. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

static void absent(const char* device) {
  ls_bb_enter(COST_OTHER, 1);
  ls_bb_say_once("this robot has no %s; calls for it do nothing", device);
}

static void quiet(void) {
  ls_bb_enter(COST_OTHER, 1);
}

#define RETURNS(type, name, value, device) \
  type name() {                            \
    absent(device);                        \
    return value;                          \
  }
#define DOES_NOTHING(name, device) \
  void name() {                    \
    absent(device);                \
  }
#define QUIET(type, name, value) \
  type name() {                  \
    quiet();                     \
    return value;                \
  }
#define SILENT(name) \
  void name() {      \
    quiet();         \
  }

/* Markers. */

#define CAMERA(name, value) RETURNS(int, name, value, "reader of markers")
CAMERA(set_dictionary, 0)
SILENT(set_aruco_marker_size_cm)
SILENT(set_chess_board_square_size_cm)
RETURNS(double*, get_marker_pose, NULL, "reader of markers")
RETURNS(short, can_see_marker, 0, "reader of markers")
RETURNS(int*, get_markers_in_view, NULL, "reader of markers")

/* Sound. */

DOES_NOTHING(play_sound, "loudspeaker")
SILENT(stop_sound)
QUIET(int, playing_sound, 0)
DOES_NOTHING(start_recording, "microphone")
SILENT(stop_recording)
QUIET(int, recording_sound, 0)

/* Depth camera and drone. */

#define DEPTH(name, value) RETURNS(int, name, value, "depth camera")
DEPTH(depth_open, 0)
DEPTH(depth_close, 0)
DEPTH(depth_update, 0)
DEPTH(depth_scanline_update, 0)
DEPTH(get_depth_value, 2147483647)
DEPTH(get_depth_resolution, 0)
DEPTH(set_depth_resolution, 0)
DEPTH(get_depth_orientation, 0)
DEPTH(set_depth_orientation, 0)
DEPTH(get_depth_image_height, 0)
DEPTH(get_depth_image_width, 0)
DEPTH(get_depth_scanline_object_count, 0)

#define DRONE(name) RETURNS(int, name, 0, "drone")
#define DRONE_FLOAT(name) RETURNS(float, name, 0.0f, "drone")
DRONE(drone_connect)
DRONE(drone_pair)
DRONE(drone_camera_open)
DRONE(get_drone_version)
DRONE(get_drone_battery)
DRONE(get_drone_emergency_stop_enabled)
DRONE(set_drone_mac_address)
DRONE(set_drone_ssid)
DRONE_FLOAT(get_drone_x)
DRONE_FLOAT(get_drone_y)
DRONE_FLOAT(get_drone_z)
DRONE_FLOAT(get_drone_x_velocity)
DRONE_FLOAT(get_drone_y_velocity)
DRONE_FLOAT(get_drone_z_velocity)
DRONE_FLOAT(get_drone_pitch)
DRONE_FLOAT(get_drone_roll)
DRONE_FLOAT(get_drone_yaw)
DRONE_FLOAT(get_drone_altitude)
DOES_NOTHING(drone_disconnect, "drone")
DOES_NOTHING(drone_calibrate, "drone")
DOES_NOTHING(drone_takeoff, "drone")
DOES_NOTHING(drone_land, "drone")
DOES_NOTHING(drone_move, "drone")
DOES_NOTHING(drone_hover, "drone")
DOES_NOTHING(drone_clear_position, "drone")
DOES_NOTHING(set_drone_emergency_stop_enabled, "drone")

/* The board's own affairs. */

SILENT(set_auto_publish)
SILENT(publish)
SILENT(ir_read)
SILENT(ir_write)
SILENT(datalog_append_string)
SILENT(datalog_append_number)
SILENT(datalog_remove)
SILENT(datalog_remove_category)
SILENT(datalog_clear)
QUIET(int, datalog_write_csv, 0)
QUIET(int, datalog_write_plain, 0)
SILENT(debug_print_registers)
QUIET(int, debug_dump_data, 0)
QUIET(unsigned short, register_value, 0)
QUIET(unsigned long, get_robot_states_sequence_num, 0)
QUIET(unsigned long, get_robot_update_count, 0)
QUIET(unsigned short, get_robot_firmware_version, 0)
QUIET(int, set_robot_update_delay, 0)
QUIET(unsigned, get_robot_update_delay, 0)
QUIET(int, set_low_volt_threshold, 0)
QUIET(float, get_low_volt_threshold, 0.0f)
QUIET(const char*, kipr_version, "1.2.1")
QUIET(const char*, kipr_git_branch, "")
QUIET(const char*, kipr_git_commit_hash, "")
QUIET(const char*, kipr_build_datetime, "")
QUIET(int, kipr_version_major, 1)
QUIET(int, kipr_version_minor, 2)
QUIET(int, kipr_version_patch, 1)
SILENT(kissSim_init)
SILENT(kissSim_end)
SILENT(kissSimEnablePause)
SILENT(kissSimPause)
QUIET(int, kissSimActive, 1)
