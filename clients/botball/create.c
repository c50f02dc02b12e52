/* Functions for a Create 1 or 2. They send bytes to the robot (open_interface.c) as the libraries of each era do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "create_base.h"
#include "internal.h"
#include "open_interface.h"

int gc_mode, gc_lbump, gc_rbump, gc_ldrop, gc_rdrop, gc_fdrop, gc_lcliff, gc_lfcliff, gc_rfcliff, gc_rcliff;
int gc_lcliff_amt, gc_lfcliff_amt, gc_rfcliff_amt, gc_rcliff_amt, gc_distance, gc_angle, gc_total_angle;
int gc_advance_button, gc_play_button, gc_wall, gc_wall_amt, gc_wall_hb, gc_IR, gc_vel, gc_radius, gc_rvel,
    gc_lvel;
int gc_overcurrents, gc_charge_state, gc_batt_voltage, gc_current_flow, gc_batt_temp, gc_batt_charge,
    gc_batt_capacity;
int gc_digital_in, gc_analog_in, gc_charge_source, gc_leds[3], gc_song_array[16][33];

static bool is_connected;
static int baud_rate = -1; /* of enum BaudRate; -1: that of the era */

static bool is_there(void) {
  const int model = ls_bb_create_base()->model;
  return model == 1 || model == 2;
}

static void call(void) {
  ls_bb_enter(COST_OTHER, 1);
}

/* Whether a command can be sent; says why not. */
static bool is_ready(void) {
  if (is_connected) return true;
  call();
  if (is_there()) {
    ls_bb_say_once("calls for the Create do nothing before create_connect");
  } else {
    ls_bb_say_once("this robot has no Create; calls for it do nothing");
  }
  return false;
}

static Nanoseconds cost_of_byte(void) {
  const bool is_fast = baud_rate < 0 ? ls_bb_era == ERA_W : baud_rate == 1;
  return (is_fast ? 90 : 170) * LS_BB_US;
}

static void send(const unsigned char* bytes, int count) {
  if (!is_ready()) return;
  for (int i = 0; i < count; ++i) {
    ls_bb_charge(cost_of_byte());
    ls_bb_oi_send(bytes[i]);
  }
}

#define SEND(...)                                 \
  do {                                            \
    const unsigned char bytes_[] = {__VA_ARGS__}; \
    send(bytes_, (int)sizeof bytes_);             \
  } while (0)
#define HIGH(x) ((unsigned char)((x) >> 8 & 255))
#define LOW(x) ((unsigned char)((x)&255))

/* On a Link these only print that they are missing. */
static bool is_missing_on_link(const char* signature) {
  if (ls_bb_era != ERA_L) return false;
  call();
  printf("Warning: %s not yet implemented.\n", signature);
  return true;
}

/* Connecting. */

static void connect_now(void) {
  if (is_connected) ls_bb_say("the Create is connected already");
  is_connected = true;
  const unsigned char start[] = {128, 131};
  send(start, 2);
  ls_bb_oi_drop_answers();
}

/* C tries once; L and W try for ever. */
int create_connect() {
  call();
  ls_bb_sleep_until(ls_bb_now() + (ls_bb_is_cbc() ? 500 : 300) * LS_BB_MS, "create_connect");
  if (is_there()) {
    connect_now();
    return 0;
  }
  ls_bb_say_once("this robot has no Create; calls for it do nothing");
  if (!ls_bb_is_cbc()) ls_bb_wait(&gc_mode, LS_BB_NEVER, "create_connect: this robot has no Create");
  printf("Create connection failed.\n");
  return -1;
}

int create_connect_once() {
  call();
  ls_bb_sleep_until(ls_bb_now() + 300 * LS_BB_MS, "create_connect_once");
  if (is_there()) connect_now();
  return is_there();
}

void ls_bb_create_stop(void) {
  if (is_there() && is_connected) ls_bb_create_base_drive(0.0, 0.0);
}

