/* Two byte rings in a file of /dev/shm. All counters are shared with a process that may be hostile or dead:
 * each is read once and checked. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "transport.h"

enum { RING_SIZE = 8, SIMULATION = 12, CONTROLLER = 16, EPOCH = 20, CLOSED = 24, ENTERED = 28 };
enum { OUT_WRITTEN = 64, OUT_READ = 128, OUT_SLEEPER = 192, IN_WRITTEN = 256, IN_READ = 320, IN_SLEEPER = 384 };
enum { RINGS = 4096 };
static const char kMagic[8] = "LKSSHM1";
static const uint32_t kMaxRing = 1u << 26;
/* Reading the clock costs as much as several polls. */
enum { LOOKS_PER_CLOCK = 128 };
/* Period at which a sleeper checks whether the simulation is alive. */
static const int64_t kNap = 50000000;
/* Period at which a writer polls a full ring: readers do not wake it. */
static const int64_t kShortNap = 100000;

static uint32_t* field(const lks_shared* s, int offset) {
  return (uint32_t*)(void*)(s->map + offset);
}

static uint32_t load(const lks_shared* s, int offset) {
  return __atomic_load_n(field(s, offset), __ATOMIC_ACQUIRE);
}

static void store(const lks_shared* s, int offset, uint32_t value) {
  __atomic_store_n(field(s, offset), value, __ATOMIC_SEQ_CST);
}

