/* Functions of the Botball controllers, for every era: C1 (CBC, 2009), C2 (CBC, 2010 to 2012), L (Link, 2013 to 2015) and
 * W (Wallaby and Wombat, from 2016 on). LS_BB_ERA is 1, 2, 3 or 4 for them; `lockstep botball` defines it, and includes
 * this header before the first line of a program.
 *
 * It includes only four headers of C: programs use many names of the others as their own. */
#ifndef LS_BB_BOTBALL_H
#define LS_BB_BOTBALL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LS_BB_ERA
#define LS_BB_ERA 4
#endif

/* Types. */

typedef struct point2 {
  int x, y;
} point2;
typedef struct point3 {
  int x, y, z;
} point3;
typedef struct rectangle {
  int ulx, uly, width, height;
} rectangle;
typedef struct pixel {
  int r, g, b;
} pixel;
typedef struct thread {
  void* data;
} thread;
typedef struct mutex {
  void* data;
} mutex;
typedef void (*thread_function)();

#if LS_BB_ERA == 3
enum Resolution { LOW_RES, MED_RES, HIGH_RES, NATIVE_RES };
#else
enum Resolution { LOW_RES, MED_RES, HIGH_RES, TELLO_RES, NATIVE_RES };
#endif
enum Model { WHITE_2016, BLACK_2017, TELLO };
enum BaudRate { Baud57600, Baud115200 };
typedef enum Encoding { RGB, BGR } Encoding;
enum drone_camera { FRONT_CAMERA, BOTTOM_CAMERA };
typedef enum DepthResolution {
  DEPTH_INVALID_RESOLUTION,
  DEPTH_RESOLUTION_320_240,
  DEPTH_RESOLUTION_640_480
} DepthResolution;
typedef enum SortMethod { SORT_NEAREST, SORT_CENTER, SORT_FARTHEST } SortMethod;
#define INVALID_DEPTH 2147483647
#define VF
#define VFL
#define EXPORT_SYM

enum KeyCode {
  KeyEnter = 10,
  KeyBackSpace = 8,
  KeyTab = 9,
  KeyCancel = 3,
  KeyClear = 0x0C,
  KeyShift = 0x10,
  KeyControl = 0x11,
  KeyAlt = 0x12,
  KeyPause = 0x13,
  KeyCapsLock = 0x14,
  KeyKana = 0x15,
  KeyFinal = 0x18,
  KeyKanji = 0x19,
  KeyEscape = 0x1B,
  KeyConvert = 0x1C,
  KeyNonConvert = 0x1D,
  KeyAccept = 0x1E,
  KeyModeChange = 0x1F,
  KeySpace = 0x20,
  KeyPageUp = 0x21,
  KeyPageDown = 0x22,
  KeyEnd = 0x23,
  KeyHome = 0x24,
  KeyLeft = 0x25,
  KeyUp = 0x26,
  KeyRight = 0x27,
  KeyDown = 0x28,
  KeyComma = 0x2C,
  KeyPeriod = 0x2E,
  KeySlash = 0x2F,
  KeyZero = 0x30,
  KeyOne = 0x31,
  KeyTwo = 0x32,
  KeyThree = 0x33,
  KeyFour = 0x34,
  KeyFive = 0x35,
  KeySix = 0x36,
  KeySeven = 0x37,
  KeyEight = 0x38,
  KeyNine = 0x39,
  KeySemiColon = 0x3B,
  KeyEquals = 0x3D,
  KeyA = 0x41,
  KeyB = 0x42,
  KeyC = 0x43,
  KeyD = 0x44,
  KeyE = 0x45,
  KeyF = 0x46,
  KeyG = 0x47,
  KeyH = 0x48,
  KeyI = 0x49,
  KeyJ = 0x4a,
  KeyK = 0x4b,
  KeyL = 0x4c,
  KeyM = 0x4d,
  KeyN = 0x4e,
  KeyO = 0x4f,
  KeyP = 0x50,
  KeyQ = 0x51,
  KeyR = 0x52,
  KeyS = 0x53,
  KeyT = 0x54,
  KeyU = 0x55,
  KeyV = 0x56,
  KeyW = 0x57,
  KeyX = 0x58,
  KeyY = 0x59,
  KeyZ = 0x5a,
  KeyOpenBracket = 0x5B,
  KeyBackSlash = 0x5C,
  KeyCloseBracket = 0x5D,
  KeyNumPad0 = 0x60,
  KeyNumPad1 = 0x61,
  KeyNumPad2 = 0x62,
  KeyNumPad3 = 0x63,
  KeyNumPad4 = 0x64,
  KeyNumPad5 = 0x65,
  KeyNumPad6 = 0x66,
  KeyNumPad7 = 0x67,
  KeyNumPad8 = 0x68,
  KeyNumPad9 = 0x69,
  KeyMultiply = 0x6A,
  KeyAdd = 0x6B,
  KeySeparator = 0x6C,
  KeySubtract = 0x6D,
  KeyDecimal = 0x6E,
  KeyDivide = 0x6F,
  KeyF1 = 0x70,
  KeyF2 = 0x71,
  KeyF3 = 0x72,
  KeyF4 = 0x73,
  KeyF5 = 0x74,
  KeyF6 = 0x75,
  KeyF7 = 0x76,
  KeyF8 = 0x77,
  KeyF9 = 0x78,
  KeyF10 = 0x79,
  KeyF11 = 0x7a,
  KeyF12 = 0x7b,
  KeyDelete = 0x7F,
  KeyNumLock = 0x90,
  KeyScrollLock = 0x91,
  KeyPrintScreen = 0x9A,
  KeyInsert = 0x9B,
  KeyHelp = 0x9C,
  KeyMeta = 0x9D,
  KeyBackQuote = 0xC0,
  KeyQuote = 0xDE,
  KeyUndefined = 0
};

