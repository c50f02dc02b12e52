/* A controller for the tests: holds the mass of stand_in_simulation.py and prints the result. probe.py is the
 * same in Python.
 *
 *   probe ADDRESS CONNECT_TIMEOUT STEP_TIMEOUT WHAT
 *
 * WHAT: hold; leave (after 10 steps); nan, index (tries to send that once); insist (on other units); patient
 * (continues after up to 5 errors). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep_client.h"

/* The linker redirects every allocation here (--wrap). */
static long allocations = 0;
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* old, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* old, size_t size);

void* __wrap_malloc(size_t size) {
  ++allocations;
  return __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size) {
  ++allocations;
  return __real_calloc(count, size);
}

void* __wrap_realloc(void* old, size_t size) {
  ++allocations;
  return __real_realloc(old, size);
}

int main(int argc, char** argv) {
  static const char* const kReads[] = {"mass/x", "in", NULL};
  static const char* const kWrites[] = {"mass/force", "lbf", NULL};
  if (argc != 5) return 2;
  const char* what = argv[4];
  char error[512];
  lockstep_client* sim = NULL;
  if (strcmp(what, "insist") == 0) {
    const lockstep_demands demands = {0x0123456789ABCDEF, 2000000, kReads, kWrites};
    sim = lockstep_connect_demanding(argv[1], "probe", atof(argv[2]), &demands, error, sizeof error);
  } else {
    sim = lockstep_connect(argv[1], "probe", atof(argv[2]), error, sizeof error);
  }
  if (!sim) {
    printf("rejected: %s\n", error);
    return 0;
  }
  lockstep_set_timeout(sim, atof(argv[3]));
  const int x = lockstep_find_read(sim, "mass/x");
  const int v = lockstep_find_read(sim, "mass/v");
  const int force = lockstep_find_write(sim, "mass/force");
  printf("period: %g\nreads: %d %s %s\nwrites: %d %s %s %g %g\nunknown: %d %d\n", lockstep_period(sim),
         lockstep_read_count(sim), lockstep_read_name(sim, x), lockstep_read_unit(sim, v),
         lockstep_write_count(sim), lockstep_write_name(sim, force), lockstep_write_unit(sim, force),
         lockstep_write_lower(sim, force), lockstep_write_upper(sim, force),
         lockstep_find_read(sim, "mass/force"), lockstep_find_write(sim, "mass/x"));

  const long before = allocations;
  long steps = 0;
  int result = 0;
  double time = NAN;
  for (int patience = strcmp(what, "patient") == 0 ? 5 : 1; patience > 0; --patience) {
    while ((result = lockstep_step(sim)) == 1) {
      ++steps;
      time = lockstep_time(sim);
      lockstep_write(sim, force, -4.0 * lockstep_read(sim, x) - 2.0 * lockstep_read(sim, v));
      if (steps == 10 && strcmp(what, "leave") == 0) break;
      if (steps != 10 || (strcmp(what, "nan") != 0 && strcmp(what, "index") != 0)) continue;
      const double good = -4.0 * lockstep_read(sim, x) - 2.0 * lockstep_read(sim, v);
      if (strcmp(what, "nan") == 0) {
        lockstep_write(sim, force, lockstep_read(sim, 7));
      } else {
        lockstep_write(sim, -1, 0.0);
      }
      printf("mistake: %d %s\n", lockstep_step(sim), lockstep_error(sim));
      lockstep_write(sim, force, good);
    }
    if (result != -1) break;
    printf("error: %s\nconnected: %d\n", lockstep_error(sim), lockstep_is_connected(sim));
    if (!lockstep_is_connected(sim)) break;
  }
  const long during = allocations - before;
  printf("result: %d\nsteps: %ld\ntime: %.9f\nbad: %llu\nallocations: %ld\n", result, steps, time,
         (unsigned long long)lockstep_bad_messages(sim), during);
  lockstep_close(sim);
  return 0;
}
