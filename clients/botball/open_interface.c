/* The Open Interface of a Create 1 or 2: commands, sensor packets, waits, scripts and songs. See open_interface.h. */
#include "open_interface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "create_base.h"

enum { kQueue = 4096, kMaxScript = 100, kSongs = 16, kNotes = 16 };
static const Nanoseconds kSampling = 15 * LS_BB_MS;

typedef struct {
  unsigned char bytes[kQueue];
  int begin, count;
} Queue;

static Queue input, answers;

static void push(Queue* queue, unsigned char byte) {
  if (queue->count == kQueue) return; /* as a serial line without handshake */
  queue->bytes[(queue->begin + queue->count++) % kQueue] = byte;
}

static unsigned char peek(const Queue* queue, int index) {
  return queue->bytes[(queue->begin + index) % kQueue];
}

static void drop(Queue* queue, int count) {
  queue->begin = (queue->begin + count) % kQueue;
  queue->count -= count;
}

/* The robot's state. */

static int mode;
static double distance, angle;       /* since packets 19 and 20 were read; mm, degrees */
static double last_left, last_right; /* ways at the last exchange, m */
static int requested[4];             /* velocity, radius, right, left: as commanded, mm/s and mm */
static unsigned char sensed[6];      /* packets 7 to 12, sampled */
static int song_lengths[kSongs];     /* notes */
static unsigned char songs[kSongs][2 * kNotes];
static int song_number;
static Nanoseconds song_end;
static unsigned char script[kMaxScript];
static int script_length, script_next = -1; /* next byte to run; -1: no script runs */
static unsigned char streamed[64];
static int stream_count;
static bool is_streaming;

typedef enum { NOTHING, TIME, DISTANCE, ANGLE, EVENT } Wait;
static Wait wait;
static int wait_goal;                    /* mm, degrees or number of the event */
static double wait_distance, wait_angle; /* since the wait began */
static Nanoseconds wait_end;

static bool is_near(const char* sensor, double limit) {
  return ls_bb_create_sensor(sensor, 1e9) < limit;
}

static bool is_on(const char* sensor) {
  return ls_bb_create_sensor(sensor, 0.0) >= 0.5;
}

static int light_signal(int index) {
  char name[8];
  snprintf(name, sizeof name, "light%d", index);
  return ls_bb_reflected_signal(ls_bb_create_sensor(name, 1e9), 0.15);
}

static void sample(void) {
  sensed[0] = (unsigned char)(is_on("right_bump") | is_on("left_bump") << 1 | is_on("right_drop") << 2 |
                              is_on("left_drop") << 3 | is_on("caster_drop") << 4);
  sensed[1] = is_near("wall", 0.1);
  for (int i = 0; i < 4; ++i) sensed[2 + i] = ls_bb_is_cliff(i);
}

/* Sensor packets. */

static int size_of_packet(int id) {
  static const unsigned char two[] = {19, 20, 22, 23, 25, 26, 27, 28, 29, 30, 31, 33, 39, 40,
                                      41, 42, 43, 44, 46, 47, 48, 49, 50, 51, 54, 55, 56, 57};
  if (id < 7 || id > 58) return 0;
  for (size_t i = 0; i < sizeof two; ++i) {
    if (two[i] == id) return 2;
  }
  return 1;
}

/* Whole units since the last reading; the rest stays. */
static int take_whole(double* value) {
  const double whole = fmax(-32768.0, fmin(32767.0, trunc(*value)));
  *value -= whole;
  return (int)whole;
}

void ls_bb_oi_encoders(long* left, long* right) {
  const CreateBase* base = ls_bb_create_base();
  const double per_metre = base->model == 1 ? 7832.4 : 2249.3;
  *left = lround(per_metre * base->left_way);
  *right = lround(per_metre * base->right_way);
}

static int buttons(void) {
  return ls_bb_is_pressed("play") | ls_bb_is_pressed("advance") << 2;
}

