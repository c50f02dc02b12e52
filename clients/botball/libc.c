/* Functions of the C library as programs see them: time is virtual, threads are those of scheduler.c, the console is
 * stamped, and nothing outside of the program's folder is touched. `lockstep botball` renames the references of a program
 * from NAME to ls_bb_libc_NAME, for every name in libc_names.txt. The library itself uses the C library as it is. */
#include "libc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

/* Reading the time. */

static Nanoseconds clock_now(void) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  return kEpoch + ls_bb_now();
}

static struct timespec timespec_of(Nanoseconds time) {
  return (struct timespec){time / LS_BB_S, time % LS_BB_S};
}

LIBC(time_t, time)(time_t* result) {
  const time_t time = clock_now() / LS_BB_S;
  if (result) *result = time;
  return time;
}

LIBC(int, gettimeofday)(struct timeval* time, void* zone) {
  (void)zone;
  const Nanoseconds now = clock_now();
  *time = (struct timeval){now / LS_BB_S, now % LS_BB_S / 1000};
  return 0;
}

LIBC(int, clock_gettime)(clockid_t clock, struct timespec* time) {
  (void)clock;
  *time = timespec_of(clock_now());
  return 0;
}

LIBC(int, timespec_get)(struct timespec* time, int base) {
  *time = timespec_of(clock_now());
  return base;
}

LIBC(int, clock_getres)(clockid_t clock, struct timespec* time) {
  (void)clock;
  if (time) *time = (struct timespec){0, 1};
  return 0;
}

LIBC(clock_t, clock)(void) {
  return (clock_now() - kEpoch) / 1000;
}

LIBC(clock_t, times)(struct tms* buffer) {
  const clock_t ticks = (clock_now() - kEpoch) / (10 * LS_BB_MS);
  if (buffer) *buffer = (struct tms){.tms_utime = ticks};
  return ticks;
}

/* Letting time pass. */

static void sleep_for(Nanoseconds duration, const char* what) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  if (duration > 0) ls_bb_sleep_until(ls_bb_now() - ls_bb_cost(COST_OTHER) + duration, what);
}

LIBC(unsigned, sleep)(unsigned seconds) {
  sleep_for(seconds * LS_BB_S, "sleep");
  return 0;
}

LIBC(int, usleep)(unsigned microseconds) {
  sleep_for(microseconds * LS_BB_US, "usleep");
  return 0;
}

LIBC(int, nanosleep)(const struct timespec* time, struct timespec* left) {
  if (left) *left = (struct timespec){0, 0};
  sleep_for(nanoseconds_of(time), "nanosleep");
  return 0;
}

LIBC(int, clock_nanosleep)(clockid_t clock, int flags, const struct timespec* time, struct timespec* left) {
  (void)clock;
  if (left) *left = (struct timespec){0, 0};
  sleep_for(flags & TIMER_ABSTIME ? nanoseconds_of(time) - kEpoch - ls_bb_now() : nanoseconds_of(time),
            "clock_nanosleep");
  return 0;
}

LIBC(int, select)(int count, fd_set* in, fd_set* out, fd_set* bad, struct timeval* time) {
  (void)count, (void)out;
  if (bad) FD_ZERO(bad);
  if (in) FD_ZERO(in);
  if (!time) {
    ls_bb_wait(&kEpoch, LS_BB_NEVER, "select without a timeout");
    return 0;
  }
  sleep_for(time->tv_sec * LS_BB_S + time->tv_usec * LS_BB_US, "select");
  return 0;
}

LIBC(int, poll)(struct pollfd* files, nfds_t count, int milliseconds) {
  for (nfds_t i = 0; i < count; ++i) files[i].revents = 0;
  if (milliseconds < 0) ls_bb_wait(&kEpoch, LS_BB_NEVER, "poll without a timeout");
  sleep_for(milliseconds * LS_BB_MS, "poll");
  return 0;
}

LIBC(int, pause)(void) {
  ls_bb_wait(&kEpoch, LS_BB_NEVER, "pause");
  errno = EINTR;
  return -1;
}