/* Motors. */

void motor(int motor, int percent);
void ao();
int mav(int motor, int velocity);
int freeze(int motor);
int get_motor_position_counter(int motor);
void off(int motor);
int gmpc(int motor);
void cmpc(int motor);
void bmd(int motor);
int mtp(int motor, int speed, int goal_pos);
int mrp(int motor, int speed, int delta_pos);
int get_motor_done(int motor);
int move_to_position(int motor, int speed, int goal_pos);
void bk(int motor);
void block_motor_done(int motor);
void fd(int motor);
void motor_power(int motor, int percent);
void alloff();
int move_at_velocity(int motor, int velocity);
int move_relative_position(int motor, int speed, int delta_pos);
void create_pwm_low_side_drivers(int pwm2, int pwm1, int pwm0);
void create_low_side_drivers(int pwm2, int pwm1, int pwm0);
void freeze_halt();
int setpwm(int motor, int pwm);
int getpwm(int motor);
void baasbennaguui(int motor, int percent);

/* Servos. */

void enable_servos();
int get_servo_position(int port);
void enable_servo(int port);
void disable_servos();
void disable_servo(int port);
int get_servo_enabled(int port);
void set_servo_enabled(int port, int enabled);

/* Analog and digital ports. */

int digital(int port);
int analog(int port);
int analog10(int port);
int analog_et(int port);
int get_digital_value(int port);
void set_digital_value(int port, int value);
void create_digital_output(int bits);
int analog8(int port);
int analog12(int port);
void set_digital_output(int port, int out);
int get_digital_output(int port);
int get_digital_pullup(int port);
void set_digital_pullup(int port, int pullup);

/* Acceleration, rotation, magnetic field, battery. */

signed short gyro_z();
signed short gyro_y();
float power_level();
int get_create_battery_charge();
signed short gyro_x();
signed short magneto_x();
signed short magneto_y();
signed short magneto_z();
float get_compass_angle();
int accel_calibrate();
int gyro_calibrate();
int battery_charging();
void set_compass_params(float meanX, float meanY, float meanZ, float W1, float W2, float div_E1, float div_E2);
int get_create_battery_charging_state();
float power_level_nimh();
float power_level_lipo();
float power_level_life();
void calibrate_compass();

/* Time, console, game. */

void msleep(long msecs);
void wait_for_light(int light_port_);
void display_clear();
void beep();
void display_printf(int col, int row, const char* t, ...);
void cbc_display_clear();
void set_each_analog_state(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7);
unsigned long systime();
void console_clear();
void set_analog_pullup(int port, int pullup);
void publish();
void set_auto_publish(int on);
void halt();
void wait_for_touch(int port);
void wait_for_milliseconds(long msecs);
int get_analog_pullup(int port);
void set_analog_floats(int mask);
void ir_read();
void ir_write();
unsigned short register_value(unsigned short addy);

