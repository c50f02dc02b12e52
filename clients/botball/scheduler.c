/* Virtual time: threads of the program, timers, the exchange with the simulation, and the end of a program. */
#include <errno.h>
#include <fcntl.h>
#include <lockstep_client.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"
#include "sandbox.h"

enum {
  kMaxThreads = 256,       /* alive at the same time */
  kMaxCreated = 1000000,   /* in a run */
  kFreeTicks = 200000,     /* of computing since the last call of the library */
  kTicksPerCharge = 100000 /* after that */
};
static const Nanoseconds kChargeOfTicks = LS_BB_MS;
static const Nanoseconds kCreation = 100 * LS_BB_US;
static const size_t kMainStack = 8u << 20, kThreadStack = 2u << 20;

/*              ┌────────── scheduler picks it ──────────┐
 *   created ─► ready ◄───────── its time has come ───── running ─► over
 *                ▲                                        │
 *                └── woken, or the deadline has come ── waiting */
typedef enum { READY, WAITING, OVER } State;

struct Thread {
  int index;
  State state;
  Nanoseconds time;    /* ready from then on; while it waits: its deadline */
  int64_t waits_since; /* order of waiting */
  const void* key;     /* what it waits for */
  const char* what;    /* the same, in words */
  bool is_woken;
  long ticks; /* left before computing is charged */
  bool owes;  /* its time has been increased without yielding */
  const char* name;
  void (*function)(void*);
  void* argument;
  void* result;
  char* stack;
  size_t stack_size;
  ucontext_t context;
};

typedef struct {
  Nanoseconds time;
  void (*function)(void);
} Timer;

int ls_bb_era = ERA_W;

static Thread* threads[kMaxThreads];
static int thread_count;
static int created;
static Thread* running;
static ucontext_t scheduler;
static int64_t waits;
static Timer timers[16];
static int timer_count;

static lockstep_client* simulation;
static Nanoseconds period;
static Nanoseconds exchange_time; /* of the last measurement */
static Nanoseconds now;
static bool is_answered;        /* the commands of exchange_time are written */
static Nanoseconds quick_until; /* the running thread may go on until then without asking the scheduler */
static bool has_ended;
static char end_reason[200];
static Nanoseconds end_time;
static bool is_stuck;
static long progress; /* calls of the library */
static int result_file = -1;
static int running_signal = -1;
enum { kMaxFrames = 64 };
static void* crash_addresses[kMaxFrames];

long ls_bb_ticks = kFreeTicks;

Nanoseconds ls_bb_now(void) {
  return now;
}

Thread* ls_bb_running(void) {
  return running;
}

int ls_bb_index(const Thread* thread) {
  return thread->index;
}

const char* ls_bb_name(const Thread* thread) {
  return thread->name;
}

/* Giving way. */

static void switch_to_scheduler(void) {
  Thread* self = running;
  self->ticks = ls_bb_ticks;
  swapcontext(&self->context, &scheduler);
  ls_bb_ticks = self->ticks;
}

void ls_bb_charge(Nanoseconds cost) {
  if (!running) return;
  ++progress;
  running->ticks = ls_bb_ticks = kFreeTicks;
  running->owes = false;
  running->time += cost;
  if (running->time < quick_until) {
    now = running->time;
    return;
  }
  switch_to_scheduler();
}

void ls_bb_owe(Nanoseconds cost) {
  if (!running) return;
  running->time += cost;
  running->owes = true;
  ls_bb_ticks = 0; /* asks at the next tick */
}

void ls_bb_sleep_until(Nanoseconds time, const char* what) {
  if (!running) return;
  running->what = what;
  ls_bb_charge(time > running->time ? time - running->time : 0);
  running->what = NULL;
}

/* Called from every loop and every block of code of the program when its ticks are used up. */
static void tick_slowly(void) {
  if (!running || has_ended) {
    ls_bb_ticks = kFreeTicks;
    return;
  }
  const bool owes = running->owes;
  running->what = owes ? "print" : "a loop that calls no function of the library";
  ls_bb_charge(owes ? 0 : kChargeOfTicks);
  running->what = NULL;
  ls_bb_ticks = owes ? kFreeTicks : kTicksPerCharge;
}

void ls_bb_tick(void) {
  if (--ls_bb_ticks < 0) tick_slowly();
}

void __sanitizer_cov_trace_pc(void) {
  if (--ls_bb_ticks < 0) tick_slowly();
}

bool ls_bb_wait(const void* key, Nanoseconds deadline, const char* what) {
  Thread* self = running;
  if (!self) return false;
  self->ticks = ls_bb_ticks = kFreeTicks;
  self->key = key;
  self->what = what;
  self->waits_since = waits++;
  self->is_woken = false;
  self->state = WAITING;
  self->time = deadline;
  switch_to_scheduler();
  self->what = NULL;
  return self->is_woken;
}