void create_stop() {
  if (ls_bb_is_cbc()) {
    SEND(137, 0, 0, 0, 0);
  } else {
    SEND(145, 0, 0, 0, 0);
  }
}

void create_disconnect() {
  if (!is_connected) {
    call();
    return;
  }
  create_stop();
  is_connected = false;
}

/* Modes and movements. */

void create_start() {
  if (!is_missing_on_link("void create_start()")) SEND(128);
}
void create_passive() {
  SEND(128);
}
void create_safe() {
  SEND(131);
}
void create_full() {
  SEND(132);
}
void create_spot() {
  if (!is_missing_on_link("void create_spot()")) SEND(134);
}
void create_cover() {
  if (!is_missing_on_link("void create_cover()")) SEND(135);
}
void create_demo(int demo) {
  if (!is_missing_on_link("void create_demo(int)")) SEND(136, LOW(demo));
}
void create_cover_dock() {
  if (!is_missing_on_link("void create_cover_dock()")) SEND(143);
}
void create_drive(int speed, int radius) {
  SEND(137, HIGH(speed), LOW(speed), HIGH(radius), LOW(radius));
}
void create_drive_straight(int speed) {
  if (ls_bb_is_cbc()) {
    create_drive(speed, 32767);
  } else {
    SEND(145, HIGH(speed), LOW(speed), HIGH(speed), LOW(speed));
  }
}
void create_spin_CW(int speed) {
  create_drive(speed, -1);
}
void create_spin_CCW(int speed) {
  create_drive(speed, 1);
}
/* On the line the right wheel is first; a CBC has the same order in the call, later controllers the other. */
void create_drive_direct(int first, int second) {
  const int right = ls_bb_is_cbc() ? first : second, left = ls_bb_is_cbc() ? second : first;
  SEND(145, HIGH(right), LOW(right), HIGH(left), LOW(left));
}

/* C turns by its encoders; L and W for the time that the turn takes, and a little longer. */
int create_spin_block(int speed, int degrees) {
  if (!is_ready() || speed == 0 || degrees == 0) return -1;
  const bool is_left = (degrees > 0) == (speed > 0);
  create_drive(speed < 0 ? -speed : speed, is_left ? 1 : -1);
  if (ls_bb_is_cbc()) {
    long left, right;
    ls_bb_oi_encoders(&left, &right);
    const long start = right - left;
    const double per_degree =
        (ls_bb_create_base()->model == 1 ? 7832.4 : 2249.3) * ls_bb_create_base()->track * M_PI / 180.0;
    for (;;) {
      ls_bb_oi_encoders(&left, &right);
      if (labs(right - left - start) >= per_degree * abs(degrees)) break;
      ls_bb_sleep_until(ls_bb_now() + 10 * LS_BB_MS, "create_spin_block");
    }
  } else {
    const double size = fabs((double)degrees);
    const double time = (size + 360.0 / size) * M_PI / 180.0 * 258.0 / (2.0 * fabs((double)speed));
    ls_bb_sleep_until(ls_bb_now() + (Nanoseconds)llround(1e9 * time), "create_spin_block");
  }
  create_stop();
  return 0;
}

/* Lights, outputs and songs. */

void create_advance_led(int on) {
  if (is_missing_on_link("void create_advance_led(int)")) return;
  gc_leds[0] = on != 0;
  SEND(139, (unsigned char)(gc_leds[0] * 8 + gc_leds[1] * 2), LOW(gc_leds[2]), 255);
}
void create_play_led(int on) {
  if (is_missing_on_link("void create_play_led(int)")) return;
  gc_leds[1] = on != 0;
  SEND(139, (unsigned char)(gc_leds[0] * 8 + gc_leds[1] * 2), LOW(gc_leds[2]), 255);
}
void create_power_led(int color, int brightness) {
  if (is_missing_on_link("void create_power_led(int, int)")) return;
  gc_leds[2] = color;
  SEND(139, (unsigned char)(gc_leds[0] * 8 + gc_leds[1] * 2), LOW(color), LOW(brightness));
}
void create_digital_output(int bits) {
  if (!is_missing_on_link("void create_digital_output(int)")) SEND(147, LOW(bits));
}
void create_low_side_drivers(int third, int second, int first) {
  if (is_missing_on_link("void create_low_side_drivers(int, int, int)")) return;
  SEND(138, (unsigned char)((third != 0) << 2 | (second != 0) << 1 | (first != 0)));
}
void create_pwm_low_side_drivers(int third, int second, int first) {
  if (is_missing_on_link("void create_pwm_low_side_drivers(int, int, int)")) return;
  SEND(144, LOW(third), LOW(second), LOW(first));
}

