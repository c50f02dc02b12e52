/* Graphics: a window of pixels in memory. With LOCKSTEP_BOTBALL_GRAPHICS, graphics_update() writes it to this file as a
 * bitmap, which a browser shows. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

enum { kMaxSide = 2048 };
static unsigned char* pixels; /* rows from the top, blue, green, red; NULL: closed */
static int width, height;
static int image_file = -1;

void ls_bb_graphics_start(void) {
  const char* path = getenv("LOCKSTEP_BOTBALL_GRAPHICS");
  if (path) image_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void call(void) {
  ls_bb_enter(COST_OTHER, 1);
}

int graphics_open(int w, int h) {
  ls_bb_charge(10 * LS_BB_MS);
  if (pixels || w <= 0 || h <= 0 || w > kMaxSide || h > kMaxSide) return 0;
  pixels = calloc((size_t)w * (size_t)h, 3);
  width = pixels ? w : 0;
  height = pixels ? h : 0;
  return pixels != NULL;
}
void graphics_close() {
  call();
  free(pixels);
  pixels = NULL;
  width = height = 0;
}

static void put_number(unsigned char* at, unsigned value) {
  for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

/* A BMP file: header, then rows from the top (its height is negative), each padded to 4 bytes. */
static void write_image(void) {
  const size_t padding = (4 - (size_t)(3 * width) % 4) % 4, row = 3 * (size_t)width + padding;
  const size_t size = 54 + row * (size_t)height;
  unsigned char* bytes = calloc(size, 1);
  if (!bytes) return;
  bytes[0] = 'B', bytes[1] = 'M';
  put_number(bytes + 2, (unsigned)size);
  put_number(bytes + 10, 54);
  put_number(bytes + 14, 40);
  put_number(bytes + 18, (unsigned)width);
  put_number(bytes + 22, (unsigned)-height);
  bytes[26] = 1;
  bytes[28] = 24;
  for (int y = 0; y < height; ++y)
    memcpy(bytes + 54 + (size_t)y * row, pixels + 3 * (size_t)y * (size_t)width, 3 * (size_t)width);
  if (pwrite(image_file, bytes, size, 0) == (ssize_t)size && ftruncate(image_file, (off_t)size) != 0)
    ls_bb_say_once("the image of the graphics cannot be written");
  free(bytes);
}

void graphics_update() {
  call();
  if (pixels && image_file >= 0) write_image();
  ls_bb_sleep_until(ls_bb_now() + 10 * LS_BB_MS, "graphics_update");
}

static void put(int x, int y, int r, int g, int b) {
  if (x < 0 || y < 0 || x >= width || y >= height) return;
  unsigned char* at = pixels + 3 * ((size_t)y * (size_t)width + (size_t)x);
  at[0] = (unsigned char)b, at[1] = (unsigned char)g, at[2] = (unsigned char)r;
}

/* Corners that a loop may run between: nothing outside of the window is drawn anyway. */
static int limited(int value) {
  return value < -kMaxSide ? -kMaxSide : value > 2 * kMaxSide ? 2 * kMaxSide : value;
}

static void fill_box(int x1, int y1, int x2, int y2, int r, int g, int b) {
  const int left = limited(x1 < x2 ? x1 : x2), right = limited(x1 < x2 ? x2 : x1);
  const int top = limited(y1 < y2 ? y1 : y2), bottom = limited(y1 < y2 ? y2 : y1);
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) put(x, y, r, g, b);
  }
}

static void draw_line(int x1, int y1, int x2, int y2, int r, int g, int b) {
  x1 = limited(x1), y1 = limited(y1), x2 = limited(x2), y2 = limited(y2);
  const int dx = abs(x2 - x1), dy = -abs(y2 - y1), sx = x1 < x2 ? 1 : -1, sy = y1 < y2 ? 1 : -1;
  for (int error = dx + dy;;) {
    put(x1, y1, r, g, b);
    if (x1 == x2 && y1 == y2) return;
    const int twice = 2 * error;
    if (twice >= dy) error += dy, x1 += sx;
    if (twice <= dx) error += dx, y1 += sy;
  }
}