static void wake(Thread* thread) {
  thread->state = READY;
  thread->is_woken = true;
  thread->key = NULL;
  thread->time = now;
  quick_until = 0;
}

static Thread* first_waiting(const void* key) {
  Thread* first = NULL;
  for (int i = 0; i < thread_count; ++i) {
    Thread* thread = threads[i];
    if (thread->state == WAITING && thread->key == key && (!first || thread->waits_since < first->waits_since))
      first = thread;
  }
  return first;
}

void ls_bb_wake_first(const void* key) {
  Thread* thread = first_waiting(key);
  if (thread) wake(thread);
}

void ls_bb_wake_all(const void* key) {
  Thread* thread;
  while ((thread = first_waiting(key))) wake(thread);
}

void ls_bb_add_timer(Nanoseconds time, void (*function)(void)) {
  if (timer_count == (int)(sizeof timers / sizeof *timers)) return;
  timers[timer_count++] = (Timer){time, function};
  quick_until = 0;
}

/* Threads. */

static void thread_body(void) {
  running->function(running->argument);
  ls_bb_exit_thread(NULL);
}

/* Apart, as getcontext() may return twice. */
static bool prepare_context(Thread* thread) {
  if (getcontext(&thread->context) != 0) return false;
  thread->context.uc_stack.ss_sp = thread->stack;
  thread->context.uc_stack.ss_size = thread->stack_size;
  thread->context.uc_link = &scheduler;
  makecontext(&thread->context, thread_body, 0);
  return true;
}

Thread* ls_bb_create_thread(void (*function)(void*), void* argument, const char* name) {
  if (thread_count == kMaxThreads || created == kMaxCreated) return NULL;
  const size_t size = created == 0 ? kMainStack : kThreadStack;
  char* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) return NULL;
  Thread* thread = calloc(1, sizeof *thread);
  if (thread) *thread = (Thread){.stack = stack, .stack_size = size};
  if (!thread || mprotect(stack, 4096, PROT_NONE) != 0 || !prepare_context(thread)) {
    munmap(stack, size);
    free(thread);
    return NULL;
  }
  thread->index = created++;
  thread->time = now + (thread->index == 0 ? 0 : kCreation);
  thread->ticks = kFreeTicks;
  thread->name = name;
  thread->function = function;
  thread->argument = argument;
  threads[thread_count++] = thread;
  quick_until = 0;
  return thread;
}

/* Its memory stays until the end, as handles may point to it; its stack does not. */
static void remove_thread(Thread* thread) {
  thread->state = OVER;
  for (int i = 0; i < thread_count; ++i) {
    if (threads[i] != thread) continue;
    memmove(threads + i, threads + i + 1, (size_t)(thread_count - i - 1) * sizeof *threads);
    --thread_count;
    break;
  }
  if (thread != running) munmap(thread->stack, thread->stack_size);
  ls_bb_wake_all(thread);
}

void ls_bb_kill_thread(Thread* thread) {
  if (thread->state != OVER && thread != running) remove_thread(thread);
}

_Noreturn void ls_bb_exit_thread(void* result) {
  running->result = result;
  remove_thread(running);
  setcontext(&scheduler);
  abort();
}

bool ls_bb_is_thread_over(const Thread* thread) {
  return thread->state == OVER;
}

void* ls_bb_thread_result(const Thread* thread) {
  return thread->result;
}

/* The simulation. */

static const char* tail_of(const char* name, const char* device) {
  /* "demobot/analog0/level" has the device "analog0": what follows it. */
  const size_t length = strlen(device);
  for (const char* p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL) {
    if (strncmp(p, device, length) == 0 && p[length] == '/') return p + length + 1;
  }
  return NULL;
}

int ls_bb_find_read(const char* device, const char* signal) {
  for (int i = 0; i < lockstep_read_count(simulation); ++i) {
    const char* tail = tail_of(lockstep_read_name(simulation, i), device);
    if (tail && (!signal || strcmp(tail, signal) == 0)) return i;
  }
  return -1;
}

int ls_bb_find_write(const char* device, const char* signal) {
  for (int i = 0; i < lockstep_write_count(simulation); ++i) {
    const char* tail = tail_of(lockstep_write_name(simulation, i), device);
    if (tail && strcmp(tail, signal) == 0) return i;
  }
  return -1;
}

double ls_bb_read(int signal) {
  return signal < 0 ? 0.0 : lockstep_read(simulation, signal);
}

void ls_bb_write(int signal, double value) {
  if (signal >= 0 && isfinite(value)) lockstep_write(simulation, signal, value);
}