int create_load_song(const unsigned char* notes, unsigned char length, unsigned char number) {
  if (!is_ready() || length > 16) return -1;
  unsigned char bytes[3 + 2 * 16] = {140, number, length};
  memcpy(bytes + 3, notes, 2 * (size_t)length);
  send(bytes, 3 + 2 * length);
  return 0;
}
/* C: the notes are in gc_song_array, after their count. */
void ls_bb_create_load_song_number(int number) {
  if (is_missing_on_link("void create_load_song(int)")) return;
  if (!is_ready() || number < 0 || number >= 16) return;
  const int* song = gc_song_array[number];
  const int length = song[0] < 0 ? 0 : song[0] > 16 ? 16 : song[0];
  unsigned char bytes[3 + 2 * 16] = {140, LOW(number), LOW(length)};
  for (int i = 0; i < 2 * length; ++i) bytes[3 + i] = LOW(song[1 + i]);
  send(bytes, 3 + 2 * length);
}
int create_play_song(int number) {
  if (is_missing_on_link("void create_play_song(int)")) return 0;
  SEND(141, LOW(number));
  return is_connected ? 0 : -1;
}

/* The bytes themselves. */

void create_write_byte(char byte) {
  const unsigned char bytes[] = {(unsigned char)byte};
  send(bytes, 1);
}

/* C gives up after 0.5 s; L and W wait for ever. */
int create_read_block(char* data, int count) {
  if (!is_ready()) return 0;
  const Nanoseconds deadline = ls_bb_is_cbc() ? ls_bb_now() + 500 * LS_BB_MS : LS_BB_NEVER;
  int done = 0;
  for (; done < count; ++done) {
    while (ls_bb_oi_available() == 0 && ls_bb_now() < deadline)
      ls_bb_sleep_until(ls_bb_now() + LS_BB_MS, "create_read_block: an answer of the Create");
    if (ls_bb_oi_available() == 0) break;
    ls_bb_charge(cost_of_byte());
    data[done] = (char)ls_bb_oi_take();
  }
  return ls_bb_is_cbc() ? done : done == count;
}
void create_clear_serial_buffer() {
  call();
  ls_bb_oi_drop_answers();
}

void serial_init() {
  call();
  is_connected = is_there();
  is_ready();
}
void serial_quit() {
  call();
  is_connected = false;
}
int serial_write(char* data, int count) {
  if (!is_ready()) return 0;
  for (int i = 0; i < count; ++i) create_write_byte(data[i]);
  return count;
}
int serial_read(char* data, int count) {
  call();
  int done = 0;
  while (done < count && ls_bb_oi_available() > 0) data[done++] = (char)ls_bb_oi_take();
  return done;
}
char serial_read_byte() {
  char byte = 0;
  serial_read(&byte, 1);
  return byte;
}
void serial_wryte_byte(char byte) {
  create_write_byte(byte);
}
void serial_flush_output() {
  call();
}
void serial_flush_input() {
  create_clear_serial_buffer();
}
void serial_flush() {
  create_clear_serial_buffer();
}
int get_create_baud_rate() {
  call();
  return baud_rate < 0 ? ls_bb_era == ERA_W : baud_rate;
}
void set_create_baud_rate(int rate) {
  call();
  baud_rate = rate;
}

