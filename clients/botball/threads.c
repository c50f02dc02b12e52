/* Threads and mutexes of the Link, the Wallaby and the Wombat, and processes of the CBC. */
#include <math.h>
#include <stdlib.h>

#define LS_BB_LIBRARY
#include "include/botball.h"
#include "internal.h"

typedef struct {
  thread_function function;
  Thread* thread; /* the last one that was started */
  bool is_destroyed;
} Handle;

static void run_handle(void* function) {
  ((thread_function)function)();
}

thread thread_create(thread_function function) {
  ls_bb_enter(COST_OTHER, 1);
  Handle* handle = calloc(1, sizeof *handle);
  if (handle) handle->function = function;
  return (thread){handle};
}

void thread_start(thread id) {
  ls_bb_enter(COST_OTHER, 1);
  Handle* handle = id.data;
  if (!handle || handle->is_destroyed || !handle->function) return;
  handle->thread = ls_bb_create_thread(run_handle, (void*)handle->function, "thread");
  if (!handle->thread) ls_bb_say("no more threads can be started");
}

void thread_wait(thread id) {
  ls_bb_enter(COST_OTHER, 1);
  Handle* handle = id.data;
  if (!handle || handle->is_destroyed || !handle->thread) return;
  Thread* started = handle->thread;
  handle->thread = NULL;
  while (!ls_bb_is_thread_over(started)) ls_bb_wait(started, LS_BB_NEVER, "thread_wait");
}

/* The handle is never freed: programs use it again. */
void thread_destroy(thread id) {
  ls_bb_enter(COST_OTHER, 1);
  Handle* handle = id.data;
  if (!handle || handle->is_destroyed) return;
  handle->is_destroyed = true;
  if (handle->thread && handle->thread != ls_bb_running()) ls_bb_kill_thread(handle->thread);
}

typedef struct {
  Thread* owner;
} Lock;

mutex mutex_create() {
  ls_bb_enter(COST_OTHER, 1);
  return (mutex){calloc(1, sizeof(Lock))};
}
int mutex_trylock(mutex m) {
  ls_bb_enter(COST_OTHER, 1);
  Lock* lock = m.data;
  if (!lock || lock->owner) return 0;
  lock->owner = ls_bb_running();
  return 1;
}
void mutex_lock(mutex m) {
  if (!m.data) {
    ls_bb_enter(COST_OTHER, 1);
    return;
  }
  while (!mutex_trylock(m)) {
    const Lock* lock = m.data;
    if (lock->owner == ls_bb_running()) ls_bb_say("deadlock: a thread locks its own mutex again");
    ls_bb_wait(m.data, LS_BB_NEVER, "mutex_lock");
  }
}
void mutex_unlock(mutex m) {
  ls_bb_enter(COST_OTHER, 1);
  if (!m.data) return;
  ((Lock*)m.data)->owner = NULL;
  ls_bb_wake_first(m.data);
}
void mutex_destroy(mutex m) {
  (void)m;
  ls_bb_enter(COST_OTHER, 1);
}

/* Processes of the CBC: a slot is freed only by kill_process(). */

static Thread* processes[16];

int start_process(void (*function)()) {
  ls_bb_enter(COST_OTHER, 1);
  for (int i = 0; i < 16; ++i) {
    if (processes[i]) continue;
    processes[i] = ls_bb_create_thread(run_handle, (void*)function, "process");
    return processes[i] ? i : -1;
  }
  ls_bb_say_once("start_process: all 16 processes are in use; only kill_process frees one");
  return -1;
}

void kill_process(int id) {
  ls_bb_enter(COST_OTHER, 1);
  if (id < 0 || id >= 16 || !processes[id]) return;
  Thread* process = processes[id];
  processes[id] = NULL;
  if (process == ls_bb_running()) ls_bb_exit_thread(NULL);
  ls_bb_kill_thread(process);
}

int is_process_running(int id) {
  ls_bb_enter(COST_OTHER, 1);
  return id >= 0 && id < 16 && processes[id] && !ls_bb_is_thread_over(processes[id]);
}

void run_for(float length, void (*function)()) {
  const Nanoseconds start = ls_bb_now();
  ls_bb_enter(COST_OTHER, 1);
  const Nanoseconds end = start + (Nanoseconds)llround(1e9 * (double)length);
  Thread* process = ls_bb_create_thread(run_handle, (void*)function, "run_for");
  if (!process) return;
  for (Nanoseconds second = start + LS_BB_S;; second += LS_BB_S) {
    ls_bb_sleep_until(second < end ? second : end, "run_for");
    if (ls_bb_is_thread_over(process)) return;
    if (ls_bb_now() >= end) {
      ls_bb_kill_thread(process);
      return;
    }
  }
}

void ls_bb_kill_processes(void) {
  for (int i = 0; i < 16; ++i) {
    if (processes[i]) ls_bb_kill_thread(processes[i]);
  }
}