/* Buttons. */

int a_button();
int b_button();
int c_button();
void set_a_button_text(const char* text);
void set_b_button_text(const char* text);
void set_c_button_text(const char* text);
int black_button();
int a_button_clicked();
int right_button();
int left_button();
void extra_buttons_show();
void set_x_button_text(const char* text);
void set_y_button_text(const char* text);
int side_button();
void set_z_button_text(const char* text);
int x_button();
int y_button();
int z_button();
int down_button();
int up_button();
int b_button_clicked();
int c_button_clicked();
void extra_buttons_hide();
int get_extra_buttons_visible();
int any_button();
void set_extra_buttons_visible(int visible);
void wait_for_a_button();
void wait_for_b_button();
void wait_for_c_button();
void wait_for_x_button();
void wait_for_y_button();
void wait_for_z_button();
void wait_for_side_button();
void wait_for_any_button();
void wait_for_a_button_clicked();
void wait_for_b_button_clicked();
void wait_for_c_button_clicked();
void wait_for_x_button_clicked();
int x_button_clicked();
void wait_for_y_button_clicked();
int y_button_clicked();
void wait_for_z_button_clicked();
int z_button_clicked();
void wait_for_side_button_clicked();
int side_button_clicked();
int push_button();

/* Threads. */

thread thread_create(thread_function func);
void thread_start(thread id);
void thread_destroy(thread id);
void run_for(float seconds, void (*function)());
void thread_wait(thread id);
int start_process(void (*func)());
mutex mutex_create();
void mutex_lock(mutex m);
int mutex_trylock(mutex m);
void mutex_unlock(mutex m);
void mutex_destroy(mutex m);
void kill_process(int pid);

/* Create. */

int create_connect();
void create_stop();
void create_drive_direct(int l_speed, int r_speed);
void create_disconnect();
void create_drive_straight(int speed);
void create_full();
int get_create_lbump();
int get_create_total_angle();
int get_create_rbump();
void set_create_total_angle(int angle);
int get_create_distance();
void create_spin_CW(int speed);
void create_spin_CCW(int speed);
void set_create_distance(int dist);
void create_drive(int speed, int radius);
void create_write_byte(char byte);
int get_create_rcliff_amt();
int get_create_lcliff_amt();
int get_create_rfcliff_amt();
int create_read_block(char* data, int count);
int get_create_lfcliff_amt();
int get_create_lcliff();
int get_create_rcliff();
void create_start();
int get_create_lfcliff();
int get_create_rfcliff();
int get_create_battery_capacity();
void create_clear_serial_buffer();
int get_create_normalized_angle();
void set_create_normalized_angle(int angle);
void create_power_led(int color, int brightness);
void create_safe();
int get_create_song_playing();
int get_create_cwdrop();
void create_advance_led(int on);
void create_play_led(int on);
int get_create_lclightbump_amt();
int get_create_play_button();
point2 create_point2(int x, int y);
point3 create_point3(int x, int y, int z);
rectangle create_rectangle(int ulx, int uly, int width, int height);
void create_demo(int d);
int get_create_mode();
int get_create_lwdrop();
int get_create_rwdrop();
int get_create_llightbump_amt();
int get_create_battery_temp();
int create_connect_once();
void create_passive();
void create_spot();
void create_cover();
void create_cover_dock();
int get_create_wall();
int get_create_llightbump();
int get_create_lflightbump();
int get_create_lclightbump();
int get_create_rclightbump();
int get_create_rflightbump();
int get_create_rlightbump();
int get_create_rlightbump_amt();
int get_create_lflightbump_amt();
int get_create_rclightbump_amt();
int get_create_rflightbump_amt();
int get_create_vwall();
int get_create_overcurrents();
int get_create_infrared();
int get_create_advance_button();
int get_create_battery_voltage();
int get_create_battery_current();
int get_create_wall_amt();
int get_create_bay_DI();
int get_create_bay_AI();
int get_create_song_number();
int get_create_number_of_stream_packets();
int get_create_requested_velocity();
int get_create_requested_radius();
int get_create_requested_right_velocity();
int get_create_requested_left_velocity();
int _create_get_raw_encoders(long* lenc, long* renc);
enum BaudRate get_create_baud_rate();
void set_create_baud_rate(const enum BaudRate baudRate);
int serial_read(char* data, int count);
void serial_init();

