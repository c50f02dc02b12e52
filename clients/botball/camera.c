/* Camera and color tracking: the results of a <camera> named "camera", whose signals are in docs/botball.md. Programs of
 * L and W see the blobs of the last camera_update(), those of C the blobs of the last track_update(). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

enum { kChannels = 8, kBlobs = 10 };

typedef struct {
  double left, top, width, height, x, y, area, confidence;
} Blob;
enum { kBlobNumbers = sizeof(Blob) / sizeof(double) };

/* Colors of a channel: hue 0 to 179, saturation and value 0 to 255. */
typedef struct {
  double hue_from, hue_to, saturation_from, saturation_to, value_from, value_to;
} Colors;
enum { kColorNumbers = sizeof(Colors) / sizeof(double) };

static int frame_signal = -1, width_signal = -1, height_signal = -1;
static int count_signals[kChannels], blob_signals[kChannels][kBlobs][kBlobNumbers],
    color_signals[kChannels][kColorNumbers];
static int enabled_signal = -1;
static bool is_enabled; /* images are taken */
static Colors colors[kChannels];
static bool are_colors_new;
static int channel_count;

/* What the program sees. */
static bool is_open;
static int width = 160, height = 120; /* as the program asked for */
static Blob blobs[kChannels][kBlobs];
static int blob_counts[kChannels];
static double seen_frame; /* number of the image that was copied */
static int capture_time, previous_capture_time;
static char config_folder[200] = "/etc/botui/channels";

static void call(void) {
  ls_bb_enter(COST_OTHER, 1);
}

static bool is_there(void) {
  if (frame_signal >= 0) return true;
  ls_bb_say_once("this robot has no camera; calls for it do nothing");
  return false;
}

void ls_bb_camera_start(void) {
  static const char* const numbers[kBlobNumbers] = {"left", "top", "width", "height",
                                                    "x",    "y",   "area",  "confidence"};
  static const char* const limits[kColorNumbers] = {"hue_from",      "hue_to",     "saturation_from",
                                                    "saturation_to", "value_from", "value_to"};
  char name[60];
  frame_signal = ls_bb_find_read("camera", "frame");
  enabled_signal = ls_bb_find_write("camera", "enabled");
  width_signal = ls_bb_find_read("camera", "width");
  height_signal = ls_bb_find_read("camera", "height");
  for (int c = 0; c < kChannels; ++c) {
    snprintf(name, sizeof name, "channel%d/count", c);
    count_signals[c] = ls_bb_find_read("camera", name);
    if (count_signals[c] >= 0) channel_count = c + 1;
    for (int b = 0; b < kBlobs; ++b) {
      for (int i = 0; i < kBlobNumbers; ++i) {
        snprintf(name, sizeof name, "channel%d/blob%d/%s", c, b, numbers[i]);
        blob_signals[c][b][i] = ls_bb_find_read("camera", name);
      }
    }
    for (int i = 0; i < kColorNumbers; ++i) {
      snprintf(name, sizeof name, "channel%d/%s", c, limits[i]);
      color_signals[c][i] = ls_bb_find_write("camera", name);
    }
  }
  if (!ls_bb_is_cbc()) return;
  const int hues[4][2] = {{330, 30}, {30, 90}, {90, 150}, {210, 270}}; /* red, yellow, green, blue */
  for (int c = 0; c < 4; ++c) colors[c] = (Colors){hues[c][0] / 2.0, hues[c][1] / 2.0, 127, 255, 127, 255};
  are_colors_new = true;
}

/* An image costs as much as many steps: a camera that no program looks at takes none. */
void ls_bb_camera_exchange(void) {
  ls_bb_write(enabled_signal, is_enabled ? 1.0 : 0.0);
  if (!are_colors_new) return;
  are_colors_new = false;
  for (int c = 0; c < kChannels; ++c) {
    double values[kColorNumbers];
    memcpy(values, &colors[c], sizeof values);
    if (colors[c].value_to <= 0.0) continue; /* not set by the program */
    for (int i = 0; i < kColorNumbers; ++i) ls_bb_write(color_signals[c][i], values[i]);
  }
}