LIBC(int, sched_yield)(void) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  return 0;
}

LIBC(unsigned, alarm)(unsigned seconds) {
  (void)seconds;
  ls_bb_say_once("alarm() does nothing here");
  return 0;
}

/* Processes. */

static void (*exit_handlers[64])(void);
static int exit_handler_count;

LIBC(int, atexit)(void (*function)(void)) {
  if (exit_handler_count == 64) return -1;
  exit_handlers[exit_handler_count++] = function;
  return 0;
}

void ls_bb_run_exit_handlers(void) {
  while (exit_handler_count > 0) exit_handlers[--exit_handler_count]();
}

static _Noreturn void end_with_status(int status) {
  char reason[40];
  snprintf(reason, sizeof reason, "exit(%d)", status);
  ls_bb_end(reason);
}

LIBC(_Noreturn void, exit)(int status) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  ls_bb_run_exit_handlers();
  end_with_status(status);
}
LIBC(_Noreturn void, _exit)(int status) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  end_with_status(status);
}
LIBC(_Noreturn void, _Exit)(int status) {
  ls_bb_libc__exit(status);
}
LIBC(_Noreturn void, quick_exit)(int status) {
  ls_bb_libc__exit(status);
}
LIBC(_Noreturn void, abort)(void) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  ls_bb_end("abort()");
}

LIBC(int, system)(const char* command) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  if (command && strcmp(command, "clear") == 0) {
    fputc('\f', stdout);
    return 0;
  }
  ls_bb_say("system(\"%s\") does nothing here", command ? command : "");
  return 0;
}
LIBC(FILE*, popen)(const char* command, const char* mode) {
  (void)mode;
  ls_bb_say("popen(\"%s\") does nothing here", command);
  errno = ENOSYS;
  return NULL;
}
LIBC(int, pclose)(FILE* file) {
  (void)file;
  return -1;
}
static int reject_process(void) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  ls_bb_say_once("a program cannot start processes here");
  errno = EAGAIN;
  return -1;
}
LIBC(int, fork)(void) {
  return reject_process();
}
LIBC(int, vfork)(void) {
  return reject_process();
}
LIBC(int, execl)(const char* path, const char* argument, ...) {
  (void)path, (void)argument;
  return reject_process();
}
LIBC(int, execlp)(const char* path, const char* argument, ...) {
  (void)path, (void)argument;
  return reject_process();
}
LIBC(int, execv)(const char* path, char* const* arguments) {
  (void)path, (void)arguments;
  return reject_process();
}
LIBC(int, execvp)(const char* path, char* const* arguments) {
  (void)path, (void)arguments;
  return reject_process();
}
LIBC(int, execve)(const char* path, char* const* arguments, char* const* environment) {
  (void)path, (void)arguments, (void)environment;
  return reject_process();
}
LIBC(int, wait)(int* status) {
  (void)status;
  errno = ECHILD;
  return -1;
}
LIBC(int, waitpid)(int id, int* status, int options) {
  (void)id, (void)options;
  return ls_bb_libc_wait(status);
}
LIBC(int, getpid)(void) {
  return 1000;
}
LIBC(int, kill)(int id, int number) {
  (void)id;
  if (number == 0) return 0;
  ls_bb_end("the program sent a signal to itself");
}
LIBC(int, raise)(int number) {
  return ls_bb_libc_kill(0, number);
}
LIBC(sighandler_t, signal)(int number, sighandler_t handler) {
  (void)number, (void)handler;
  return SIG_DFL;
}
LIBC(int, sigaction)(int number, const struct sigaction* action, struct sigaction* old) {
  (void)number, (void)action;
  if (old) memset(old, 0, sizeof *old);
  return 0;
}

/* Files: a path of a controller, such as /home/root/x, is the path home/root/x in the folder of the program. */

static const char* map_path(const char* path) {
  if (!path || strstr(path, "..")) return NULL;
  while (*path == '/') ++path;
  return *path ? path : ".";
}

