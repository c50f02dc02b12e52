/* POSIX threads and semaphores of a program, which are threads of scheduler.c. See libc.c. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"
#include "libc.h"

/* A pthread_t is the thread itself; the memory of a mutex, barrier or semaphore holds our state, which is all zero
 * after a static initialiser. */

typedef struct {
  void* (*function)(void*);
  void* argument;
} Start;

static void run_start(void* memory) {
  const Start start = *(Start*)memory;
  free(memory);
  ls_bb_exit_thread(start.function(start.argument));
}

LIBC(int, pthread_create)
(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  (void)attributes;
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  Start* start = malloc(sizeof *start);
  if (!start) return EAGAIN;
  *start = (Start){function, argument};
  Thread* thread = ls_bb_create_thread(run_start, start, "pthread");
  if (!thread) {
    free(start);
    return EAGAIN;
  }
  *id = (pthread_t)thread;
  return 0;
}

LIBC(int, pthread_join)(pthread_t id, void** result) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  Thread* thread = (Thread*)id;
  if (!thread) return ESRCH;
  while (!ls_bb_is_thread_over(thread)) ls_bb_wait(thread, LS_BB_NEVER, "pthread_join");
  if (result) *result = ls_bb_thread_result(thread);
  return 0;
}

LIBC(int, pthread_detach)(pthread_t id) {
  (void)id;
  return 0;
}

LIBC(void, pthread_exit)(void* result) {
  ls_bb_exit_thread(result);
}

LIBC(int, pthread_cancel)(pthread_t id) {
  ls_bb_charge(ls_bb_cost(COST_OTHER));
  Thread* thread = (Thread*)id;
  if (!thread || ls_bb_is_thread_over(thread)) return ESRCH;
  if (thread == ls_bb_running()) ls_bb_exit_thread(PTHREAD_CANCELED);
  ls_bb_kill_thread(thread);
  return 0;
}

LIBC(void, pthread_testcancel)(void) {}
LIBC(int, pthread_setcancelstate)(int state, int* old) {
  (void)state;
  if (old) *old = 0;
  return 0;
}
LIBC(int, pthread_setcanceltype)(int type, int* old) {
  (void)type;
  if (old) *old = 0;
  return 0;
}
LIBC(pthread_t, pthread_self)(void) {
  return (pthread_t)ls_bb_running();
}
LIBC(int, pthread_yield)(void) {
  return ls_bb_libc_sched_yield();
}

typedef struct {
  int owner; /* index + 1 */
} Mutex;

LIBC(int, pthread_mutex_init)(Mutex* mutex, const void* attributes) {
  (void)attributes;
  memset(mutex, 0, sizeof(pthread_mutex_t));
  return 0;
}
LIBC(int, pthread_mutex_destroy)(Mutex* mutex) {
  (void)mutex;
  return 0;
}
LIBC(int, pthread_mutex_trylock)(Mutex* mutex) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  if (mutex->owner != 0) return EBUSY;
  mutex->owner = ls_bb_index(ls_bb_running()) + 1;
  return 0;
}
LIBC(int, pthread_mutex_lock)(Mutex* mutex) {
  while (ls_bb_libc_pthread_mutex_trylock(mutex) != 0) {
    if (mutex->owner == ls_bb_index(ls_bb_running()) + 1)
      ls_bb_say("deadlock: a thread locks its own mutex again");
    ls_bb_wait(mutex, LS_BB_NEVER, "pthread_mutex_lock");
  }
  return 0;
}
LIBC(int, pthread_mutex_unlock)(Mutex* mutex) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  mutex->owner = 0;
  ls_bb_wake_first(mutex);
  return 0;
}

LIBC(int, pthread_cond_init)(pthread_cond_t* condition, const void* attributes) {
  (void)attributes;
  memset(condition, 0, sizeof *condition);
  return 0;
}
LIBC(int, pthread_cond_destroy)(pthread_cond_t* condition) {
  (void)condition;
  return 0;
}
static int wait_for_condition(pthread_cond_t* condition, Mutex* mutex, Nanoseconds deadline) {
  mutex->owner = 0;
  ls_bb_wake_first(mutex);
  const bool is_woken = ls_bb_wait(condition, deadline, "pthread_cond_wait");
  ls_bb_libc_pthread_mutex_lock(mutex);
  return is_woken ? 0 : ETIMEDOUT;
}
LIBC(int, pthread_cond_wait)(pthread_cond_t* condition, Mutex* mutex) {
  return wait_for_condition(condition, mutex, LS_BB_NEVER);
}
LIBC(int, pthread_cond_timedwait)(pthread_cond_t* condition, Mutex* mutex, const struct timespec* time) {
  const Nanoseconds deadline = nanoseconds_of(time) - kEpoch;
  return wait_for_condition(condition, mutex, deadline > ls_bb_now() ? deadline : ls_bb_now());
}
LIBC(int, pthread_cond_signal)(pthread_cond_t* condition) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  ls_bb_wake_first(condition);
  return 0;
}
LIBC(int, pthread_cond_broadcast)(pthread_cond_t* condition) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  ls_bb_wake_all(condition);
  return 0;
}

typedef struct {
  unsigned all, arrived;
} Barrier;

LIBC(int, pthread_barrier_init)(Barrier* barrier, const void* attributes, unsigned count) {
  (void)attributes;
  if (count == 0) return EINVAL;
  *barrier = (Barrier){count, 0};
  return 0;
}
LIBC(int, pthread_barrier_destroy)(Barrier* barrier) {
  (void)barrier;
  return 0;
}
LIBC(int, pthread_barrier_wait)(Barrier* barrier) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  if (++barrier->arrived >= barrier->all) {
    barrier->arrived = 0;
    ls_bb_wake_all(barrier);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  ls_bb_wait(barrier, LS_BB_NEVER, "pthread_barrier_wait");
  return 0;
}

LIBC(int, sem_init)(unsigned* semaphore, int shared, unsigned value) {
  (void)shared;
  *semaphore = value;
  return 0;
}
LIBC(int, sem_destroy)(unsigned* semaphore) {
  (void)semaphore;
  return 0;
}
LIBC(int, sem_trywait)(unsigned* semaphore) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  if (*semaphore == 0) {
    errno = EAGAIN;
    return -1;
  }
  --*semaphore;
  return 0;
}
LIBC(int, sem_wait)(unsigned* semaphore) {
  while (ls_bb_libc_sem_trywait(semaphore) != 0) ls_bb_wait(semaphore, LS_BB_NEVER, "sem_wait");
  return 0;
}
LIBC(int, sem_post)(unsigned* semaphore) {
  ls_bb_charge(ls_bb_cost(COST_TIME));
  ++*semaphore;
  ls_bb_wake_first(semaphore);
  return 0;
}
LIBC(int, sem_getvalue)(unsigned* semaphore, int* value) {
  *value = (int)*semaphore;
  return 0;
}