static double box(const Blob* blob) {
  return blob->width * blob->height;
}

/* L and W sort by the area of the box, C by that of the pixels, which is the order of the signals. */
static int by_box(const void* a, const void* b) {
  const double difference = box(b) - box(a);
  return difference < 0.0 ? -1 : difference > 0.0;
}

static void copy_blobs(void) {
  seen_frame = ls_bb_read(frame_signal);
  const double x_scale = width / fmax(1.0, ls_bb_read(width_signal)),
               y_scale = height / fmax(1.0, ls_bb_read(height_signal));
  for (int c = 0; c < channel_count; ++c) {
    int count = 0;
    const int all = (int)ls_bb_read(count_signals[c]);
    for (int b = 0; b < all && b < kBlobs && blob_signals[c][b][0] >= 0; ++b) {
      double values[kBlobNumbers];
      for (int i = 0; i < kBlobNumbers; ++i) values[i] = ls_bb_read(blob_signals[c][b][i]);
      Blob blob;
      memcpy(&blob, values, sizeof blob);
      blob.left *= x_scale, blob.width *= x_scale, blob.x *= x_scale;
      blob.top *= y_scale, blob.height *= y_scale, blob.y *= y_scale;
      blob.area *= x_scale * y_scale;
      if (!ls_bb_is_cbc() && blob.width < 3.0 && blob.height < 3.0) continue;
      blobs[c][count++] = blob;
    }
    blob_counts[c] = count;
    if (!ls_bb_is_cbc()) qsort(blobs[c], (size_t)count, sizeof(Blob), by_box);
  }
}

static const Blob* blob_at(int channel, int object) {
  call();
  if (channel < 0 || channel >= channel_count || object < 0 || object >= blob_counts[channel]) return NULL;
  return &blobs[channel][object];
}

/* L and W. */

static int open_camera(int w, int h) {
  ls_bb_charge(200 * LS_BB_MS);
  if (!is_there() || is_open) return 0;
  is_open = is_enabled = true;
  width = w;
  height = h;
  return 1;
}
static int open_at(enum Resolution resolution) {
  return resolution == LOW_RES   ? open_camera(160, 120)
         : resolution == MED_RES ? open_camera(320, 240)
                                 : open_camera(640, 480);
}
int camera_open() {
  return open_at(LOW_RES);
}
int camera_open_black() {
  return open_at(LOW_RES);
}
int camera_open_at_res(enum Resolution resolution) {
  return open_at(resolution);
}
int camera_open_device(int number, enum Resolution resolution) {
  (void)number;
  return open_at(resolution);
}
int camera_open_device_model_at_res(int number, enum Model model, enum Resolution resolution) {
  (void)number, (void)model;
  return open_at(resolution);
}
void camera_close() {
  call();
  is_open = is_enabled = false;
  memset(blob_counts, 0, sizeof blob_counts);
}

/* Waits for the next image; a loop without a camera must not be free. */
int camera_update() {
  call();
  if (!is_there() || !is_open) {
    ls_bb_sleep_until(ls_bb_now() + 66 * LS_BB_MS, "camera_update");
    return 0;
  }
  const double before = ls_bb_read(frame_signal);
  while (ls_bb_read(frame_signal) == before) ls_bb_sleep_until(ls_bb_now() + LS_BB_MS, "camera_update");
  copy_blobs();
  return 1;
}

