/* The console of a program: its standard streams. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "sandbox.h"

/* The console: one stream of text. Each line of the log begins with the virtual time. */

static bool at_line_start = true;
static int console_file = -1;
static char label[60]; /* of the robot, if there are several */
static size_t written_bytes;
static const size_t kMaxConsole = 16u << 20;

static void write_all(int file, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t written = file == 1 ? ls_bb_write_console(text, size) : write(file, text, size);
    if (written <= 0) return;
    text += written;
    size -= (size_t)written;
  }
}

static void put_console(const char* text, size_t size) {
  if (written_bytes > kMaxConsole) return;
  written_bytes += size;
  if (console_file >= 0) write_all(console_file, text, size);
  char stamp[100];
  for (size_t begin = 0; begin < size;) {
    if (text[begin] == '\a' || text[begin] == '\f') { /* the beep, and the clearing of the screen */
      ++begin;
      continue;
    }
    if (at_line_start) {
      const int length = snprintf(stamp, sizeof stamp, "%9.3f  %s", (double)ls_bb_now() / 1e9, label);
      write_all(1, stamp, (size_t)length);
      at_line_start = false;
    }
    size_t end = begin;
    while (end < size && text[end] != '\n' && text[end] != '\a' && text[end] != '\f') ++end;
    if (end < size && text[end] == '\n') {
      ++end;
      at_line_start = true;
    }
    write_all(1, text + begin, end - begin);
    begin = end;
  }
  if (written_bytes > kMaxConsole) write_all(1, "\n[console: more than 16 MB; the rest is dropped]\n", 48);
}

void ls_bb_console_flush(void) {
  if (!at_line_start) write_all(1, "\n", 1);
  at_line_start = true;
}

static void say(const char* text) {
  if (!at_line_start) put_console("\n", 1);
  put_console("lockstep: ", 10);
  put_console(text, strlen(text));
  put_console("\n", 1);
}

void ls_bb_say(const char* format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  say(text);
}

void ls_bb_say_once(const char* format, ...) {
  enum { kMaxSaid = 256 };
  static uint64_t said[kMaxSaid]; /* hashes of the texts: this may be called by a handler of a signal */
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (const char* p = text; *p; ++p) hash = (hash ^ (unsigned char)*p) * 1099511628211u;
  for (int i = 0; i < kMaxSaid; ++i) {
    if (said[i] == hash) return;
    if (said[i] == 0) {
      said[i] = hash;
      say(text);
      return;
    }
  }
}

/* The cost of printing is paid at the next tick of the thread: within a stream it must not give way to another thread
 * that may use the same stream. */
ssize_t ls_bb_console_write(void* cookie, const char* text, size_t size) {
  (void)cookie;
  size_t lines = size / 80;
  for (size_t i = 0; i < size; ++i) lines += text[i] == '\n';
  put_console(text, size);
  ls_bb_owe((Nanoseconds)(lines > 0 ? lines : 1) * ls_bb_cost(COST_PRINT));
  return (ssize_t)size;
}

static int input_file = -1;

ssize_t ls_bb_console_read(void* cookie, char* buffer, size_t size) {
  (void)cookie;
  if (input_file < 0) {
    ls_bb_say_once("the program reads the keyboard; it gets the end of the file");
    return 0;
  }
  const ssize_t count = read(input_file, buffer, size);
  return count < 0 ? 0 : count;
}

void ls_bb_console_start(void) {
  const char* path = getenv("LOCKSTEP_BOTBALL_CONSOLE");
  if (path) console_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const char* robot = getenv("LOCKSTEP_BOTBALL_LABEL");
  if (robot) snprintf(label, sizeof label, "%.50s: ", robot);
  path = getenv("LOCKSTEP_BOTBALL_INPUT");
  if (path) input_file = open(path, O_RDONLY | O_CLOEXEC);
  stdout = fopencookie(NULL, "w", (cookie_io_functions_t){.write = ls_bb_console_write});
  stderr = fopencookie(NULL, "w", (cookie_io_functions_t){.write = ls_bb_console_write});
  stdin = fopencookie(NULL, "r", (cookie_io_functions_t){.read = ls_bb_console_read});
  setvbuf(stdout, NULL, _IONBF, 0);
  setvbuf(stderr, NULL, _IONBF, 0);
}