void graphics_clear() {
  call();
  if (pixels) memset(pixels, 0, 3 * (size_t)width * (size_t)height);
}
void graphics_fill(int r, int g, int b) {
  call();
  fill_box(0, 0, width - 1, height - 1, r, g, b);
}
void graphics_pixel(int x, int y, int r, int g, int b) {
  call();
  put(x, y, r, g, b);
}
void graphics_line(int x1, int y1, int x2, int y2, int r, int g, int b) {
  call();
  draw_line(x1, y1, x2, y2, r, g, b);
}
void graphics_rectangle(int x1, int y1, int x2, int y2, int r, int g, int b) {
  call();
  draw_line(x1, y1, x2, y1, r, g, b);
  draw_line(x2, y1, x2, y2, r, g, b);
  draw_line(x2, y2, x1, y2, r, g, b);
  draw_line(x1, y2, x1, y1, r, g, b);
}
void graphics_rectangle_fill(int x1, int y1, int x2, int y2, int r, int g, int b) {
  call();
  fill_box(x1, y1, x2, y2, r, g, b);
}
void graphics_circle(int cx, int cy, int radius, int r, int g, int b) {
  call();
  radius = limited(abs(radius));
  for (int x = radius, y = 0, error = 1 - radius; x >= y; ++y) {
    const int points[8][2] = {{x, y}, {y, x}, {-y, x}, {-x, y}, {-x, -y}, {-y, -x}, {y, -x}, {x, -y}};
    for (int i = 0; i < 8; ++i) put(cx + points[i][0], cy + points[i][1], r, g, b);
    error += error < 0 ? 2 * y + 3 : 2 * (y - --x) + 3;
  }
}
/* Without its last column and row, as on the controllers. */
void graphics_circle_fill(int cx, int cy, int radius, int r, int g, int b) {
  call();
  radius = limited(abs(radius));
  for (int y = -radius; y < radius; ++y) {
    for (int x = -radius; x < radius; ++x) {
      if (x * x + y * y <= radius * radius) put(cx + x, cy + y, r, g, b);
    }
  }
}
void graphics_triangle(int x1, int y1, int x2, int y2, int x3, int y3, int r, int g, int b) {
  call();
  draw_line(x1, y1, x2, y2, r, g, b);
  draw_line(x2, y2, x3, y3, r, g, b);
  draw_line(x3, y3, x1, y1, r, g, b);
}
static long cross(int ax, int ay, int bx, int by, int cx, int cy) {
  return (long)(bx - ax) * (cy - ay) - (long)(by - ay) * (cx - ax);
}
void graphics_triangle_fill(int x1, int y1, int x2, int y2, int x3, int y3, int r, int g, int b) {
  call();
  x1 = limited(x1), y1 = limited(y1), x2 = limited(x2), y2 = limited(y2), x3 = limited(x3), y3 = limited(y3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const long a = cross(x1, y1, x2, y2, x, y), c = cross(x2, y2, x3, y3, x, y),
                 d = cross(x3, y3, x1, y1, x, y);
      if ((a >= 0 && c >= 0 && d >= 0) || (a <= 0 && c <= 0 && d <= 0)) put(x, y, r, g, b);
    }
  }
}
void graphics_blit_region_enc(const unsigned char* data, Encoding encoding, int sx, int sy, int ex, int ey,
                              int w, int h, int dx, int dy) {
  call();
  if (!data || w <= 0) return;
  for (int y = sy < 0 ? 0 : sy; y < ey && y < h; ++y) {
    for (int x = sx < 0 ? 0 : sx; x < ex && x < w; ++x) {
      const unsigned char* at = data + 3 * ((size_t)y * (size_t)w + (size_t)x);
      const int first = encoding == BGR ? 2 : 0;
      put(dx + x - sx, dy + y - sy, at[first], at[1], at[2 - first]);
    }
  }
}
void graphics_blit_region(const unsigned char* data, int sx, int sy, int ex, int ey, int w, int h, int dx,
                          int dy) {
  graphics_blit_region_enc(data, RGB, sx, sy, ex, ey, w, h, dx, dy);
}
void graphics_blit_enc(const unsigned char* data, Encoding encoding, int x, int y, int w, int h) {
  graphics_blit_region_enc(data, encoding, 0, 0, w, h, w, h, x, y);
}
void graphics_blit(const unsigned char* data, int x, int y, int w, int h) {
  graphics_blit_enc(data, RGB, x, y, w, h);
}