int get_channel_count() {
  call();
  return is_open ? channel_count : 0;
}
int get_object_count(int channel) {
  call();
  return is_open && channel >= 0 && channel < channel_count ? blob_counts[channel] : -1;
}
int get_object_area(int channel, int object) {
  const Blob* blob = blob_at(channel, object);
  return blob ? (int)lround(blob->width) * (int)lround(blob->height) : -1;
}
double get_object_confidence(int channel, int object) {
  const Blob* blob = blob_at(channel, object);
  return !blob ? 0.0 : ls_bb_era == ERA_L ? 1.0 : blob->confidence;
}
rectangle get_object_bbox(int channel, int object) {
  const Blob* b = blob_at(channel, object);
  if (!b) return (rectangle){-1, -1, 0, 0};
  return (rectangle){(int)lround(b->left), (int)lround(b->top), (int)lround(b->width), (int)lround(b->height)};
}
point2 get_object_center(int channel, int object) {
  const rectangle r = get_object_bbox(channel, object);
  return r.ulx < 0 ? (point2){-1, -1} : (point2){r.ulx + r.width / 2, r.uly + r.height / 2};
}
point2 get_object_centroid(int channel, int object) {
  const Blob* blob = blob_at(channel, object);
  return blob ? (point2){(int)blob->x, (int)blob->y} : (point2){-1, -1};
}
#define PART(name, whole, part)         \
  int name(int channel, int object) {   \
    return whole(channel, object).part; \
  }
PART(get_object_center_x, get_object_center, x)
PART(get_object_center_y, get_object_center, y)
PART(get_object_center_column, get_object_center, x)
PART(get_object_center_row, get_object_center, y)
PART(get_object_centroid_x, get_object_centroid, x)
PART(get_object_centroid_y, get_object_centroid, y)
PART(get_object_centroid_column, get_object_centroid, x)
PART(get_object_centroid_row, get_object_centroid, y)
PART(get_object_bbox_ulx, get_object_bbox, ulx)
PART(get_object_bbox_uly, get_object_bbox, uly)
PART(get_object_bbox_width, get_object_bbox, width)
PART(get_object_bbox_height, get_object_bbox, height)
int get_object_bbox_brx(int channel, int object) {
  const rectangle r = get_object_bbox(channel, object);
  return r.ulx + r.width;
}
int get_object_bbox_bry(int channel, int object) {
  const rectangle r = get_object_bbox(channel, object);
  return r.uly + r.height;
}
int get_camera_width() {
  call();
  return ls_bb_era == ERA_L && seen_frame == 0.0 ? 0 : is_open ? width : 0;
}
int get_camera_height() {
  call();
  return ls_bb_era == ERA_L && seen_frame == 0.0 ? 0 : is_open ? height : 0;
}

/* Codes and pixels are not passed on: programs that use them are told once. */
static void no_pixels(void) {
  call();
  ls_bb_say_once("programs see the blobs of the camera, not its pixels and codes");
}
int get_object_data_length(int channel, int object) {
  (void)channel, (void)object;
  no_pixels();
  return 0;
}
const char* get_object_data(int channel, int object) {
  (void)channel, (void)object;
  no_pixels();
  return NULL;
}
int get_code_num(int channel, int object) {
  (void)channel, (void)object;
  no_pixels();
  return -1;
}
const unsigned char* get_camera_frame() {
  no_pixels();
  return NULL;
}
const unsigned char* get_camera_frame_row(unsigned row) {
  (void)row;
  no_pixels();
  return NULL;
}
pixel get_camera_pixel(point2 p) {
  (void)p;
  no_pixels();
  return (pixel){0, 0, 0};
}
unsigned get_camera_element_size() {
  call();
  return 3;
}
void set_camera_width(int w) {
  (void)w;
  call();
}
void set_camera_height(int h) {
  (void)h;
  call();
}

/* Channel configurations: lines such as "camera/channel_0/th: 10". t is the upper limit, b the lower one. */

void set_camera_config_base_path(const char* path) {
  call();
  if (path) snprintf(config_folder, sizeof config_folder, "%s", path);
}

static void set_limit(Colors* limits, char side, char quantity, double value) {
  const bool is_upper = side == 't';
  switch (quantity) {
    case 'h':
      *(is_upper ? &limits->hue_to : &limits->hue_from) = value;
      break;
    case 's':
      *(is_upper ? &limits->saturation_to : &limits->saturation_from) = value;
      break;
    case 'v':
      *(is_upper ? &limits->value_to : &limits->value_from) = value;
      break;
    default:
      break;
  }
}