static long futex(uint32_t* word, int operation, uint32_t value, const struct timespec* timeout) {
  return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static int is_alive(uint32_t process) {
  return process != 0 && process <= INT_MAX && (kill((pid_t)process, 0) == 0 || errno == EPERM);
}

/* Whether the simulation has ended this connection, or has accepted another controller. */
static int is_closed(const lks_shared* s) {
  return load(s, CLOSED) != 0 || load(s, EPOCH) != s->epoch || load(s, CONTROLLER) != s->self;
}

static int is_gone(const lks_shared* s) {
  return is_closed(s) || !is_alive(load(s, SIMULATION));
}

static void leave(const lks_shared* s) {
  uint32_t ours = s->self;
  __atomic_compare_exchange_n(field(s, CONTROLLER), &ours, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static lks_opening fail(lks_shared* s, lks_opening result, const char* name, const char* why, char* error,
                        size_t size) {
  snprintf(error, size, "shm:%s: %s", name, why);
  if (s->map) munmap(s->map, s->size);
  s->map = NULL;
  return result;
}

static lks_opening enter(lks_shared* s, const char* name, int64_t deadline, char* error, size_t size) {
  uint32_t other = 0;
  if (!__atomic_compare_exchange_n(field(s, CONTROLLER), &other, s->self, 0, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST)) {
    char why[64];
    snprintf(why, sizeof why, "another controller is connected (process %lu)", (unsigned long)other);
    return fail(s, LKS_TRY_AGAIN, name, why, error, size);
  }
  /* The simulation does nothing before ENTERED changes, so this is the previous epoch. */
  const uint32_t before = load(s, EPOCH);
  __atomic_add_fetch(field(s, ENTERED), 1, __ATOMIC_SEQ_CST);
  while (load(s, EPOCH) == before) {
    const int is_late = lks_now() >= deadline;
    if (is_late || load(s, CLOSED) || !is_alive(load(s, SIMULATION))) {
      leave(s);
      return fail(s, LKS_TRY_AGAIN, name, "the simulation does not respond", error, size);
    }
    lks_sleep(kShortNap);
  }
  s->epoch = load(s, EPOCH);
  s->written = load(s, IN_WRITTEN);
  s->taken = load(s, IN_READ);
  s->read = load(s, OUT_READ);
  return LKS_OPENED;
}

lks_opening lks_shared_open(lks_shared* s, const char* name, int64_t deadline, char* error, size_t size) {
  char path[300];
  if (!*name || strchr(name, '/') || strlen(name) > 255)
    return fail(s, LKS_IMPOSSIBLE, name, "expected the name of a file in /dev/shm", error, size);
  snprintf(path, sizeof path, "/dev/shm/%s", name);
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return fail(s, LKS_TRY_AGAIN, name, strerror(errno), error, size);
  struct stat status;
  const int has_header = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > RINGS;
  if (has_header) {
    s->size = (size_t)status.st_size;
    s->map = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (s->map == MAP_FAILED) s->map = NULL;
  }
  close(fd);
  /* The magic is written last, so a file without it may be incomplete. */
  if (!s->map || memcmp(s->map, kMagic, sizeof kMagic) != 0)
    return fail(s, LKS_TRY_AGAIN, name, "not the shared memory of a simulation", error, size);
  s->ring_size = load(s, RING_SIZE);
  const int is_power = s->ring_size != 0 && (s->ring_size & (s->ring_size - 1)) == 0;
  if (!is_power || s->ring_size > kMaxRing || s->size < RINGS + 2 * (size_t)s->ring_size)
    return fail(s, LKS_IMPOSSIBLE, name, "the file has the wrong size for two rings", error, size);
  if (load(s, CLOSED) || !is_alive(load(s, SIMULATION)))
    return fail(s, LKS_TRY_AGAIN, name, "the simulation that created it has ended", error, size);
  s->spin = 50000;
  s->self = (uint32_t)getpid();
  return enter(s, name, deadline, error, size);
}

void lks_shared_shut(lks_shared* s) {
  if (!s->map) return;
  if (load(s, EPOCH) == s->epoch) leave(s);
  /* Wake a sleeping simulation. */
  futex(field(s, IN_WRITTEN), FUTEX_WAKE, INT_MAX, NULL);
  munmap(s->map, s->size);
  s->map = NULL;
}

/* Prefetches the memory of the next message, which is probably as long as this one, from the other core's cache
 * while the simulation works. */
static void fetch_place(const lks_shared* s, const uint8_t* ring, uint32_t count) {
  enum { LINE = 64, MAX_PREFETCHED = 1024 };
  for (uint32_t i = 0; i < count + LINE && i < MAX_PREFETCHED; i += LINE)
    __builtin_prefetch(ring + ((s->written + i) & (s->ring_size - 1)), 1);
}

lks_result lks_shared_send(lks_shared* s, const uint8_t* bytes, size_t count, int64_t deadline) {
  uint8_t* const ring = s->map + RINGS + s->ring_size;
  while (count > 0) {
    if (is_closed(s)) return LKS_CLOSED;
    /* Read the other side's counter only if needed: each access moves its cache line between two cores. */
    if (s->ring_size - (s->written - s->taken) < count) s->taken = load(s, IN_READ);
    if (s->written - s->taken > s->ring_size) return LKS_CLOSED;
    const uint32_t space = s->ring_size - (s->written - s->taken);
    if (space == 0) {
      if (is_gone(s)) return LKS_CLOSED;
      if (deadline != LKS_NEVER && lks_now() >= deadline) return LKS_TIMEOUT;
      lks_sleep(kShortNap);
      continue;
    }
    const uint32_t at = s->written & (s->ring_size - 1);
    const uint32_t now = count < space ? (uint32_t)count : space;
    const uint32_t first = now < s->ring_size - at ? now : s->ring_size - at;
    memcpy(ring + at, bytes, first);
    memcpy(ring, bytes + first, now - first);
    s->written += now;
    store(s, IN_WRITTEN, s->written);
    if (__atomic_load_n(field(s, IN_SLEEPER), __ATOMIC_SEQ_CST))
      futex(field(s, IN_WRITTEN), FUTEX_WAKE, INT_MAX, NULL);
    fetch_place(s, ring, now);
    bytes += now;
    count -= now;
  }
  return LKS_DONE;
}

/* Number of bytes to read, or why there are none. */
static lks_result look(const lks_shared* s, uint32_t* waiting) {
  *waiting = load(s, OUT_WRITTEN) - s->read;
  return *waiting > s->ring_size ? LKS_CLOSED : LKS_DONE;
}

static lks_result nap(const lks_shared* s, int64_t deadline) {
  int64_t time = kNap;
  if (deadline != LKS_NEVER) {
    const int64_t left = deadline - lks_now();
    if (left <= 0) return LKS_TIMEOUT;
    if (left < time) time = left;
  }
  const struct timespec timeout = {0, (long)time};
  store(s, OUT_SLEEPER, 1);
  if (__atomic_load_n(field(s, OUT_WRITTEN), __ATOMIC_SEQ_CST) == s->read)
    futex(field(s, OUT_WRITTEN), FUTEX_WAIT, s->read, &timeout);
  store(s, OUT_SLEEPER, 0);
  return LKS_DONE;
}

lks_result lks_shared_receive(lks_shared* s, uint8_t* bytes, size_t size, size_t* count, int64_t deadline) {
  uint32_t waiting = 0;
  int is_spinning = s->spin > 0, has_napped = 0;
  int64_t spin_end = 0; /* unknown before the first reading of the clock */
  for (int turn = 0;; ++turn) {
    if (load(s, EPOCH) != s->epoch || look(s, &waiting) != LKS_DONE) return LKS_CLOSED;
    if (waiting > 0) break;
    if (deadline == LKS_LOOK) return LKS_TIMEOUT;
    if (is_spinning && turn % LOOKS_PER_CLOCK == LOOKS_PER_CLOCK - 1) {
      const int64_t now = lks_now();
      if (spin_end == 0) spin_end = now + s->spin;
      is_spinning = now < spin_end;
    }
    if (is_spinning) {
      relax();
      continue;
    }
    /* Read what the simulation wrote before it ended. Checking whether it is alive costs a system call, so do
     * it only after sleeping without result. */
    const int is_over = has_napped ? is_gone(s) : is_closed(s);
    if (look(s, &waiting) != LKS_DONE || (is_over && waiting == 0)) return LKS_CLOSED;
    if (waiting > 0) break;
    if (nap(s, deadline) == LKS_TIMEOUT) return LKS_TIMEOUT;
    has_napped = 1;
  }
  const uint8_t* const ring = s->map + RINGS;
  const uint32_t at = s->read & (s->ring_size - 1);
  const uint32_t now = waiting < size ? waiting : (uint32_t)size;
  const uint32_t first = now < s->ring_size - at ? now : s->ring_size - at;
  memcpy(bytes, ring + at, first);
  memcpy(bytes + first, ring, now - first);
  s->read += now;
  __atomic_store_n(field(s, OUT_READ), s->read, __ATOMIC_RELEASE);
  *count = now;
  return LKS_DONE;
}
