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

/* Camera. */

typedef struct {
  int x, y;
} Point2;
typedef struct {
  int ulx, uly, width, height;
} Rectangle;
typedef struct {
  int r, g, b;
} Pixel;

#define CAMERA(name, value) RETURNS(int, name, value, "camera")
CAMERA(camera_open, 0)
CAMERA(camera_open_at_res, 0)
CAMERA(camera_open_black, 0)
CAMERA(camera_open_device, 0)
CAMERA(camera_open_device_model_at_res, 0)
CAMERA(camera_load_config, 0)
CAMERA(init_camera, 0)
CAMERA(get_channel_count, 0)
CAMERA(get_object_count, -1)
CAMERA(get_object_area, -1)
CAMERA(get_object_bbox_ulx, -1)
CAMERA(get_object_bbox_uly, -1)
CAMERA(get_object_bbox_brx, -1)
CAMERA(get_object_bbox_bry, -1)
CAMERA(get_object_bbox_width, 0)
CAMERA(get_object_bbox_height, 0)
CAMERA(get_object_center_x, -1)
CAMERA(get_object_center_y, -1)
CAMERA(get_object_center_column, -1)
CAMERA(get_object_center_row, -1)
CAMERA(get_object_centroid_x, -1)
CAMERA(get_object_centroid_y, -1)
CAMERA(get_object_centroid_column, -1)
CAMERA(get_object_centroid_row, -1)
CAMERA(get_object_data_length, 0)
CAMERA(get_code_num, -1)
CAMERA(get_camera_width, 0)
CAMERA(get_camera_height, 0)
RETURNS(double, get_object_confidence, 0.0, "camera")
RETURNS(Point2, get_object_center, ((Point2){-1, -1}), "camera")
RETURNS(Point2, get_object_centroid, ((Point2){-1, -1}), "camera")
RETURNS(Rectangle, get_object_bbox, ((Rectangle){-1, -1, 0, 0}), "camera")
RETURNS(Pixel, get_camera_pixel, ((Pixel){0, 0, 0}), "camera")
RETURNS(const char*, get_object_data, NULL, "camera")
RETURNS(const unsigned char*, get_camera_frame, NULL, "camera")
RETURNS(const unsigned char*, get_camera_frame_row, NULL, "camera")
QUIET(unsigned, get_camera_element_size, 3)
DOES_NOTHING(camera_close, "camera")
SILENT(set_camera_config_base_path)
SILENT(set_camera_width)
SILENT(set_camera_height)

/* A loop that waits for the next image must not be free. */
int camera_update() {
  absent("camera");
  ls_bb_sleep_until(ls_bb_now() + 66 * LS_BB_MS, "camera_update");
  return 0;
}

CAMERA(track_update, 0)
CAMERA(track_is_new_data_available, 0)
CAMERA(track_get_frame, 0)
CAMERA(track_count, 0)
CAMERA(track_size, -1)
CAMERA(track_x, -1)
CAMERA(track_y, -1)
CAMERA(track_confidence, -1)
CAMERA(track_bbox_left, -1)
CAMERA(track_bbox_right, -1)
CAMERA(track_bbox_top, -1)
CAMERA(track_bbox_bottom, -1)
CAMERA(track_bbox_width, -1)
CAMERA(track_bbox_height, -1)
CAMERA(track_major_axis, -1)
CAMERA(track_minor_axis, -1)
CAMERA(track_capture_time, 0)
CAMERA(track_previous_capture_time, 0)
CAMERA(target_cha_in_chb, 0)
RETURNS(float, track_angle, -1.0f, "camera")
DOES_NOTHING(track_init, "camera")
SILENT(track_set_model_hsv)
SILENT(track_get_model_hsv)
CAMERA(set_dictionary, 0)
SILENT(set_aruco_marker_size_cm)
SILENT(set_chess_board_square_size_cm)
RETURNS(double*, get_marker_pose, NULL, "camera")
RETURNS(short, can_see_marker, 0, "camera")
RETURNS(int*, get_markers_in_view, NULL, "camera")

/* Graphics: a window that is not shown. */

Point2 create_point2(int x, int y) {
  return (Point2){x, y};
}
typedef struct {
  int x, y, z;
} Point3;
Point3 create_point3(int x, int y, int z) {
  return (Point3){x, y, z};
}
Rectangle create_rectangle(int ulx, int uly, int width, int height) {
  return (Rectangle){ulx, uly, width, height};
}
RETURNS(int, graphics_open, 1, "window for graphics")
void graphics_update() {
  quiet();
  ls_bb_sleep_until(ls_bb_now() + 10 * LS_BB_MS, "graphics_update");
}
void get_mouse_position(int* x, int* y) {
  quiet();
  if (x) *x = 0;
  if (y) *y = 0;
}
SILENT(graphics_close)
SILENT(graphics_clear)
SILENT(graphics_fill)
SILENT(graphics_pixel)
SILENT(graphics_line)
SILENT(graphics_circle)
SILENT(graphics_circle_fill)
SILENT(graphics_rectangle)
SILENT(graphics_rectangle_fill)
SILENT(graphics_triangle)
SILENT(graphics_triangle_fill)
SILENT(graphics_blit)
SILENT(graphics_blit_enc)
SILENT(graphics_blit_region)
SILENT(graphics_blit_region_enc)
SILENT(graphics_print_string)
SILENT(graphics_print_character)
QUIET(int, graphics_print_int, 0)
SILENT(graphics_print_float)
SILENT(graphics_segment_display)
SILENT(graphics_printString)
SILENT(graphics_printCharacter)
QUIET(int, graphics_printInt, 0)
SILENT(graphics_printFloat)
SILENT(graphics_segmentDisplay)
SILENT(g_printString)
SILENT(g_printCharacter)
QUIET(int, g_printInt, 0)
SILENT(g_printFloat)
SILENT(g_segmentDisplay)
QUIET(int, get_key_state, 0)
QUIET(int, get_mouse_left_button, 0)
QUIET(int, get_mouse_middle_button, 0)
QUIET(int, get_mouse_right_button, 0)

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