static void write_result(const char* reason, Nanoseconds time) {
  if (result_file < 0) return;
  dprintf(result_file, "end\t%s\ntime\t%.9f\n", reason, (double)time / 1e9);
  for (int i = 0; i < kMaxFrames && crash_addresses[i]; ++i) {
    /* A call ends where its caller goes on: one byte before is in its line. */
    dprintf(result_file, "address\t%p\n", (void*)((char*)crash_addresses[i] - (i > 0 ? 1 : 0)));
  }
  if (!has_ended || is_stuck) {
    for (int i = 0; i < thread_count; ++i) {
      dprintf(result_file, "waits\t%s\t%s\n", threads[i]->name, threads[i]->what ? threads[i]->what : "runs");
    }
  }
}

static _Noreturn void leave(int status) {
  lockstep_close(simulation);
  _exit(status);
}

static void step_simulation(void) {
  const int result = lockstep_step(simulation);
  if (result == 1) {
    exchange_time += period;
    is_answered = false;
    return;
  }
  if (result < 0) {
    ls_bb_say("%s", lockstep_error(simulation));
    write_result("lost the simulation", now);
    leave(3);
  }
  if (!has_ended) write_result("time limit", exchange_time + period);
  leave(0);
}

/* The next thread by (time, index), or NULL if none has a time. */
static Thread* next_thread(void) {
  Thread* next = NULL;
  for (int i = 0; i < thread_count; ++i) {
    Thread* thread = threads[i];
    if (thread->time == LS_BB_NEVER) continue;
    if (!next || thread->time < next->time || (thread->time == next->time && thread->index < next->index))
      next = thread;
  }
  return next;
}

static Nanoseconds time_of_others(const Thread* self) {
  Nanoseconds time = LS_BB_NEVER;
  for (int i = 0; i < thread_count; ++i) {
    if (threads[i] != self && threads[i]->time < time) time = threads[i]->time;
  }
  for (int i = 0; i < timer_count; ++i) {
    if (timers[i].time < time) time = timers[i].time;
  }
  return time;
}

/* Lets the simulation catch up until this time is within the current period; false if it already is. */
static bool catch_up(Nanoseconds time) {
  if (!is_answered && time > exchange_time) {
    now = exchange_time;
    ls_bb_board_exchange(exchange_time);
    is_answered = true;
  }
  if (time < exchange_time + period) return false;
  step_simulation();
  return true;
}

static void run_timer(int index) {
  const Timer timer = timers[index];
  memmove(timers + index, timers + index + 1, (size_t)(timer_count - index - 1) * sizeof *timers);
  --timer_count;
  now = timer.time;
  timer.function();
}

static void run_thread(Thread* thread) {
  ++progress;
  now = thread->time;
  thread->state = READY;
  const Nanoseconds others = time_of_others(thread);
  const Nanoseconds horizon = is_answered ? exchange_time + period : exchange_time;
  quick_until = others < horizon ? others : horizon;
  running = thread;
  ls_bb_ticks = thread->ticks;
  swapcontext(&scheduler, &thread->context);
  running = NULL;
  /* A thread that ended itself could not free the stack it was on. */
  if (thread->state == OVER) munmap(thread->stack, thread->stack_size);
}

static void report_stuck(void) {
  is_stuck = true;
  ls_bb_say("deadlock: every thread waits for another");
  for (int i = 0; i < thread_count; ++i) ls_bb_say("  thread %s waits: %s", threads[i]->name, threads[i]->what);
}

static void run_all(void) {
  while (!has_ended) {
    Thread* thread = next_thread();
    int timer = -1;
    for (int i = 0; i < timer_count; ++i) {
      if (timer < 0 || timers[i].time < timers[timer].time) timer = i;
    }
    const Nanoseconds thread_time = thread ? thread->time : LS_BB_NEVER;
    const Nanoseconds timer_time = timer >= 0 ? timers[timer].time : LS_BB_NEVER;
    const Nanoseconds time = timer_time <= thread_time ? timer_time : thread_time;
    if (time == LS_BB_NEVER && !is_stuck) report_stuck();
    if (catch_up(time)) continue;
    if (timer_time <= thread_time) {
      run_timer(timer);
    } else {
      run_thread(thread);
    }
  }
}

/* The end. */

void ls_bb_mark_end(const char* reason) {
  if (has_ended) return;
  has_ended = true;
  end_time = now;
  snprintf(end_reason, sizeof end_reason, "%s", reason);
}

_Noreturn void ls_bb_end(const char* reason) {
  ls_bb_mark_end(reason);
  setcontext(&scheduler);
  abort();
}

/* Where it happened, and what is on the stack above: a crash may be in the C library, whose caller in the program is
 * the first of these addresses that has a line. */