/* Camera. */

int camera_update();
int camera_open();
int get_object_count(int channel);
int get_object_area(int channel, int object);
point2 get_object_center(int channel, int object);
int camera_load_config(const char* name);
void camera_close();
int track_update();
int track_x(int ch, int i);
point2 get_object_centroid(int channel, int object);
int get_object_center_x(int channel, int object);
rectangle get_object_bbox(int channel, int object);
int track_count(int ch);
int get_channel_count();
double get_object_confidence(int channel, int object);
int camera_open_black();
int camera_open_at_res(enum Resolution res);
int get_camera_width();
int get_object_bbox_width(int channel, int object);
int get_object_bbox_height(int channel, int object);
int get_camera_height();
int camera_open_device(int number, enum Resolution res);
const unsigned char* get_camera_frame();
int get_object_center_y(int channel, int object);
int get_object_bbox_ulx(int channel, int object);
void set_camera_config_base_path(const char* const path);
int track_y(int ch, int i);
int get_object_center_column(int channel, int object);
int get_object_center_row(int channel, int object);
int get_object_data_length(int channel, int object);
int track_size(int ch, int i);
int camera_open_device_model_at_res(int number, enum Model model, enum Resolution res);
void set_camera_width(int width);
void set_camera_height(int height);
pixel get_camera_pixel(point2 p);
const char* get_object_data(int channel, int object);
int get_code_num(int channel, int object);
int get_object_bbox_uly(int channel, int object);
int get_object_bbox_brx(int channel, int object);
int get_object_bbox_bry(int channel, int object);
int get_object_centroid_column(int channel, int object);
int get_object_centroid_x(int channel, int object);
int get_object_centroid_row(int channel, int object);
int get_object_centroid_y(int channel, int object);
const unsigned char* get_camera_frame_row(unsigned row);
unsigned get_camera_element_size();
int target_cha_in_chb(int, int, int*, int*);
int drone_camera_open(enum drone_camera camera);

/* Graphics. */

void graphics_update();
int graphics_open(int width, int height);
void graphics_close();
void graphics_pixel(int x, int y, int r, int g, int b);
void get_mouse_position(int* x, int* y);
int get_mouse_left_button();
void graphics_circle_fill(int cx, int cy, int radius, int r, int g, int b);
void graphics_rectangle(int x1, int y1, int x2, int y2, int r, int g, int b);
void graphics_line(int x1, int y1, int x2, int y2, int r, int g, int b);
void graphics_fill(int r, int g, int b);
void graphics_rectangle_fill(int x1, int y1, int x2, int y2, int r, int g, int b);
void graphics_blit_enc(const unsigned char* data, Encoding enc, int x, int y, int width, int height);
int get_key_state(enum KeyCode key);
void graphics_blit_region_enc(const unsigned char* data, Encoding enc, int sx, int sy, int ex, int ey,
                              int width, int height, int dx, int dy);
void graphics_clear();
void graphics_blit(const unsigned char* data, int x, int y, int width, int height);
void graphics_blit_region(const unsigned char* data, int sx, int sy, int ex, int ey, int width, int height,
                          int dx, int dy);
void graphics_circle(int cx, int cy, int radius, int r, int g, int b);
void graphics_triangle(int x1, int y1, int x2, int y2, int x3, int y3, int r, int g, int b);
void graphics_triangle_fill(int x1, int y1, int x2, int y2, int x3, int y3, int r, int g, int b);
int get_mouse_middle_button();
int get_mouse_right_button();

/* Depth camera and drone. */

int depth_update();
int drone_connect();
int get_depth_value(int row, int column);
void drone_takeoff();
void drone_land();
int depth_open();
void drone_move(float x_tilt, float y_tilt, float z_vel, float yaw_vel);
void drone_disconnect();
void drone_hover();
int get_drone_version();
int depth_close();
void drone_calibrate();
int get_drone_battery();
float get_drone_x();
float get_drone_y();
float get_drone_z();
float get_drone_altitude();
float get_drone_pitch();
float get_drone_roll();