int camera_load_config(const char* name) {
  ls_bb_charge(10 * LS_BB_MS);
  char path[300];
  snprintf(path, sizeof path, "%s/%s%s", config_folder, name ? name : "",
           name && strstr(name, ".conf") ? "" : ".conf");
  FILE* file = strstr(path, "..") ? NULL : fopen(path + strspn(path, "/"), "re");
  if (!file) {
    ls_bb_say("camera_load_config: no file %s.conf beside the program; the channels stay as they are",
              name ? name : "");
    return 1;
  }
  char line[200], side, quantity;
  int channel;
  double value;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, " camera/channel_%d/%c%c: %lf", &channel, &side, &quantity, &value) == 4 && channel >= 0 &&
        channel < kChannels && (side == 't' || side == 'b') && value >= 0.0 && value <= 255.0)
      set_limit(&colors[channel], side, quantity, value);
  }
  fclose(file);
  are_colors_new = true;
  return 1;
}

/* C. */

void track_init() {
  call();
  is_enabled = true;
}
int track_is_new_data_available() {
  track_init();
  return is_there() && ls_bb_read(frame_signal) > seen_frame;
}
int track_update() {
  track_init();
  if (!is_there() || ls_bb_read(frame_signal) <= seen_frame) return 0;
  previous_capture_time = capture_time;
  capture_time = (int)(ls_bb_now() / LS_BB_MS);
  copy_blobs();
  return 1;
}
int track_get_frame() {
  call();
  return (int)seen_frame;
}
int track_capture_time() {
  call();
  return capture_time;
}
int track_previous_capture_time() {
  call();
  return previous_capture_time;
}
int track_count(int channel) {
  call();
  return channel < 0 || channel > 3 ? -1 : blob_counts[channel];
}
#define TRACK(name, value)                      \
  int track_##name(int channel, int index) {    \
    const Blob* blob = blob_at(channel, index); \
    return blob ? (int)lround(value) : -1;      \
  }
TRACK(size, blob->area)
TRACK(x, blob->x)
TRACK(y, blob->y)
TRACK(confidence, 100.0 * blob->confidence)
TRACK(bbox_left, blob->left)
TRACK(bbox_right, blob->left + blob->width - 1.0)
TRACK(bbox_top, blob->top)
TRACK(bbox_bottom, blob->top + blob->height - 1.0)
TRACK(bbox_width, blob->width)
TRACK(bbox_height, blob->height)
TRACK(major_axis, fmax(blob->width, blob->height))
TRACK(minor_axis, fmin(blob->width, blob->height))
float track_angle(int channel, int index) {
  const Blob* blob = blob_at(channel, index);
  return !blob ? -1.0f : blob->height > blob->width ? 1.5707964f : 0.0f;
}
void track_set_model_hsv(int channel, int h_min, int h_max, int s_min, int v_min) {
  call();
  if (channel < 0 || channel > 3) return;
  colors[channel] = (Colors){h_min / 2.0, h_max / 2.0, s_min, 255, v_min, 255};
  are_colors_new = true;
}
void track_get_model_hsv(int channel, int* h_min, int* h_max, int* s_min, int* v_min) {
  call();
  if (channel < 0 || channel > 3) return;
  const Colors* c = &colors[channel];
  *h_min = (int)lround(2.0 * c->hue_from), *h_max = (int)lround(2.0 * c->hue_to);
  *s_min = (int)c->saturation_from, *v_min = (int)c->value_from;
}
/* Whether the largest blob of channel a that is inside a blob of channel b exists, and where it is. */
int target_cha_in_chb(int a, int b, int* x, int* y) {
  call();
  if (a < 0 || a > 3 || b < 0 || b > 3) return 0;
  for (int i = 0; i < blob_counts[a]; ++i) {
    for (int j = 0; j < blob_counts[b]; ++j) {
      const Blob *inner = &blobs[a][i], *outer = &blobs[b][j];
      if (inner->left < outer->left || inner->left + inner->width > outer->left + outer->width ||
          inner->top < outer->top || inner->top + inner->height > outer->top + outer->height)
        continue;
      *x = (int)inner->x, *y = (int)inner->y;
      return 1;
    }
  }
  return 0;
}
int init_camera() {
  track_init();
  return is_there();
}