/* Sensors. A packet is asked for again when it is too old: on C after the time that the caller gives, on L and W after
 * 10 ms, and then the whole group it is in. */

enum { kPackets = 59 };
static Nanoseconds fetched[kPackets]; /* 0: never */
static unsigned char cache[kPackets][2];
static double total_distance, total_angle;

static int value_in_cache(int packet, bool is_word) {
  return is_word ? (int16_t)(cache[packet][0] << 8 | cache[packet][1]) : cache[packet][1];
}

static bool is_word(int packet) {
  return packet == 19 || packet == 20 || packet == 22 || packet == 23 || (packet >= 25 && packet <= 31) ||
         packet == 33 || (packet >= 39 && packet <= 44) || (packet >= 46 && packet <= 51);
}

static void fetch_packet(int packet) {
  unsigned char bytes[OI_MAX_PACKET];
  const int size = ls_bb_oi_packet(packet, bytes);
  cache[packet][0] = size == 2 ? bytes[0] : 0;
  cache[packet][1] = bytes[size - 1];
  fetched[packet] = ls_bb_now() + 1;
  if (packet == 19) total_distance += value_in_cache(19, true);
  if (packet == 20) total_angle += value_in_cache(20, true);
}

/* Whether the packet is there. A Create that waits for a way or an angle does not answer. */
static bool fetch(int packet, double lag) {
  if (!is_ready()) return false;
  const Nanoseconds age = ls_bb_is_cbc() ? (Nanoseconds)(1e9 * fmax(0.0, fmin(lag, 1e6))) : 10 * LS_BB_MS;
  if (fetched[packet] > 0 && ls_bb_now() - fetched[packet] < age) {
    ls_bb_charge(10 * LS_BB_US);
    return true;
  }
  ls_bb_charge((ls_bb_is_cbc() ? 5000 : 7000) * LS_BB_US);
  const Nanoseconds deadline = ls_bb_is_cbc() ? ls_bb_now() + 500 * LS_BB_MS : LS_BB_NEVER;
  while (ls_bb_oi_is_busy()) {
    if (ls_bb_now() >= deadline) {
      printf("Create connection failed.\n");
      return false;
    }
    ls_bb_sleep_until(ls_bb_now() + LS_BB_MS, "an answer of the Create");
  }
  static const unsigned char groups[][2] = {{7, 16}, {17, 20}, {21, 26}, {27, 34}, {35, 42}, {43, 58}};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) {
    if (packet < groups[i][0] || packet > groups[i][1]) continue;
    const int first = ls_bb_is_cbc() ? packet : groups[i][0], last = ls_bb_is_cbc() ? packet : groups[i][1];
    for (int each = first; each <= last; ++each) fetch_packet(each);
  }
  return true;
}

static int read_packet(int packet, double lag) {
  if (!fetch(packet, lag)) return ls_bb_is_cbc() ? 100000 + packet : 0;
  return value_in_cache(packet, is_word(packet));
}

static int read_bit(int packet, int bit, double lag) {
  if (!fetch(packet, lag)) return ls_bb_is_cbc() ? 100000 + packet : 0;
  return cache[packet][1] >> bit & 1;
}

