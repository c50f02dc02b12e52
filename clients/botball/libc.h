/* What the functions share that replace those of the C library in programs. */
#ifndef LS_BB_LIBC_H
#define LS_BB_LIBC_H

#include <time.h>

#include "internal.h"

#define LIBC(type, name) type ls_bb_libc_##name

/* A clock that was never set: programs keep seconds in a float or an int. */
static const Nanoseconds kEpoch = 1000 * LS_BB_S;

static inline Nanoseconds nanoseconds_of(const struct timespec* time) {
  return time->tv_sec * LS_BB_S + time->tv_nsec;
}

int ls_bb_libc_sched_yield(void);

#endif