/* Text: letters of 3 x 5 dots, 10 x 14 pixels at size 1. */

static const char kGlyphs[] = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.-:!";
static const unsigned short kDots[] = {
    /* rows of three bits from the top */
    000000, 075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717,
    025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227, 011157, 055655,
    044447, 057755, 065555, 025552, 065644, 025563, 065655, 034216, 072222, 055557, 055552,
    055775, 055255, 055222, 071247, 000002, 000700, 002020, 022202};

static void draw_glyph(int character, int x, int y, int r, int g, int b, double size) {
  if (character >= 'a' && character <= 'z') character -= 'a' - 'A';
  const char* at = character > 0 ? strchr(kGlyphs, character) : NULL;
  if (!at || !(size > 0.0)) return;
  const unsigned dots = kDots[at - kGlyphs];
  for (int i = 0; i < 15; ++i) {
    if (!(dots >> (14 - i) & 1)) continue;
    const int column = i % 3, row = i / 3;
    fill_box(x + (int)(2.8 * size * column), y + (int)(2.8 * size * row),
             x + (int)fmax(2.8 * size * column, 2.8 * size * (column + 1) - 1.0),
             y + (int)fmax(2.8 * size * row, 2.8 * size * (row + 1) - 1.0), r, g, b);
  }
}
static void draw_text(const char* text, int x, int y, int r, int g, int b, double size) {
  for (; text && *text; ++text, x += (int)(11.0 * size)) draw_glyph((unsigned char)*text, x, y, r, g, b, size);
}
/* Each under the three names that it had. */
#define TEXT(type, parameters, body, new_name, camel) \
  type graphics_##new_name parameters body type graphics_##camel parameters body type g_##camel parameters body
TEXT(
    void, (char text[], int x, int y, int r, int g, int b, float size),
    {
      call();
      draw_text(text, x, y, r, g, b, (double)size);
    },
    print_string, printString)
TEXT(
    void, (int character, int x, int y, int r, int g, int b, float size),
    {
      call();
      draw_glyph(character, x, y, r, g, b, (double)size);
    },
    print_character, printCharacter)
TEXT(
    int, (int number, int digits, int x, int y, int r, int g, int b, float size),
    {
      call();
      char text[20];
      const int length = snprintf(text, sizeof text, "%0*d", digits < 0 || digits > 15 ? 0 : digits, number);
      draw_text(text, x, y, r, g, b, (double)size);
      return length;
    },
    print_int, printInt)
TEXT(
    void, (float number, int digits, int x, int y, int r, int g, int b, float size),
    {
      call();
      char text[60];
      snprintf(text, sizeof text, "%.*f", digits < 0 || digits > 9 ? 0 : digits, (double)number);
      draw_text(text, x, y, r, g, b, (double)size);
    },
    print_float, printFloat)
TEXT(
    void, (int segments[], int x, int y, int r, int g, int b, float size),
    {
      call();
      if (segments && size > 0.0f)
        ls_bb_say_once("single segments are not drawn, as at %d %d in %d %d %d", x, y, r, g, b);
    },
    segment_display, segmentDisplay)

/* No one moves the mouse or presses keys. */
void get_mouse_position(int* x, int* y) {
  call();
  if (x) *x = 0;
  if (y) *y = 0;
}
int get_mouse_left_button() {
  call();
  return 0;
}
int get_mouse_middle_button() {
  return get_mouse_left_button();
}
int get_mouse_right_button() {
  return get_mouse_left_button();
}
int get_key_state(enum KeyCode key) {
  (void)key;
  return get_mouse_left_button();
}

point2 create_point2(int x, int y) {
  return (point2){x, y};
}
point3 create_point3(int x, int y, int z) {
  return (point3){x, y, z};
}
rectangle create_rectangle(int ulx, int uly, int w, int h) {
  return (rectangle){ulx, uly, w, h};
}