LIBC(FILE*, fopen)(const char* path, const char* mode) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  const char* mapped = map_path(path);
  if (!mapped) {
    errno = EACCES;
    return NULL;
  }
  return fopen(mapped, mode);
}
LIBC(FILE*, fopen64)(const char* path, const char* mode) {
  return ls_bb_libc_fopen(path, mode);
}
LIBC(FILE*, freopen)(const char* path, const char* mode, FILE* file) {
  const char* mapped = map_path(path);
  if (!mapped) {
    errno = EACCES;
    return NULL;
  }
  return freopen(mapped, mode, file);
}
LIBC(int, open)(const char* path, int flags, ...) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  const char* mapped = map_path(path);
  if (!mapped) {
    errno = EACCES;
    return -1;
  }
  return open(mapped, flags | O_CLOEXEC, 0666);
}
LIBC(int, creat)(const char* path, mode_t mode) {
  (void)mode;
  return ls_bb_libc_open(path, O_WRONLY | O_CREAT | O_TRUNC);
}
LIBC(int, access)(const char* path, int mode) {
  const char* mapped = map_path(path);
  errno = EACCES;
  return mapped ? access(mapped, mode) : -1;
}
LIBC(int, unlink)(const char* path) {
  const char* mapped = map_path(path);
  errno = EACCES;
  return mapped ? unlink(mapped) : -1;
}
LIBC(int, remove)(const char* path) {
  const char* mapped = map_path(path);
  errno = EACCES;
  return mapped ? remove(mapped) : -1;
}
LIBC(int, rename)(const char* from, const char* to) {
  char old[4096];
  const char* mapped = map_path(from);
  snprintf(old, sizeof old, "%s", mapped ? mapped : "");
  const char* target = map_path(to);
  errno = EACCES;
  return mapped && target ? rename(old, target) : -1;
}
LIBC(int, mkdir)(const char* path, mode_t mode) {
  const char* mapped = map_path(path);
  errno = EACCES;
  return mapped ? mkdir(mapped, mode) : -1;
}
LIBC(int, chdir)(const char* path) {
  (void)path;
  return 0;
}
LIBC(ssize_t, write)(int file, const void* data, size_t size) {
  if (file != 1 && file != 2) return write(file, data, size);
  const ssize_t written = ls_bb_console_write(NULL, data, size);
  ls_bb_charge(0);
  return written;
}
LIBC(ssize_t, read)(int file, void* data, size_t size) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  return file == 0 ? ls_bb_console_read(NULL, data, size) : read(file, data, size);
}
static int reject_network(void) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  ls_bb_say_once("there is no network here");
  errno = ENETDOWN;
  return -1;
}
LIBC(int, socket)(int domain, int type, int protocol) {
  (void)domain, (void)type, (void)protocol;
  return reject_network();
}
LIBC(int, connect)(int file, const void* address, unsigned size) {
  (void)file, (void)address, (void)size;
  return reject_network();
}
LIBC(void*, gethostbyname)(const char* name) {
  (void)name;
  reject_network();
  return NULL;
}
LIBC(int, getaddrinfo)(const char* name, const char* service, const void* hints, void** result) {
  (void)name, (void)service, (void)hints;
  *result = NULL;
  reject_network();
  return -3; /* EAI_AGAIN */
}

/* Random numbers: the same on every system. A linear congruential generator of 64 bits, the high ones of which are
 * used. */

static uint64_t random_state = 1;

static uint64_t next_random(void) {
  random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return random_state >> 33;
}

LIBC(int, rand)(void) {
  return (int)next_random();
}
LIBC(void, srand)(unsigned seed) {
  random_state = seed;
}
LIBC(long, random)(void) {
  return (long)next_random();
}
LIBC(void, srandom)(unsigned seed) {
  random_state = seed;
}
LIBC(int, rand_r)(unsigned* seed) {
  *seed = *seed * 1103515245u + 12345u;
  return (int)(*seed >> 1);
}
LIBC(double, drand48)(void) {
  return (double)next_random() / 2147483648.0;
}
LIBC(void, srand48)(long seed) {
  random_state = (uint64_t)seed;
}