static int value_of_packet(int id) {
  long left, right;
  if (id <= 12) return sensed[id - 7];
  if (id >= 28 && id <= 31) return ls_bb_cliff_signal(id - 28);
  if (id >= 39 && id <= 42) return requested[id - 39];
  if (id >= 46 && id <= 51) return light_signal(id - 46);
  switch (id) {
    case 17:
    case 52:
    case 53:
      return 255; /* no infrared byte */
    case 18:
      return buttons();
    case 19:
      return take_whole(&distance);
    case 20:
      return take_whole(&angle);
    case 22:
      return 16000;
    case 23:
      return -200;
    case 24:
      return 25;
    case 25:
      return 2600;
    case 26:
      return 2696;
    case 27:
      return is_near("wall", 0.1) ? (int)(1023.0 * (1.0 - 10.0 * ls_bb_create_sensor("wall", 0.1))) : 0;
    case 35:
      return mode;
    case 36:
      return song_number;
    case 37:
      return ls_bb_now() < song_end;
    case 38:
      return is_streaming ? stream_count : 0;
    case 43:
      ls_bb_oi_encoders(&left, &right);
      return (int)(left & 0xffff);
    case 44:
      ls_bb_oi_encoders(&left, &right);
      return (int)(right & 0xffff);
    case 45: {
      int bits = 0;
      for (int i = 0; i < 6; ++i) bits |= (light_signal(i) > 40) << i;
      return bits;
    }
    default:
      return 0;
  }
}

int ls_bb_oi_packet(int id, unsigned char* bytes) {
  static const unsigned char groups[][3] = {{0, 7, 26},    {1, 7, 16},    {2, 17, 20},  {3, 21, 26},
                                            {4, 27, 34},   {5, 35, 42},   {6, 7, 42},   {100, 7, 58},
                                            {101, 43, 58}, {106, 46, 51}, {107, 54, 58}};
  int first = id, last = id, size = 0;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) {
    if (groups[i][0] == id) first = groups[i][1], last = groups[i][2];
  }
  for (int each = first; each <= last && size_of_packet(each) > 0; ++each) {
    const int value = value_of_packet(each);
    if (size_of_packet(each) == 2) bytes[size++] = (unsigned char)(value >> 8 & 255);
    bytes[size++] = (unsigned char)(value & 255);
  }
  return size;
}

static void answer_packet(int id) {
  unsigned char bytes[OI_MAX_PACKET];
  const int size = ls_bb_oi_packet(id, bytes);
  for (int i = 0; i < size; ++i) push(&answers, bytes[i]);
}

/* Header, length, packets with their numbers, and a byte that makes the sum 0. */
static void answer_stream(void) {
  unsigned char bytes[OI_MAX_PACKET], message[256];
  int size = 2;
  for (int i = 0; i < stream_count; ++i) {
    const int length = ls_bb_oi_packet(streamed[i], bytes);
    if (size + length + 2 > (int)sizeof message) break;
    message[size++] = streamed[i];
    memcpy(message + size, bytes, (size_t)length);
    size += length;
  }
  message[0] = 19;
  message[1] = (unsigned char)(size - 2);
  unsigned sum = 0;
  for (int i = 0; i < size; ++i) sum += message[i];
  message[size++] = (unsigned char)(256 - (sum & 255));
  if (answers.count + size > kQueue) return;
  for (int i = 0; i < size; ++i) push(&answers, message[i]);
}

/* Driving. */

static double limited(double speed) {
  return fmax(-500.0, fmin(500.0, speed));
}

static void stop(void) {
  memset(requested, 0, sizeof requested);
  ls_bb_create_base_drive(0.0, 0.0);
}

static void drive_wheels(double right, double left) {
  if (mode != OI_MODE_SAFE && mode != OI_MODE_FULL) return;
  requested[2] = (int)right;
  requested[3] = (int)left;
  ls_bb_create_base_drive(limited(left) / 1000.0, limited(right) / 1000.0);
}

static void drive(int speed, int radius) {
  requested[0] = speed;
  requested[1] = radius;
  const double half = 500.0 * ls_bb_create_base()->track; /* mm */
  if (radius == 32767 || radius == -32768 || radius == 0) {
    drive_wheels(speed, speed);
  } else if (radius == 1 || radius == -1) {
    drive_wheels(radius * speed, -radius * speed);
  } else {
    drive_wheels(speed * (radius + half) / radius, speed * (radius - half) / radius);
  }
}

/* Songs last, and are not heard. */
static void play_song(int number) {
  if (number >= kSongs || ls_bb_now() < song_end) return;
  int ticks = 0;
  for (int i = 0; i < song_lengths[number]; ++i) ticks += songs[number][2 * i + 1];
  song_number = number;
  song_end = ls_bb_now() + ticks * LS_BB_S / 64;
}