/* What differs between the eras. Where the machine code of a call differs, the name of the symbol does as well. */

#if LS_BB_ERA <= 2
int set_servo_position(int servo, int position);
void shut_down_in(float seconds) __asm__("ls_bb_shut_down_in_float");
int clear_motor_position_counter(int motor);
float seconds() __asm__("ls_bb_seconds_float");
int accel_x() __asm__("ls_bb_accel_x_int");
int accel_y() __asm__("ls_bb_accel_y_int");
int accel_z() __asm__("ls_bb_accel_z_int");
void set_pid_gains(int motor, int p, int i, int d, int pd, int id, int dd);
void get_pid_gains(int motor, int* p, int* i, int* d, int* pd, int* id,
                   int* dd) __asm__("ls_bb_get_pid_gains_int");
int create_spin_block(int speed, int angle);
void create_load_song(int number) __asm__("ls_bb_create_load_song_number");
void create_play_song(int number);
void fsleep(float seconds);
#define sleep(x) fsleep(x)
#define MAX_PROCESSES 16
#define MAX_MUTEXES 8
#define HIGH_BYTE(x) (((x) >> 8) & 0xff)
#define LOW_BYTE(x) ((x)&0xff)
#define twopi 6.28318531
#define COMM_TIMEOUT .5
extern int Bb_Game_Over;
extern int gc_mode, gc_lbump, gc_rbump, gc_ldrop, gc_rdrop, gc_fdrop, gc_lcliff, gc_lfcliff, gc_rfcliff,
    gc_rcliff;
extern int gc_lcliff_amt, gc_lfcliff_amt, gc_rfcliff_amt, gc_rcliff_amt, gc_distance, gc_angle, gc_total_angle;
extern int gc_advance_button, gc_play_button, gc_wall, gc_wall_amt, gc_wall_hb, gc_IR, gc_vel, gc_radius,
    gc_rvel;
extern int gc_lvel, gc_overcurrents, gc_charge_state, gc_batt_voltage, gc_current_flow, gc_batt_temp,
    gc_batt_charge;
extern int gc_batt_capacity, gc_digital_in, gc_analog_in, gc_charge_source, gc_leds[3], gc_song_array[16][33];
#define SIMPLEWORLD 0
#define BB08WORLD 1
#define EMPTYWORLD 2
#define RULERWORLD 3
#define BIGEMPTYWORLD 4
#define BIGARENA 5
#define BIGARENA2 6
#define BB09WORLD 7
#else
#ifndef LS_BB_LIBRARY /* which defines what the eras have in common */
void set_servo_position(int port, int position);
void clear_motor_position_counter(int motor);
#endif
void shut_down_in(double seconds);
double seconds();
signed short accel_x();
signed short accel_y();
signed short accel_z();
void set_pid_gains(int motor, short p, short i, short d, short pd, short id, short dd);
void get_pid_gains(int motor, short* p, short* i, short* d, short* pd, short* id, short* dd);
void create_spin_block(int speed, int angle);
#if LS_BB_ERA == 3
void create_load_song(int number) __asm__("ls_bb_create_load_song_number");
void create_play_song(int number);
#else
int create_load_song(const unsigned char* song, const unsigned char length, const unsigned char number);
int create_play_song(const unsigned char number);
#endif
unsigned int sleep(unsigned int);
int usleep(unsigned int);
#endif

/* Declared in few headers or none, and used all the same. */