/* Every getter: its packet, and its bit or -1 for the whole packet. */
enum {
  WHOLE = -1,
  TOTAL_DISTANCE = -2,
  TOTAL_ANGLE = -3,
  NORMALIZED_ANGLE = -4,
  BYTE_SIGNED = -5,
  NOT_ON_LINK = -6
};
#define GETTERS(X)                                                                                             \
  X(lbump, 7, 1)                                                                                               \
  X(rbump, 7, 0)                                                                                               \
  X(lwdrop, 7, 3)                                                                                              \
  X(cwdrop, 7, 4)                                                                                              \
  X(rwdrop, 7, 2)                                                                                              \
  X(wall, 8, 0)                                                                                                \
  X(lcliff, 9, 0) X(lfcliff, 10, 0) X(rfcliff, 11, 0) X(rcliff, 12, 0) X(vwall, 13, 0) X(                      \
      overcurrents, 14, NOT_ON_LINK) X(infrared, 17, WHOLE) X(advance_button, 18, 2) X(play_button, 18, 0)     \
      X(distance, 19, TOTAL_DISTANCE) X(total_angle, 20, TOTAL_ANGLE) X(                                       \
          normalized_angle, 20, NORMALIZED_ANGLE) X(battery_charging_state, 21, WHOLE)                         \
          X(battery_voltage, 22, NOT_ON_LINK) X(battery_current, 23, NOT_ON_LINK) X(                           \
              battery_temp, 24, BYTE_SIGNED) X(battery_charge, 25, WHOLE) X(battery_capacity, 26, WHOLE)       \
              X(wall_amt, 27, WHOLE) X(lcliff_amt, 28, WHOLE) X(lfcliff_amt, 29, WHOLE) X(                     \
                  rfcliff_amt, 30, WHOLE) X(rcliff_amt, 31, WHOLE)                                             \
                  X(bay_DI, 32, NOT_ON_LINK) X(bay_AI, 33, NOT_ON_LINK) X(cargo_bay_digitals, 32, WHOLE)       \
                      X(cargo_bay_analog, 33, WHOLE) X(battery_charging_source, 34, WHOLE)                     \
                          X(mode, 35, WHOLE) X(song_number, 36, NOT_ON_LINK) X(song_playing, 37, NOT_ON_LINK)  \
                              X(number_of_stream_packets, 38, NOT_ON_LINK)                                     \
                                  X(requested_velocity, 39, NOT_ON_LINK) X(requested_radius, 40, NOT_ON_LINK)  \
                                      X(requested_right_velocity, 41, NOT_ON_LINK)                             \
                                          X(requested_left_velocity, 42, NOT_ON_LINK) X(llightbump, 45, 0) X(  \
                                              lflightbump, 45, 1) X(lclightbump, 45, 2) X(rclightbump, 45, 3)  \
                                              X(rflightbump, 45, 4) X(rlightbump, 45, 5)                       \
                                                  X(llightbump_amt, 46, WHOLE) X(lflightbump_amt, 47, WHOLE)   \
                                                      X(lclightbump_amt, 48, WHOLE)                            \
                                                          X(rclightbump_amt, 49, WHOLE)                        \
                                                              X(rflightbump_amt, 50, WHOLE)                    \
                                                                  X(rlightbump_amt, 51, WHOLE) X(lwheel, 7, 3) \
                                                                      X(cwheel, 7, 4) X(rwheel, 7, 2)

#define ROW(name, packet, kind) {"int get_create_" #name "()", packet, kind},
static const struct {
  const char* signature;
  int packet, kind;
} getters[] = {GETTERS(ROW)};

__attribute__((used)) int ls_bb_get_create(int index, double lag) {
  const int packet = getters[index].packet, kind = getters[index].kind;
  if (kind == NOT_ON_LINK && is_missing_on_link(getters[index].signature)) return 0;
  if (kind >= 0) return read_bit(packet, kind, lag);
  const int value = read_packet(packet, lag);
  if (!is_connected || value >= 100000) return value;
  switch (kind) {
    case TOTAL_DISTANCE:
      return (int)total_distance;
    case TOTAL_ANGLE:
      return (int)total_angle;
    case NORMALIZED_ANGLE: {
      const int rest = (int)total_angle % 360;
      return ls_bb_is_cbc() && rest < 0 ? rest + 360 : rest;
    }
    case BYTE_SIGNED:
      return (signed char)value;
    default:
      return value;
  }
}

/* Programs call a getter with an age in seconds (C) or without. The number of arguments in floating-point registers is in
 * al (System V ABI, calls without a prototype): without one, the age is 0. */