/* Waiting. */

static bool is_event(int number) {
  const int bumps = sensed[0];
  switch (number) {
    case 1:
      return bumps >> 2 != 0;
    case 2:
      return bumps >> 4 & 1;
    case 3:
      return bumps >> 3 & 1;
    case 4:
      return bumps >> 2 & 1;
    case 5:
      return (bumps & 3) != 0;
    case 6:
      return bumps >> 1 & 1;
    case 7:
      return bumps & 1;
    case 9:
      return sensed[1];
    case 10:
      return sensed[2] || sensed[3] || sensed[4] || sensed[5];
    case 11:
    case 12:
    case 13:
    case 14:
      return sensed[number - 9];
    case 16:
      return ls_bb_is_pressed("advance");
    case 17:
      return ls_bb_is_pressed("play");
    case 22:
      return mode == OI_MODE_PASSIVE;
    default:
      return false;
  }
}

static bool is_wait_over(void) {
  switch (wait) {
    case TIME:
      return ls_bb_now() >= wait_end;
    case DISTANCE:
      return wait_goal >= 0 ? wait_distance >= wait_goal : wait_distance <= wait_goal;
    case ANGLE:
      return wait_goal >= 0 ? wait_angle >= wait_goal : wait_angle <= wait_goal;
    case EVENT:
      return wait_goal >= 0 ? is_event(wait_goal) : !is_event(-wait_goal);
    default:
      return true;
  }
}

static void start_wait(Wait kind, int goal) {
  wait = kind;
  wait_goal = goal;
  wait_distance = wait_angle = 0.0;
  distance = angle = 0.0;
  if (kind == TIME) wait_end = ls_bb_now() + goal * LS_BB_S / 10;
}

bool ls_bb_oi_is_busy(void) {
  return wait != NOTHING || script_next >= 0;
}

int ls_bb_oi_mode(void) {
  return mode;
}

/* Commands. */

static int word(const unsigned char* bytes) {
  return (int16_t)(bytes[0] << 8 | bytes[1]);
}

static void set_mode(int next) {
  if (next <= OI_MODE_PASSIVE) stop();
  mode = next;
}

static void behave(const char* what) {
  set_mode(OI_MODE_PASSIVE);
  ls_bb_say_once("the Create does not %s here", what);
}

static void run_command(const unsigned char* bytes, int length) {
  switch (bytes[0]) {
    case 7:
    case 173:
      set_mode(OI_MODE_OFF);
      break;
    case 128:
      set_mode(OI_MODE_PASSIVE);
      break;
    case 133:
      set_mode(OI_MODE_PASSIVE);
      break;
    case 130:
    case 131:
      if (mode != OI_MODE_OFF) set_mode(OI_MODE_SAFE);
      break;
    case 132:
      if (mode != OI_MODE_OFF) set_mode(OI_MODE_FULL);
      break;
    case 134:
    case 135:
      behave("clean");
      break;
    case 136:
      behave("run demos");
      break;
    case 143:
      behave("look for its dock");
      break;
    case 137:
      drive(word(bytes + 1), word(bytes + 3));
      break;
    case 145:
      drive_wheels(word(bytes + 1), word(bytes + 3));
      break;
    case 146:
      drive_wheels(word(bytes + 1) * 500.0 / 255.0, word(bytes + 3) * 500.0 / 255.0);
      break;
    case 140:
      if (bytes[1] >= kSongs) break;
      song_lengths[bytes[1]] = bytes[2] < kNotes ? bytes[2] : kNotes;
      memcpy(songs[bytes[1]], bytes + 3, 2 * (size_t)song_lengths[bytes[1]]);
      break;
    case 141:
      play_song(bytes[1]);
      break;
    case 142:
      answer_packet(bytes[1]);
      break;
    case 148:
      stream_count = bytes[1] < (int)sizeof streamed ? bytes[1] : (int)sizeof streamed;
      memcpy(streamed, bytes + 2, (size_t)stream_count);
      is_streaming = true;
      break;
    case 149:
      for (int i = 0; i < bytes[1]; ++i) answer_packet(bytes[2 + i]);
      break;
    case 150:
      is_streaming = bytes[1] != 0;
      break;
    case 152:
      script_length = length - 2 <= kMaxScript ? length - 2 : 0;
      memcpy(script, bytes + 2, (size_t)script_length);
      break;
    case 153:
      script_next = script_length > 0 ? 0 : -1;
      break;
    case 154:
      push(&answers, (unsigned char)script_length);
      for (int i = 0; i < script_length; ++i) push(&answers, script[i]);
      break;
    case 155:
      start_wait(TIME, bytes[1]);
      break;
    case 156:
      start_wait(DISTANCE, word(bytes + 1));
      break;
    case 157:
      start_wait(ANGLE, word(bytes + 1));
      break;
    case 158:
      start_wait(EVENT, (signed char)bytes[1]);
      break;
    default:
      break; /* lights, outputs, infrared, baud rate: nothing to see here */
  }
}