int sonar(int port);
int sonar_inches(int port);
void set_digital_output_value(int port, int value);
void set_digital_port_direction(int mask);
int get_digital_port_direction();
int get_analog_floats();
int is_process_running(int process);
void tone(int frequency, int milliseconds);
void play_sound(const char* file);
int playing_sound();
void stop_sound();
void start_recording(const char* file, int seconds);
int recording_sound();
void stop_recording();
void cbc_printf(int column, int row, char* format, ...);
void track_init();
int track_is_new_data_available();
int track_get_frame();
int track_confidence(int channel, int index);
int track_bbox_left(int channel, int index);
int track_bbox_right(int channel, int index);
int track_bbox_top(int channel, int index);
int track_bbox_bottom(int channel, int index);
int track_bbox_width(int channel, int index);
int track_bbox_height(int channel, int index);
float track_angle(int channel, int index);
int track_major_axis(int channel, int index);
int track_minor_axis(int channel, int index);
int track_capture_time();
int track_previous_capture_time();
void track_set_model_hsv(int channel, int h_min, int h_max, int s_min, int v_min);
void track_get_model_hsv(int channel, int* h_min, int* h_max, int* s_min, int* v_min);
int init_camera();
int mseconds();
void kissSim_init(int, int, int, int);
void kissSim_end();
void kissSimEnablePause();
void kissSimPause();
int kissSimActive();
void serial_quit();
int serial_write(char* data, int count);
char serial_read_byte();
void serial_wryte_byte(char byte);
void serial_flush_output();
void serial_flush_input();
void serial_flush();
int create_mode();
int create_sensor_update();
int create_wall();
int create_buttons();
int create_bumpdrop();
int create_cliffs();
int create_angle();
int create_distance();
int create_velocity();
int create_read_IR();
int create_overcurrents();
int create_battery_charge();
int create_cargo_bay_inputs();
void iitxash(long milliseconds);
unsigned long get_robot_states_sequence_num();
unsigned long get_robot_update_count();
unsigned short get_robot_firmware_version();
int set_robot_update_delay(unsigned);
unsigned get_robot_update_delay();
int set_low_volt_threshold(float);
float get_low_volt_threshold();
const char* kipr_version();
const char* kipr_git_branch();
const char* kipr_git_commit_hash();
const char* kipr_build_datetime();
int kipr_version_major();
int kipr_version_minor();
int kipr_version_patch();
void datalog_append_string(const char* text, const char* category);
void datalog_append_number(double number, const char* category);
void datalog_remove(int index, const char* category);
void datalog_remove_category(const char* category);
int datalog_write_csv(const char* path);
int datalog_write_plain(const char* path);
void datalog_clear();
void debug_print_registers();
int debug_dump_data(const unsigned char* data, size_t size, const char* name);
void graphics_print_string(char s[], int x, int y, int r, int g, int b, float size);
void graphics_print_character(int n, int x, int y, int r, int g, int b, float size);
int graphics_print_int(int n, int digits, int x, int y, int r, int g, int b, float size);
void graphics_print_float(float n, int digits, int x, int y, int r, int g, int b, float size);
void graphics_segment_display(int s[], int x, int y, int r, int g, int b, float size);
void g_printString(char s[], int x, int y, int r, int g, int b, float size);
void g_printCharacter(int n, int x, int y, int r, int g, int b, float size);
int g_printInt(int n, int digits, int x, int y, int r, int g, int b, float size);
void g_printFloat(float n, int digits, int x, int y, int r, int g, int b, float size);
void g_segmentDisplay(int s[], int x, int y, int r, int g, int b, float size);
void graphics_printString(char s[], int x, int y, int r, int g, int b, float size);
void graphics_printCharacter(int n, int x, int y, int r, int g, int b, float size);
int graphics_printInt(int n, int digits, int x, int y, int r, int g, int b, float size);
void graphics_printFloat(float n, int digits, int x, int y, int r, int g, int b, float size);
void graphics_segmentDisplay(int s[], int x, int y, int r, int g, int b, float size);
signed int set_dictionary(int id);
void set_aruco_marker_size_cm(double size);
void set_chess_board_square_size_cm(double size);
double* get_marker_pose(int id);
signed short can_see_marker(int id);
int* get_markers_in_view();
DepthResolution get_depth_resolution();
int set_depth_resolution(DepthResolution);
int set_depth_orientation(int);
int get_depth_orientation();
int get_depth_image_height();
int get_depth_image_width();
int depth_scanline_update(int row);
int get_depth_scanline_object_count();
void drone_clear_position();
int set_drone_mac_address(const char*);
int drone_pair();
int set_drone_ssid(const char*);
float get_drone_yaw();
float get_drone_x_velocity();
float get_drone_y_velocity();
float get_drone_z_velocity();
void set_drone_emergency_stop_enabled(int);
int get_drone_emergency_stop_enabled();

/* Loops that call nothing: each turn of a while loop gives the simulation a chance to run. */
void ls_bb_tick(void);
#ifndef LS_BB_LIBRARY
/* clang-format off */
#define while(...) while (ls_bb_tick(), (__VA_ARGS__))
/* clang-format on */
#endif

#endif