__asm__(".set getter_index, 0\n");
#define STUB(name, packet, kind)                                                                         \
  __asm__(".text\n.globl get_create_" #name "\n.type get_create_" #name ", @function\nget_create_" #name \
          ":\n"                                                                                          \
          "  testb %al, %al\n  jne 1f\n  xorps %xmm0, %xmm0\n1:\n"                                       \
          "  movl $getter_index, %edi\n  jmp ls_bb_get_create\n"                                         \
          ".set getter_index, getter_index + 1\n");
GETTERS(STUB)

void set_create_distance(int value) {
  fetch(19, 0.0);
  total_distance = value;
}
void set_create_total_angle(int value) {
  fetch(20, 0.0);
  total_angle = value;
}
void set_create_normalized_angle(int value) {
  set_create_total_angle(value);
}
int _create_get_raw_encoders(long* left, long* right) {
  if (!is_ready()) return ls_bb_is_cbc() ? -1 : 0;
  ls_bb_charge(5 * LS_BB_MS);
  if (ls_bb_is_cbc()) ls_bb_oi_encoders(left, right);
  return 0;
}

/* The CBC of 2009: each call asks for packets and keeps the values in variables. */

static int number_of(int packet) {
  fetch_packet(packet);
  return value_in_cache(packet, is_word(packet));
}
static int ask(void) {
  if (!is_ready()) return -1;
  ls_bb_charge(5 * LS_BB_MS);
  return 0;
}
int create_mode() {
  if (ask() < 0) return -1;
  gc_mode = number_of(35);
  return 0;
}
int create_wall() {
  if (ask() < 0) return -1;
  gc_wall = number_of(8);
  gc_wall_amt = number_of(27);
  return 0;
}
int create_buttons() {
  if (ask() < 0) return -1;
  const int bits = number_of(18);
  gc_advance_button = bits >> 2 & 1;
  gc_play_button = bits & 1;
  return 0;
}
int create_bumpdrop() {
  if (ask() < 0) return -1;
  const int bits = number_of(7);
  gc_rbump = bits & 1;
  gc_lbump = bits >> 1 & 1;
  gc_rdrop = bits >> 2 & 1;
  gc_ldrop = bits >> 3 & 1;
  gc_fdrop = bits >> 4 & 1;
  return 0;
}
int create_cliffs() {
  if (ask() < 0) return -1;
  gc_lcliff = number_of(9), gc_lfcliff = number_of(10), gc_rfcliff = number_of(11), gc_rcliff = number_of(12);
  gc_lcliff_amt = number_of(28), gc_lfcliff_amt = number_of(29);
  gc_rfcliff_amt = number_of(30), gc_rcliff_amt = number_of(31);
  return 0;
}
int create_angle() {
  if (ask() < 0) return -1;
  const int turned = number_of(20);
  gc_total_angle += turned;
  gc_angle = ((gc_angle + turned) % 360 + 360) % 360;
  return 0;
}
int create_distance() {
  if (ask() < 0) return -1;
  gc_distance += number_of(19);
  return 0;
}
int create_velocity() {
  if (ask() < 0) return -1;
  gc_vel = number_of(39), gc_radius = number_of(40), gc_rvel = number_of(41), gc_lvel = number_of(42);
  return 0;
}
int create_read_IR() {
  if (ask() < 0) return -1;
  gc_IR = number_of(17);
  return 0;
}
int create_overcurrents() {
  if (ask() < 0) return -1;
  gc_overcurrents = number_of(14);
  return 0;
}
int create_battery_charge() {
  if (ask() < 0) return -1;
  gc_charge_state = number_of(21), gc_batt_voltage = number_of(22), gc_current_flow = number_of(23);
  gc_batt_temp = number_of(24), gc_batt_charge = number_of(25), gc_batt_capacity = number_of(26);
  return 0;
}
int create_cargo_bay_inputs() {
  if (ask() < 0) return -1;
  gc_digital_in = number_of(32), gc_analog_in = number_of(33);
  return 0;
}
int create_sensor_update() {
  if (!is_ready()) return -1;
  create_wall(), create_buttons(), create_bumpdrop(), create_cliffs();
  create_angle(), create_distance(), create_velocity();
  return 0;
}