/* Length of the command that begins here, 0 if it is not complete. */
static int length_of_command(const unsigned char* bytes, int count) {
  static const signed char arguments[] = {/* 128 */ 0, 1, 0,  0,  0, 0, 0,  0, 1, 4, 1, 3, -1,
                                          1,           1, 0,  3,  4,
                                          /* 146 */ 4, 1, -1, -1, 1, 1, -1, 0, 0, 1, 2, 2, 1};
  const int code = bytes[0];
  int length = 1;
  if (code >= 128 && code <= 158) {
    length = 1 + arguments[code - 128];
    if (arguments[code - 128] < 0) {
      const int counted = code == 140 ? 2 : 1; /* where the count is */
      if (count <= counted) return 0;
      length = 1 + counted + (code == 140 ? 2 : 1) * bytes[counted];
    }
  }
  return length <= count ? length : 0;
}

static void run_script(void) {
  while (script_next >= 0 && wait == NOTHING) {
    const int length = length_of_command(script + script_next, script_length - script_next);
    if (length == 0) {
      script_next = -1;
      return;
    }
    const int at = script_next;
    script_next = at + length < script_length ? at + length : -1;
    run_command(script + at, length);
    /* A script that calls itself without a wait would never end: it goes on at the next exchange. */
    if (script[at] == 153) return;
  }
}

static void run_input(void) {
  static unsigned char bytes[600]; /* the longest command: a song or a list of 255 */
  while (input.count > 0 && !ls_bb_oi_is_busy()) {
    const int count = input.count < (int)sizeof bytes ? input.count : (int)sizeof bytes;
    for (int i = 0; i < count; ++i) bytes[i] = peek(&input, i);
    const int length = length_of_command(bytes, count);
    if (length == 0) return;
    drop(&input, length);
    run_command(bytes, length);
  }
}

void ls_bb_oi_send(unsigned char byte) {
  if (ls_bb_create_base()->model == 0) return;
  push(&input, byte);
  run_input();
}

int ls_bb_oi_available(void) {
  return answers.count;
}

unsigned char ls_bb_oi_take(void) {
  const unsigned char byte = peek(&answers, 0);
  drop(&answers, 1);
  return byte;
}

void ls_bb_oi_drop_answers(void) {
  answers.count = 0;
}

/* In safe mode a cliff ahead or a wheel that hangs stops the robot. */
static void guard(void) {
  if (mode != OI_MODE_SAFE) return;
  const bool goes_forward = requested[2] + requested[3] > 0;
  if (sensed[0] >> 2 != 0 || (goes_forward && is_event(10))) {
    set_mode(OI_MODE_PASSIVE);
    ls_bb_say("the Create stops: %s in safe mode", sensed[0] >> 2 ? "a wheel hangs" : "a cliff");
  }
}

void ls_bb_open_interface_exchange(Nanoseconds now) {
  const CreateBase* base = ls_bb_create_base();
  if (base->model != 1 && base->model != 2) return;
  const double left = base->left_way - last_left, right = base->right_way - last_right;
  last_left = base->left_way;
  last_right = base->right_way;
  const double way = 500.0 * (left + right);                                    /* mm */
  const double turn = (right - left) / base->track * 180.0 / 3.141592653589793; /* degrees */
  distance += way;
  angle += turn;
  wait_distance += way;
  wait_angle += turn;
  if (now % kSampling == 0) {
    sample();
    guard();
    if (is_streaming) answer_stream();
  }
  if (wait != NOTHING && is_wait_over()) wait = NOTHING;
  run_script();
  run_input();
}