static void write_frames(const ucontext_t* context) {
  const uintptr_t low = (uintptr_t)running->stack + 4096,
                  high = (uintptr_t)running->stack + running->stack_size;
  const uintptr_t top = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  int count = 0;
  crash_addresses[count++] = (void*)context->uc_mcontext.gregs[REG_RIP];
  for (uintptr_t word = top & ~(uintptr_t)7; count < kMaxFrames && word + 8 <= high; word += 8) {
    if (word >= low && *(void**)word) crash_addresses[count++] = *(void**)word;
  }
}

static void crash(int number, siginfo_t* info, void* context) {
  (void)info;
  ls_bb_crash(number, context);
}

_Noreturn void ls_bb_crash(int number, const void* context) {
  if (!running || has_ended) {
    write_result("crash: the program has destroyed memory of the library", now);
    _exit(4);
  }
  write_frames(context);
  const char* what = number == SIGSEGV || number == SIGBUS ? "invalid memory access"
                     : number == SIGFPE                    ? "division by zero"
                     : number == SIGILL                    ? "invalid instruction"
                     : number == SIGPROF                   ? "5 s of computing without a call"
                                                           : "abort";
  char reason[100];
  snprintf(reason, sizeof reason, "crash: %s in thread %s", what, running->name);
  ls_bb_end(reason);
}

/* The last resort against code that neither calls the library nor can be interrupted by it. It depends on the speed of the
 * computer, so it only ends a program that would hang for ever. */
static void watch(int number, siginfo_t* info, void* context) {
  (void)info;
  static long last_progress;
  static int stalled;
  stalled = running && progress == last_progress ? stalled + 1 : 0;
  last_progress = progress;
  if (stalled >= 5) ls_bb_crash(number, context);
}

static void catch_crashes(void) {
  static char alternate_stack[65536];
  const stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) sigaction(signals[i], &action, NULL);
  action.sa_sigaction = watch;
  action.sa_flags |= SA_RESTART;
  sigaction(SIGPROF, &action, NULL);
  const struct itimerval second = {{1, 0}, {1, 0}};
  setitimer(ITIMER_PROF, &second, NULL);
}

static void run_program(void* unused) {
  (void)unused;
  static char name[] = "robot";
  static char* arguments[] = {name, NULL};
  ls_bb_user_main(1, arguments);
  ls_bb_run_exit_handlers();
  ls_bb_end("main returned");
}

static int era_of(const char* text) {
  static const char* const names[] = {"C1", "C2", "L", "W"};
  for (int i = 0; text && i < 4; ++i) {
    if (strcmp(text, names[i]) == 0) return i + 1;
  }
  return ERA_W;
}

/* Lines NAME=VALUE of the file `options` beside the program become variables of the environment. */
static void read_options(void) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
  if (length <= 0) return;
  path[length] = '\0';
  char* name = strrchr(path, '/');
  if (!name) return;
  strcpy(name, "/options");
  FILE* file = fopen(path, "re");
  char line[5000];
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    char* value = strchr(line, '=');
    if (!value) continue;
    *value = '\0';
    setenv(line, value + 1, 1);
  }
  if (file) fclose(file);
}

int main(void) {
  read_options();
  ls_bb_era = era_of(getenv("LOCKSTEP_BOTBALL_ERA"));
  char error[500];
  simulation = lockstep_connect(NULL, "botball", 10.0, error, sizeof error);
  if (!simulation) {
    dprintf(2, "lockstep: %s\n", error);
    return 3;
  }
  lockstep_set_spin(simulation, 0.0); /* the simulation runs on the same core */
  period = llround(1e9 * lockstep_period(simulation));
  if (lockstep_step(simulation) != 1) leave(3);
  exchange_time = now = llround(1e9 * lockstep_time(simulation));
  running_signal = ls_bb_find_write("panel", "running");
  ls_bb_board_start();
  ls_bb_write(running_signal, 1.0);
  ls_bb_console_start();
  const char* path = getenv("LOCKSTEP_BOTBALL_RESULT");
  if (path) result_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  catch_crashes();
  const char* missing = ls_bb_sandbox_start(getenv("LOCKSTEP_BOTBALL_FOLDER"));
  if (missing) ls_bb_say("sandbox: %s", missing);
  clearenv();
  if (!ls_bb_create_thread(run_program, NULL, "main")) leave(3);
  run_all();
  ls_bb_board_stop();
  ls_bb_console_flush();
  write_result(end_reason, end_time);
  /* The commands of the end take effect at the next exchange; then the robot stays as it is. */
  for (;;) {
    if (!is_answered) {
      if (exchange_time >= end_time) ls_bb_write(running_signal, 0.0);
      now = exchange_time;
      ls_bb_board_exchange(exchange_time);
      is_answered = true;
    }
    step_simulation();
  }
}
